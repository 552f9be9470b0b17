import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { groupJsonLine } from '../../../src/app/runs/runFiles.ts';
import { findRule } from '../../../src/credit/rules.ts';
import type { UsedCredit } from '../../../src/engine/updatePlan.ts';
import { decisionIndex } from '../../../src/environments/search/vocabulary.ts';
import { normalizeTokens } from '../../../src/objective/objective.ts';
import type { PolicyState } from '../../../src/policy/policy.ts';
import { parameterLayout } from '../../../src/policy/weights.ts';
import type { Group } from '../../../src/rollouts/forest.ts';
import type { RolloutBatch } from '../../../src/rollouts/rolloutBatch.ts';
import { defaultConfiguration, OFFERED } from '../../../src/training/data/configurationTables.ts';
import type { Metrics, SavedRun } from '../../../src/training/data/protocol.ts';
import { NonFiniteError, Run } from '../../../src/training/run/run.ts';
import { ExactCredit, runParameters } from '../../../src/training/update/planUpdate.ts';
import { decidingCredit } from '../../../src/training/update/updateMetrics.ts';
import { groupView } from '../../../src/training/worker/groupViews.ts';
import { type ReferenceTensors, referenceTokens } from '../../reference/network.ts';
import { loadPolicy } from '../../searchPolicy.ts';
import { timeless } from '../../timeless.ts';
import { expectClose } from '../../vectorFile.ts';
import { turnwise } from '../cli/cliTerminal.ts';
import { float64Advantages } from './float64Advantages.ts';
import { testDevice } from './runDevice.ts';

const base = defaultConfiguration();
const { state } = loadPolicy(base.settings);
const runs: Run[] = [];
const folder = mkdtempSync(join(tmpdir(), 'turnwise-ppo-'));
afterAll(() => rmSync(folder, { recursive: true }));

afterEach(() => {
  for (const run of runs.splice(0)) run.destroy();
});

/** Returns the tensors of the critic of a run. */
async function criticTensors({ trainer: { engine } }: Run): Promise<ReferenceTensors> {
  const { critic } = await engine.readState();
  if (!critic) throw new Error('there is no critic');
  return Object.fromEntries(
    parameterLayout({ ...engine.config, valueHead: true }).tensors.map(({ name, offset, size }) => {
      return [name, Float64Array.from(critic.parameters.subarray(offset, offset + size))];
    }),
  );
}

/** Starts a run with two questions of four rollouts, from the shipped warm start or from a saved run. */
async function open(controls: Record<string, number | string>, saved?: SavedRun): Promise<Run> {
  const small = { questions: 2, groupSize: 4, ...controls };
  const run = await Run.create(await testDevice(), { ...base, controls: { ...base.controls, ...small } });
  runs.push(run);
  if (saved) run.resume(saved);
  else run.beginWith(state as PolicyState);
  return run;
}

async function step(run: Run): Promise<{ batch: RolloutBatch; metrics: Metrics; credit: UsedCredit }> {
  const { batch, metrics, credit } = await run.update();
  return { batch, metrics: await metrics, credit: await credit };
}

