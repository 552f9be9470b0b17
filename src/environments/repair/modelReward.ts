import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Reading, Reliability, StepResult, WrittenTurn } from '../environment.ts';
import { RELIABLE } from '../shared/reliability.ts';
import { appendRewardToSummary } from '../shared/rewardSummary.ts';
import { readTurn } from './reflection.ts';
import { repairControls } from './repairSettings.ts';
import type { RepairTask } from './repairTasks.ts';

// Programs that a learned reward model pays for, in place of their tests.

/** The model, where it pays turns or outcomes. */
export function selectRewardModel(controls: ParameterValues): Reliability | undefined {
  const { turnReward, outcomeReward } = repairControls(controls);
  return turnReward === 'model' || outcomeReward === 'model' ? RELIABLE : undefined;
}

/**
 * The task's own prompt and the program: neither tests nor feedback nor reflection, and an attempt is read like a first program, whatever
 * came before it.
 */
export function readsOf({ task, written }: WrittenTurn<RepairTask>): Reading {
  return { tokens: [...task.prompt, ...readTurn(written).program] };
}

/** Share of all tests that a program passes, hidden and visible ones. */
export function scoreOf({ stepResult: { passed = [] } }: WrittenTurn<RepairTask>): number {
  return passed.reduce((sum, value) => sum + value, 0) / passed.length;
}

/** The verdict with the model's reward where the controls leave it to the model; what passes stays true. */
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
