import { describe, expect, test } from 'vitest';
import { nodeExactDevice } from '../../../../src/cli/framework/node.ts';
import { findRule } from '../../../../src/credit/rules.ts';
import { withValues } from '../../../../src/engine/updatePlan.ts';
import { SEARCH_WORLDS } from '../../../../src/environments/search/index.ts';
import { normalizeTokens } from '../../../../src/objective/objective.ts';
import type { ParameterValues } from '../../../../src/parameters/parameters.ts';
import type { Sequence } from '../../../../src/policy/batch.ts';
import { ADAMW } from '../../../../src/policy/optimizer.ts';
import { initialParameters, standardPolicy } from '../../../../src/policy/weights.ts';
import type { RolloutBatch } from '../../../../src/rollouts/rolloutBatch.ts';
import { digestOf, openExactRun } from '../../../exactRun.ts';

const SHORTCUT = SEARCH_WORLDS[0];
/** Controls for a batch of 16 episodes, so that an update is fast. */
const SMALL = { questions: 4, groupSize: 4, minibatches: 2 };

const openSearch = (controls: ParameterValues) =>
  openExactRun('search', { settings: SHORTCUT.settings, controls: { ...SHORTCUT.controls, ...SMALL, ...controls } });

/** Returns the sequences of a batch with weight 1 at policy tokens. */
function policyTokens({ rollouts }: RolloutBatch, context: number): Sequence[] {
  return rollouts.map(({ tokens, turnOf, sequence }) => ({
    ...{ tokens, weights: Array.from(turnOf, (turn) => Number(turn >= 0)), credits: turnOf, slot: sequence * context },
  }));
}

/** Opens a small engine and creates training sequences. */
async function openSmall() {
  const config = standardPolicy(30, 24);
  const capacity = { sequences: 4, rows: 128 };
  const device = await nodeExactDevice();
  const largest = { epochs: 1, minibatches: 1 };
  const engine = await device.createEngine({
    config,
    capacity,
    largest,
    maxTurns: 2,
    rules: [],
    betas: [0.9, 0.99],
    seed: 3,
  });
  engine.start(initialParameters(config, 2));
  const sequences = [0, 1, 2, 3].map((s): Sequence => {
    const tokens = Array.from({ length: 10 + s }, (_, at) => (7 * at + 5 * s) % 30);
    return { tokens, weights: tokens.map((_, at) => (at < 4 ? 0 : 1 / 24)), credits: tokens, slot: 24 * s };
  });
  return { engine, sequences };
}

describe('reproducibility of the exact engine', () => {
  // A new digest means a new version of the engine: raise the number in `exact/1` in the decision record, and state the
  // reason in the commit.
  test.each<[string, ParameterValues, string, string]>([
    ['MT-GRPO', { rule: 'mt-grpo' }, '1a48fddb27bd310e', 'b50bbafea0a6b527'],
    [
      'GRPO-OR with one ratio per turn',
      { rule: 'grpo-or', ratio: 'turn', entropyCoef: 0.01 },
      '0772000bd649830a',
      '1a5f50e7d9d86fe3',
    ],
    ['MT-PPO with one critic update', { rule: 'mt-ppo', criticUpdates: 1 }, '01c20290eaa8ea4f', '42c681e3f138588d'],
  ])(
    'the state after three updates of the shortcut world under %s has the committed digest',
    async (_, controls, first, third) => {
      const run = await openSearch(controls);
      await run.update();
      const early = digestOf(await run.engine.readState());
      await run.update();
      await run.update();
      expect([early, digestOf(await run.engine.readState())]).toEqual([first, third]);
    },
  );

  test('an engine that continues from the state of another engine computes the same bits', async () => {
    const run = await openSearch({ rule: 'mt-ppo', criticUpdates: 0 });
    await run.update();
    const { metrics } = await run.update();
    const state = await run.engine.readState();
    const peer = await openSearch({ rule: 'mt-ppo', criticUpdates: 0 });
    peer.resume(state, 2, metrics.fill);
    expect(digestOf(await peer.engine.readState())).toBe(digestOf(state));
    await Promise.all([run.update(), peer.update()]);
    expect(digestOf(await peer.engine.readState())).toBe(digestOf(await run.engine.readState()));
    expect(state.critic?.updates).toBe(2);
  });
});