describe('advantages of an update', () => {
  const turnRules = OFFERED.search.filter((name) => findRule(name).unit === 'turn');
  const tokenRules = OFFERED.search.filter((name) => findRule(name).unit === 'token');

  test.each(turnRules)('the advantages of an update under %s are those of the float64 rule', async (name) => {
    const run = await open({ rule: name });
    const { batch, credit, metrics } = await step(run);
    const rule = findRule(name);
    const parameters = runParameters(rule, run.trainer.controls, run.trainer.environment.maxTurns);
    const exact = float64Advantages(batch.groups, rule, parameters);
    expectClose(credit.turns, exact, 1e-4);
    expect(credit.tokens).toBeUndefined();
    const first = batch.rollouts.map(({ turns }) => Math.abs(exact[turns[0].forestTurn]));
    expect(metrics.advantageFirst).toBeCloseTo(first.reduce((sum, value) => sum + value, 0) / first.length, 4);
  });

  test.each(tokenRules)(
    'the token advantages of an update under %s are GAE of critic values, normalised over the batch',
    async (name) => {
      const run = await open({ rule: name, criticUpdates: 1 });
      await step(run);
      const { controls } = run.trainer;
      const { engine } = run.trainer;
      const criticConfig = { ...engine.config, valueHead: true };
      const tensors = await criticTensors(run);
      const { batch, credit, metrics } = await step(run);
      const rule = findRule(name);
      const before = rule.sharesInTurn ? 'turn' : 'token';
      const valued = withValues(batch, tensors, criticConfig, before);
      const parameters = runParameters(rule, controls, 2);
      expect(parameters).toEqual(name === 'turn-ppo' ? { gamma: 0.99, lambda: 0.9 } : { gamma: 1, lambda: 0.95 });
      const credits = valued.map((group) => rule.credit(group, parameters));
      const exact = normalizeTokens(credits.flatMap(({ tokens }) => [...(tokens?.advantages ?? [])]));
      expect(credit.tokens?.length).toBe(batch.policyTokens);
      expectClose(credit.tokens ?? [], exact, 1e-3);
      expectClose(
        credit.values ?? [],
        valued.flatMap(({ turns }) => turns.flatMap(({ values = [] }) => values)),
        1e-3,
      );
      // A measurement after the update uses the values of the current critic.
      const batchToMeasure = await run.trainer.measurer.evaluate(2, 'train');
      const measured = await run.trainer.measurer.valuedBy(['grpo-or', name], batchToMeasure);
      const known = withValues(batchToMeasure, await criticTensors(run), criticConfig, before);
      const listed = (groups: typeof known) =>
        groups.flatMap(({ turns }) => turns.flatMap(({ values = [] }) => values));
      expectClose(listed(measured.groups as typeof known), listed(known), 1e-3);
      expect(measured.forest.groups).toBe(measured.groups);
      // The `credit` command computes the credit of the run from the data that the page exports.
      const file = join(folder, `${name}.jsonl`);
      const updateBatch = { batch, controls, credit, exact: new ExactCredit(batch, controls, 2) };
      const views = batch.groups.map((_, group) => groupView(updateBatch, group, run.trainer.environment));
      writeFileSync(file, views.map(groupJsonLine).join(''));
      const { gamma, lambda } = parameters;
      const again = await turnwise(`credit --rule ${name} --set gamma=${gamma},lambda=${lambda} --device cpu ${file}`);
      expect([again.code, again.err]).toEqual([0, '2 groups\n']);
      const lines = again.out.trim().split('\n');
      const derivedLines = lines.flatMap((line) => JSON.parse(line).advantages.flat() as number[]);
      expectClose(credit.tokens ?? [], normalizeTokens(derivedLines), 1e-4);
      // The advantage of a turn is the mean over its tokens.
      let token = 0;
      const means = batch.groups.flatMap(({ turns }) =>
        turns.map(({ tokens = 0 }) => {
          const turnAdvantages = exact.subarray(token, token + tokens);
          token += tokens;
          return turnAdvantages.reduce((sum, value) => sum + value, 0) / tokens;
        }),
      );
      expectClose(credit.turns, means, 1e-3);
      // The credit of a decision is the advantage of the deciding token, not the mean of its turn.
      const deciding = decidingCredit(batch, credit, decisionIndex);
      const total = batch.rollouts.reduce((sum, { turns }) => sum + deciding[turns[0].forestTurn], 0);
      const reported = Object.entries(metrics.decision ?? {}).filter(([key]) => key.endsWith('Credit'));
      expect(reported.reduce((sum, [, value]) => sum + (value ?? 0), 0)).toBeCloseTo(total, 4);
      expect(metrics.explainedVariance).toBeLessThan(1);
      expect(metrics.degenerate).toBe(0);
    },
  );

  /**
   * Returns the groups with the values of a critic, computed in float64.
   * @param before `turn`: all tokens of a turn have the value before the turn
   */
  function withValues(
    { groups, rollouts, rolloutOffset }: RolloutBatch,
    tensors: ReferenceTensors,
    config: Parameters<typeof referenceTokens>[0],
    before: 'turn' | 'token',
  ): Group[] {
    return groups.map((group, index) => {
      const groupRollouts = rollouts.slice(rolloutOffset[index], rolloutOffset[index + 1]);
      const values = groupRollouts.flatMap(({ tokens, turnOf, turns }) => {
        const outputs = referenceTokens(config, tensors, [...tokens]);
        return turns.map((_, turn) => {
          const first = turnOf.indexOf(turn);
          const at = (t: number) => outputs[(before === 'turn' ? first : t) - 1].value;
          return [...turnOf].flatMap((of, t) => (of === turn ? at(t) : []));
        });
      });
      return { ...group, turns: group.turns.map((turn, at) => ({ ...turn, values: values[at] })) };
    });
  }
});

