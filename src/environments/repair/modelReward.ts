import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Reading, Reliability, StepResult, WrittenTurn } from '../environment.ts';
import { RELIABLE } from '../shared/reliability.ts';
import { appendRewardToSummary } from '../shared/rewardSummary.ts';
import { readTurn } from './reflection.ts';
import { repairControls } from './repairSettings.ts';
import type { RepairTask } from './repairTasks.ts';

// Rewards of programs by a learned reward model, in place of their tests.

/** Returns the reliability of the reward model if turns or outcomes use it; undefined otherwise. */
export function selectRewardModel(controls: ParameterValues): Reliability | undefined {
  const { turnReward, outcomeReward } = repairControls(controls);
  return turnReward === 'model' || outcomeReward === 'model' ? RELIABLE : undefined;
}

/**
 * Returns the input of the model: the prompt of the task and the program. It has no tests, feedback or reflection, so
 * the model reads an attempt as if it were a first program.
 */
export function readsOf({ task, written }: WrittenTurn<RepairTask>): Reading {
  return { tokens: [...task.prompt, ...readTurn(written).program] };
}

/** Returns the share of all tests that a program passes, including hidden tests. */
export function scoreOf({ stepResult: { passed = [] } }: WrittenTurn<RepairTask>): number {
  return passed.reduce((sum, value) => sum + value, 0) / passed.length;
}

/**
 * Returns the step result with the model's reward if the controls select it. The facts about passed tests are
 * unchanged.
 */
export function payByModel(result: StepResult, reward: number, controls: ParameterValues): StepResult {
  const { turnReward, outcomeReward } = repairControls(controls);
  const ends = result.outcome !== undefined;
  const stepReward = turnReward === 'model' ? reward : result.reward;
  const outcome = ends && outcomeReward === 'model' ? reward : result.outcome;
  return {
    ...result,
    reward: stepReward,
    ...(outcome === undefined ? {} : { outcome }),
    components: { turn: ends ? 0 : stepReward, outcome: outcome ?? 0 },
    facts: { ...result.facts, modelReward: reward },
    ...(result.detail ? { detail: { ...result.detail, modelReward: reward } } : {}),
    summary: appendRewardToSummary(result.summary, `model reward ${reward.toFixed(2)}`),
  };
}