describe('an update of the exact engine', () => {
  test('the first minibatch has ratios of exactly 1: generation and training compute the same bits', async () => {
    const { engine, update } = await openSearch({ rule: 'mt-grpo', minibatches: 1, epochs: 1 });
    const { report, batch } = await update();
    expect(report.minibatches).toHaveLength(1);
    expect(report.minibatches[0]).toMatchObject({ klOld: 0, klOldK3: 0, targets: batch.policyTokens });
    expect(report.reference).toMatchObject({ klReferenceK1: 0, targets: batch.policyTokens });
    expect(engine.steps).toEqual({ policy: 1, critic: 0 });
  });

  test('an update uses the float64 credit of a turn rule, rounded to float32', async () => {
    const { update, plan } = await openSearch({ rule: 'mt-grpo' });
    const { report, batch } = await update();
    const { exact } = plan(batch);
    const credit = batch.groups.flatMap((_, group) => [...exact.of(group, findRule('mt-grpo')).advantage]);
    expect([...report.credit.turns]).toEqual(credit.map(Math.fround));
    expect(credit.some((advantage) => advantage !== 0)).toBe(true);
  });

  test('an update under a token rule uses critic values, and trains only the critic during criticUpdates', async () => {
    const { engine, play, plan } = await openSearch({ rule: 'mt-ppo', criticUpdates: 1 });
    const batch = await play();
    const rule = findRule('mt-ppo');
    const before = await engine.readState();
    const planned = plan(batch);
    const values = await engine.values(planned);
    const evaluated = await engine.judge(planned);
    const report = await engine.update(planned);
    const tokens = withValues(batch, values).groups.flatMap((group) => {
      return [...(rule.credit(group, planned.parameters).tokens?.advantages ?? [])];
    });
    expect([...(report.credit.tokens ?? [])]).toEqual([...Float32Array.from(normalizeTokens(tokens))]);
    expect(report.credit.values).toEqual(values);
    expect(evaluated).toEqual(report.credit);
    expect(report.minibatches).toEqual([]);
    expect(report.critic?.minibatches).toHaveLength(2);
    expect(report.critic?.minibatches.every(({ loss, gradientNorm }) => loss > 0 && gradientNorm > 0)).toBe(true);
    const after = await engine.readState();
    expect(after.parameters).toEqual(before.parameters);
    expect(engine.criticUpdates(rule)).toBe(1);
    expect(engine.criticUpdates(findRule('turn-ppo'))).toBe(0);
    expect(plan(batch).learns).toBe(true);
  });

  test('an update with a non-finite gradient does not change the parameters', async () => {
    const run = await openSearch({ rule: 'mt-grpo' });
    const batch = await run.play();
    const state = await run.engine.readState();
    const parameters = state.parameters.slice();
    parameters[run.engine.layout.at('norm').offset] = NaN;
    run.engine.writeState({ ...state, parameters });
    const plan = run.plan(batch);
    const { minibatches } = await run.engine.update(plan);
    expect(minibatches.map(({ gradientNorm }) => gradientNorm)).toEqual([NaN, NaN]);
    expect((await run.engine.readState()).parameters).toEqual(parameters);
    run.engine.writeState(state);
    expect((await run.engine.update(plan)).minibatches[1].gradientNorm).toBeGreaterThan(0);
  });

  test('an update uses the recorded log-probabilities after other sequences were generated', async () => {
    const controls = { rule: 'mt-grpo' };
    const [plain, busy] = [await openSearch(controls), await openSearch(controls)];
    await plain.update();
    const batch = await busy.play();
    busy.controls = { ...busy.controls, temperature: 2 };
    await busy.play();
    busy.controls = { ...busy.controls, temperature: 1 };
    busy.engine.recordSampled(batch.rollouts);
    await busy.engine.update(busy.plan(batch));
    expect(digestOf(await busy.engine.readState())).toBe(digestOf(await plain.engine.readState()));
  });
});

