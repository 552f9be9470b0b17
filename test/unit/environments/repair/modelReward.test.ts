import { expect, test } from 'vitest';
import type { StepResult } from '../../../../src/environments/environment.ts';
import { RepairEpisode } from '../../../../src/environments/repair/episode.ts';
import { payByModel, readsOf, scoreOf, selectRewardModel } from '../../../../src/environments/repair/modelReward.ts';
import { ProgramRunner } from '../../../../src/environments/repair/programRunner.ts';
import { repairControls } from '../../../../src/environments/repair/repairSettings.ts';
import { FakePython, SUM_TASK, written } from './repairWorld.ts';

const WRONG = written('return 0');

/** The two turns of an episode whose programs are both `return 0`, as the environment leaves them to the model. */
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

test('a model is required if it rewards turns or outcomes', () => {
  expect(selectRewardModel({})).toBeUndefined();
  expect(selectRewardModel({ turnReward: 'model' })).toEqual({ noise: 0, bias: 0 });
  expect(selectRewardModel({ outcomeReward: 'model' })).toEqual({ noise: 0, bias: 0 });
});

test('the model reads only the task and the program, and is trained on the tests', async () => {
  const [stepResult] = await runEpisode({});
  const turn = { task: SUM_TASK, before: [7, 8, 9], written: WRONG, stepResult };
  expect(readsOf(turn)).toEqual({ tokens: [...SUM_TASK.prompt, ...WRONG] });
  expect(scoreOf(turn)).toBe(stepResult.facts.passRate);
  expect(scoreOf({ ...turn, stepResult: { ...stepResult, passed: [1, 0, 1, 1] } })).toBe(0.75);
});

test('no turn has a reward before the model runs, then every turn has one; passed tests do not change', async () => {
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

test('the outcome may be the reward of the model, and turn rewards the pass rates', async () => {
  const controls = { outcomeReward: 'model' };
  const results = await runEpisode(controls);
  const rate = results[0].facts.passRate;
  expect(results[1].outcome).toBeNaN();
  const [first, last] = results.map((stepResult) => payByModel(stepResult, 0.25, controls));
  expect([first.reward, first.outcome, last.outcome]).toEqual([rate, undefined, 0.25]);
  expect(last.components).toEqual({ turn: 0, outcome: 0.25 });
});
