import { expect, test } from 'vitest';
import type { StepResult } from '../../../../src/environments/environment.ts';
import { RepairEpisode } from '../../../../src/environments/repair/episode.ts';
import { payByModel, readsOf, scoreOf, selectRewardModel } from '../../../../src/environments/repair/open.ts';
import { ProgramRunner } from '../../../../src/environments/repair/programRunner.ts';
import { repairControls } from '../../../../src/environments/repair/repairSettings.ts';
import { FakePython, SUM_TASK, written } from './repairWorld.ts';

const WRONG = written('return 0');

/** Plays two turns with the program `return 0` and returns their results before the reward model runs. */
async function runEpisode(controls: Record<string, string>): Promise<readonly StepResult[]> {
  const runner = new ProgramRunner(new FakePython().execute);
  const setup = {
    runner,
    task: SUM_TASK,
    controls: repairControls(controls),
    mode: 'train',
    maxTurns: 2,
    reflection: 'none',
  } as const;
  const episode = new RepairEpisode(setup);
  return [await episode.act(WRONG), await episode.act(WRONG)];
}

test('a reward model is required if it rewards turns or outcomes', () => {
  expect(selectRewardModel({})).toBeUndefined();
  expect(selectRewardModel({ turnReward: 'model' })).toEqual({ noise: 0, bias: 0 });
  expect(selectRewardModel({ outcomeReward: 'model' })).toEqual({ noise: 0, bias: 0 });
});

test('the reward model reads only the task and the program, and its target is the pass rate', async () => {
  const [stepResult] = await runEpisode({});
  const turn = { task: SUM_TASK, before: [7, 8, 9], written: WRONG, stepResult };
  expect(readsOf(turn)).toEqual({ tokens: [...SUM_TASK.prompt, ...WRONG] });
  expect(scoreOf(turn)).toBe(stepResult.facts.passRate);
  expect(scoreOf({ ...turn, stepResult: { ...stepResult, passed: [1, 0, 1, 1] } })).toBe(0.75);
});

test('a turn reward is NaN before the reward model runs, and its score afterwards', async () => {
  const controls = { turnReward: 'model' };
  const results = await runEpisode(controls);
  for (const { reward } of results) expect(reward).toBeNaN();
  const [first, last] = results.map((stepResult) => payByModel(stepResult, 0.75, controls));
  expect([first.reward, last.reward, first.outcome, last.outcome]).toEqual([0.75, 0.75, undefined, 0]);
  expect([first.components, last.components]).toEqual([
    { turn: 0.75, outcome: 0 },
    { turn: 0, outcome: 0 },
  ]);
  expect(first.facts).toEqual({ ...results[0].facts, modelReward: 0.75 });
  expect(first.detail).toEqual({ ...results[0].detail, modelReward: 0.75 });
  expect([first.passed, first.solved]).toEqual([results[0].passed, false]);
  expect(first.summary).toBe(`${results[0].summary}; model reward 0.75`);
});

test('with outcomeReward=model, the outcome is the model reward and turn rewards are pass rates', async () => {
  const controls = { outcomeReward: 'model' };
  const results = await runEpisode(controls);
  const rate = results[0].facts.passRate;
  expect(results[1].outcome).toBeNaN();
  const [first, last] = results.map((stepResult) => payByModel(stepResult, 0.25, controls));
  expect([first.reward, first.outcome, last.outcome]).toEqual([rate, undefined, 0.25]);
  expect(last.components).toEqual({ turn: 0, outcome: 0.25 });
});
