import { afterEach, expect, test } from 'vitest';
import { sharedRatio } from '../../../src/objective/surrogate.ts';
import type { PolicyState } from '../../../src/policy/policy.ts';
import type { RolloutBatch } from '../../../src/rollouts/rolloutBatch.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import { Run } from '../../../src/training/run/run.ts';
import { targetsOf } from '../../../src/training/update/logProbabilities.ts';
import { loadPolicy } from '../../searchPolicy.ts';
import { testDevice } from './runDevice.ts';

type Level = 'token' | 'turn' | 'sequence';

const base = defaultConfiguration();
const { state } = loadPolicy(base.settings);
const runs: Run[] = [];

afterEach(() => {
  for (const run of runs.splice(0)) run.destroy();
});

/** Runs a first update with four questions of four rollouts and one minibatch per epoch. */
async function firstUpdate(controls: Record<string, number | string>) {
  const small = { rule: 'mt-grpo', questions: 4, groupSize: 4, minibatches: 1, learningRate: 1e-3, ...controls };
  const run = await Run.create(await testDevice(), { ...base, controls: { ...base.controls, ...small } });
  runs.push(run);
  run.beginWith(state as PolicyState);
  const { batch, metrics, credit } = await run.update();
  return { run, batch, metrics: await metrics, advantages: (await credit).turns };
}

test('the level of the ratio does not affect the gradient of an unchanged policy, because all ratios are 1', async () => {
  const gradients = [];
  for (const ratio of ['token', 'turn', 'sequence'] satisfies Level[]) {
    const { run, metrics } = await firstUpdate({ ratio, clipNorm: 100 });
    expect([metrics.clipLow, metrics.clipHigh]).toEqual([0, 0]);
    gradients.push((await run.trainer.engine.readState()).firstMoment);
    run.destroy();
    runs.pop();
  }
  const [token, ...rest] = gradients;
  const norm = (values: Float32Array) => Math.hypot(...values);
  expect(norm(token)).toBeGreaterThan(1e-4);
  // The first moment is (1 - beta1) times the gradient. It differs only by float32 errors of log-ratios near 0.
  for (const gradient of rest) {
    expect(norm(gradient.map((value, at) => value - token[at])) / norm(token)).toBeLessThan(1e-4);
  }
});

/** Returns turn, current and sampled log-probability of the policy tokens of a batch [rollouts][policy tokens]. */
async function logRatios({ trainer: { engine } }: Run, { rollouts }: RolloutBatch) {
  const sequences = rollouts.map(({ tokens, turnOf }) =>
    targetsOf(
      tokens,
      Array.from(turnOf, (turn) => turn >= 0),
    ),
  );
  const now = await engine.logProbabilities(sequences);
  let target = 0;
  return rollouts.map(({ turnOf, logProb: sampled }) =>
    Array.from(turnOf).flatMap((turn, at) =>
      turn < 0 ? [] : [{ turn, logProb: now[target++], oldLogProb: sampled[at] }],
    ),
  );
}

test.each(['token', 'turn', 'sequence'] satisfies Level[])(
  'in the second epoch the clip applies to the ratio of each %s',
  async (ratio) => {
    const clip = { clipLow: 0.02, clipHigh: 0.03 };
    const once = await firstUpdate({ epochs: 1, ratio, ...clip });
    const moved = await logRatios(once.run, once.batch);
    const { batch, metrics, advantages } = await firstUpdate({ epochs: 2, ratio, ...clip });
    expect(batch.policyTokens).toBe(once.batch.policyTokens);
    // The second epoch begins with the policy that an update of one epoch ends with.
    const expected = { low: 0, high: 0 };
    const shares = { token: (at: number) => at, turn: (_: number, turn: number) => turn, sequence: () => 0 }[ratio];
    moved.forEach((tokens, index) => {
      const shared = tokens.map((token, at) => ({ ...token, share: shares(at, token.turn) }));
      for (const share of new Set(shared.map((token) => token.share))) {
        const list = shared.filter((token) => token.share === share);
        const geometricMean = sharedRatio(list);
        for (const bound of [0.98, 1.03]) expect(Math.abs(geometricMean - bound)).toBeGreaterThan(1e-6);
        for (const { turn } of list) {
          const A = advantages[batch.rollouts[index].turns[turn].forestTurn];
          if (geometricMean < 0.98 && A < 0) expected.low++;
          if (geometricMean > 1.03 && A > 0) expected.high++;
        }
      }
    });
    expect(Math.min(expected.low, expected.high)).toBeGreaterThan(0);
    expect(metrics.clipLow * 2 * batch.policyTokens).toBeCloseTo(expected.low, 3);
    expect(metrics.clipHigh * 2 * batch.policyTokens).toBeCloseTo(expected.high, 3);
  },
);
