import { afterEach, expect, test } from 'vitest';
import { loadStart } from '../../../src/cli/framework/policyFiles.ts';
import { openWorld } from '../../../src/cli/framework/worldRuns.ts';
import { MARKUP } from '../../../src/environments/search/vocabulary.ts';
import { questionsOf } from '../../../src/training/collect/ruleInputs.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import { Run } from '../../../src/training/run/run.ts';
import { answerProbabilities } from '../../../src/training/update/logProbabilities.ts';
import { testDevice } from './runDevice.ts';

const runs: Run[] = [];

afterEach(() => {
  for (const run of runs.splice(0)) run.destroy();
});

async function startRun(rule: string): Promise<Run> {
  const base = defaultConfiguration('search');
  const configuration = { ...base, controls: { ...base.controls, rule } };
  const opened = await openWorld(configuration);
  const run = await Run.create(await testDevice(), configuration, () => {}, opened);
  runs.push(run);
  run.beginWith(loadStart(opened.world, undefined).state);
  return run;
}

test('an answer of the policy has the same probability in a query as in sampling, for any query count', async () => {
  const { trainer } = await startRun('grpo-or');
  const batch = await trainer.measurer.sample(0);
  const written = batch.rollouts.flatMap(({ tokens, logProb, turnOf }) => {
    const at = [...tokens].findLastIndex((token, index) => token === MARKUP.answer && turnOf[index] >= 0) + 1;
    return at > 0 && turnOf[at] >= 0
      ? [{ tokens: [...tokens.subarray(0, at + 1)], answer: 1, sampled: logProb[at] }]
      : [];
  });
  expect(written.length).toBeGreaterThan(3);
  const probabilities = await answerProbabilities(trainer.engine, written);
  for (const [index, { sampled }] of written.entries()) expect(probabilities[index]).toBeCloseTo(sampled, 3);
  // More copies of one question than fit into one pass.
  const { rows } = trainer.engine.capacity;
  const [question] = written;
  const many = Array.from({ length: Math.ceil(rows / question.tokens.length) + 3 }, () => question);
  const again = await answerProbabilities(trainer.engine, many);
  expect(again).toHaveLength(many.length);
  for (const value of again) expect(value).toBeCloseTo(question.sampled, 3);
});

test('every turn of an update under IGPO has an answer probability, which is equal for equal contexts', async () => {
  const run = await startRun('igpo');
  const { batch, metrics } = await run.update();
  await metrics;
  const { questions, before } = questionsOf(run.trainer.environment, batch);
  const logProbabilities = batch.forest.groups.flatMap(({ turns }) =>
    turns.map(({ answerLogProb }) => answerLogProb as number),
  );
  expect(logProbabilities).toHaveLength(before.length);
  const known = new Map<number, number>();
  for (const [turn, logProbability] of logProbabilities.entries()) {
    expect(logProbability).toBeLessThanOrEqual(0);
    expect(known.get(before[turn]) ?? logProbability).toBe(logProbability);
    known.set(before[turn], logProbability);
  }
  expect(known.size).toBe(questions.length);
  // All rollouts of a group begin with the same question.
  expect(questions.length).toBeLessThan(logProbabilities.length);
  expect(new Set(logProbabilities).size).toBeGreaterThan(batch.groups.length);
});