describe('a switch to PPO', () => {
  test('the policy waits for criticUpdates updates of the critic after each switch to a PPO rule', async () => {
    const run = await open({ rule: 'mt-grpo', criticUpdates: 2 });
    const { engine } = run.trainer;
    const rows: { rule: string; moved: boolean; metrics: Metrics }[] = [];
    const train = async (rule: string, updates: number) => {
      run.change({ rule });
      for (let i = 0; i < updates; i++) {
        const before = engine.steps.policy;
        const { metrics } = await step(run);
        rows.push({ rule, moved: engine.steps.policy > before, metrics });
      }
    };
    await train('mt-grpo', 1);
    expect((await engine.readState()).critic).toBeUndefined();
    await train('mt-ppo', 3);
    await train('grpo-or', 1);
    await train('mt-ppo', 3);
    await train('ppo-or', 1);
    expect(rows.map(({ rule, moved }) => `${rule} ${moved ? 'moves' : 'waits'}`)).toEqual([
      ...['mt-grpo moves', 'mt-ppo waits', 'mt-ppo waits', 'mt-ppo moves', 'grpo-or moves'],
      // Critic updates under another rule, or before an update without the critic, do not shorten the wait.
      ...['mt-ppo waits', 'mt-ppo waits', 'mt-ppo moves', 'ppo-or waits'],
    ]);
    for (const { rule, moved, metrics } of rows) {
      const critic = rule.includes('ppo');
      expect(metrics.valueLoss === null).toBe(!critic);
      expect(metrics.explainedVariance === null).toBe(!critic);
      expect(metrics.gradientNorm === null).toBe(!moved);
      expect(metrics.loss === null).toBe(!moved);
      expect(metrics.decision === null).toBe(!moved);
      if (!moved) expect([metrics.klOld, metrics.clipLow, metrics.clipHigh]).toEqual([0, 0, 0]);
    }
  });

  test('a run that was saved before the critic, during the wait of the policy or after it resumes exactly', async () => {
    const controls = { rule: 'mt-grpo', criticUpdates: 2, epochs: 2, valueClip: 0.2 };
    const original = await open(controls);
    const saved: SavedRun[] = [];
    const rows: Metrics[] = [];
    for (let index = 0; index < 6; index++) {
      if (index === 1) original.change({ rule: 'mt-ppo' });
      if (index === 5) original.change({ rule: 'grpo-or' });
      rows.push((await step(original)).metrics);
      saved.push(await original.save());
    }
    for (const from of [0, 1, 3]) {
      const again = await open(controls, saved[from]);
      expect((await again.trainer.engine.readState()).critic === undefined).toBe(from === 0);
      // A sample that is only displayed does not affect the run.
      if (from === 0) again.change({ rule: 'mt-ppo' });
      const sample = await again.trainer.measurer.sample(0);
      expect((await again.trainer.measurer.judge(sample)).credit.tokens?.length).toBe(sample.policyTokens);
      for (let index = from + 1; index < 6; index++) {
        if (index === 5) again.change({ rule: 'grpo-or' });
        const { metrics } = await step(again);
        expect(timeless(metrics), `step ${index} from ${from}`).toEqual(timeless(rows[index]));
      }
      const end = await again.save();
      expect(Buffer.from(end.checkpoint).equals(Buffer.from(saved[5].checkpoint)), `from ${from}`).toBe(true);
    }
  });
});

test('a critic loss that is not finite stops the run and leaves the policy unchanged', async () => {
  const run = await open({ rule: 'mt-ppo', criticUpdates: 0 });
  await step(run);
  const { engine } = run.trainer;
  const state = await engine.readState();
  if (!state.critic) throw new Error('there is no critic');
  const parameters = state.critic.parameters.slice();
  parameters[parameterLayout({ ...engine.config, valueHead: true }).at('valueHead').offset] = Number.NaN;
  engine.writeState({ ...state, critic: { ...state.critic, parameters } });
  const { metrics } = await run.update();
  await expect(metrics).rejects.toThrow(NonFiniteError);
  await expect(metrics).rejects.toThrow("update 1: the critic's loss is not finite");
  expect((await engine.readState()).parameters).toEqual(state.parameters);
});
