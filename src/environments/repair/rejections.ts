import type { ParameterValues } from '../../parameters/parameters.ts';
import type { ParameterConflict } from '../descriptor.ts';

const TREES = ['murphy-mars', 'murphy-mers', 'tree-grpo'];
/** Setting that requests written tests, for messages. */
const WRITTEN_VERIFICATION = 'verification=written';

/**
 * Returns the conflict between settings and controls that exclude each other; undefined without a conflict. Most
 * conflicts concern written tests.
 */
export function refuses(settings: ParameterValues, controls: ParameterValues): ParameterConflict | undefined {
  const { verification, reflection } = settings;
  const { rule, turnReward, outcomeReward } = controls;
  if (verification !== 'written') {
    if (rule !== 'tapo') return undefined;
    return {
      parameter: 'rule',
      why: `tapo credits programs and tests in turn, and no tests are written here; set ${WRITTEN_VERIFICATION}`,
    };
  }
  if (reflection === 'written') {
    return {
      parameter: 'verification',
      why: 'a policy writes either reflections or tests, each with a separate warm start; leave reflection or verification at none',
    };
  }
  if (TREES.includes(String(rule))) {
    return {
      parameter: 'rule',
      why: `${rule} compares programs that continue one program, and with ${WRITTEN_VERIFICATION} tests come between them; tapo credits both`,
    };
  }
  if (rule === 'verpo' || rule === 'turn-credit') {
    const why =
      rule === 'verpo'
        ? 'weighs the tests that every turn passes'
        : 'takes every turn’s reward for the score of a program';
    return {
      parameter: 'rule',
      why: `${rule} ${why}, and with ${WRITTEN_VERIFICATION} some turns have no program; tapo credits both`,
    };
  }
  if (turnReward === 'model' || outcomeReward === 'model') {
    const parameter = turnReward === 'model' ? 'turnReward' : 'outcomeReward';
    return { parameter, why: `the reward model reads programs, and with ${WRITTEN_VERIFICATION} some turns have none` };
  }
  return undefined;
}