describe('calls of the exact engine', () => {
  test('engine calls take effect in order, also if they are not awaited', async () => {
    const [first, second] = [await openSearch({ rule: 'mt-grpo' }), await openSearch({ rule: 'mt-grpo' })];
    const batch = await first.play();
    const plan = first.plan(batch);
    await first.engine.update(plan);
    const expected = await first.engine.readState();
    const same = await second.play();
    const update = second.engine.update(second.plan(same));
    expect(second.engine.steps.policy).toBe(plan.minibatches.length);
    const state = second.engine.readState();
    second.engine.start(expected.reference);
    expect(digestOf(await state)).toBe(digestOf(expected));
    await update;
    expect((await second.engine.readState()).parameters).toEqual(expected.reference);
    expect(second.engine.steps.policy).toBe(0);
  });

  test('the event loop handles messages between the minibatches of an update', async () => {
    const { engine, play, plan } = await openSearch({ rule: 'mt-grpo', minibatches: 4 });
    const planned = plan(await play());
    let ticks = 0;
    let done = false;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      ticks++;
      if (!done) port2.postMessage(null);
      else port1.close();
    };
    port2.postMessage(null);
    await engine.update(planned);
    done = true;
    port2.postMessage(null);
    expect(ticks).toBeGreaterThanOrEqual(3);
  });

  test('a state of a different size throws an error', async () => {
    const { engine } = await openSmall();
    expect(() => engine.start(new Float32Array(7))).toThrow('the state has 7 numbers');
  });
});

describe('evaluation of the policy', () => {
  test('logProbabilities returns the log-probabilities with which a batch was sampled', async () => {
    const { engine, play } = await openSearch({ rule: 'mt-grpo' });
    const batch = await play();
    const sequences = policyTokens(batch, engine.config.context);
    const sampled = batch.rollouts.flatMap(({ logProb }) => [...logProb].filter((value) => !Number.isNaN(value)));
    expect([...(await engine.logProbabilities(sequences))]).toEqual(sampled);
  });

  test('gradient returns the derivative of the weighted log-probability', async () => {
    const { engine, sequences } = await openSmall();
    const { parameters } = await engine.readState();
    const gradient = await engine.gradient(sequences);
    const length = Math.sqrt(gradient.reduce((sum, slope) => sum + slope * slope, 0));
    const mean = async (distance: number) => {
      engine.start(parameters.map((value, i) => value + (distance * gradient[i]) / length));
      return (await engine.logProbabilities(sequences)).reduce((sum, logProb) => sum + logProb / 24, 0);
    };
    expect(((await mean(0.01)) - (await mean(-0.01))) / 0.02 / length).toBeCloseTo(1, 2);
  });
});

describe('imitation and value network', () => {
  test('imitation lowers the cross-entropy, and resetMoments sets the moments to 0', async () => {
    const { engine, sequences } = await openSmall();
    const step = { ...ADAMW, learningRate: 1e-2 };
    const losses: number[] = [];
    for (let i = 0; i < 8; i++) losses.push((await engine.imitate(sequences, step)).loss);
    expect(losses[7]).toBeLessThan(0.5 * losses[0]);
    expect(engine.steps.policy).toBe(8);
    const before = await engine.readState();
    engine.resetMoments();
    const after = await engine.readState();
    expect(after.steps).toBe(0);
    expect(after.firstMoment.every((value) => value === 0)).toBe(true);
    expect(after.parameters).toEqual(before.parameters);
  });

  test('a value network learns which of two sequences is better, without changing the policy', async () => {
    const { engine, sequences } = await openSmall();
    const before = await engine.readState();
    const network = await engine.trainValueNetwork(5);
    const pairs = sequences.map((sequence) => ({
      ...sequence,
      weights: Array.from(sequence.tokens, (_, at) => (at === sequence.tokens.length - 1 ? 0.5 : 0)),
    }));
    const step = { ...ADAMW, learningRate: 1e-2 };
    const first = await network.step(pairs, step);
    expect(first.loss).toBeCloseTo(Math.LN2, 1);
    for (let i = 0; i < 20; i++) await network.step(pairs, step);
    const values = await network.values(pairs);
    expect(values[0] - values[1]).toBeGreaterThan(1);
    expect(values[2] - values[3]).toBeGreaterThan(1);
    expect(network.steps).toBe(21);
    expect(await engine.readState()).toEqual(before);
    const state = await network.readState();
    const reader = engine.openValueNetwork(state.parameters);
    expect(await reader.values(pairs)).toEqual(values);
    reader.destroy();
    const copy = await engine.trainValueNetwork(6);
    copy.writeState(state);
    expect(await copy.values(pairs)).toEqual(values);
    network.destroy();
    await copy.step(pairs, step);
    expect(copy.steps).toBe(22);
    copy.destroy();
  });
});
