import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadStart } from '../../../src/cli/framework/policyFiles.ts';
import type { Terminal } from '../../../src/cli/framework/terminal.ts';
import { openWorld } from '../../../src/cli/framework/worldRuns.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import type { TruthReport } from '../../../src/training/data/truthReport.ts';
import { Trainer } from '../../../src/training/run/trainer.ts';
import { ruleText } from '../../pythonRules.ts';
import { expectClose } from '../../vectorFile.ts';
import { turnwise } from '../cli/cliTerminal.ts';
import { testDevice } from './runDevice.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-truth-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function truth(flags: string, parts: Partial<Terminal> = {}) {
  const file = join(folder, 'truth.json');
  const { code, out, err } = await turnwise(`truth ${flags} --json ${file}`, parts);
  expect(err).toContain('written to');
  return { code, out, report: JSON.parse(readFileSync(file, 'utf8')) as TruthReport & { environment: string } };
}

/** Checks the conditions that every measurement must satisfy. */
function expectComplete({ plan, groups, rules, histories, continuations }: TruthReport) {
  expect(rules.map(({ rule }) => rule)).toEqual(plan.rules);
  expect([groups.length, continuations]).toEqual([plan.groups, histories * plan.continuations]);
  for (const { turns, outcomes } of groups) {
    expect(new Set(outcomes).size).toBeGreaterThan(1);
    for (const [index, { rollout, turn, before, after, reward, advantage, rules }] of turns.entries()) {
      expect(advantage.mean).toBeCloseTo(reward + plan.counts.gamma * (after?.mean ?? 0) - before.mean, 10);
      expect(Object.keys(rules)).toEqual(plan.rules);
      const next = turns[index + 1];
      if (after) expect([next.rollout, next.turn, next.before]).toEqual([rollout, turn + 1, after]);
      else if (plan.counts.kind === 'outcome') expect(reward).toBe(outcomes[rollout]);
    }
    // All rollouts start from the same history, which has one value.
    const first = turns.filter(({ turn }) => turn === 0);
    expect(first.map(({ before }) => before)).toEqual(first.map(() => first[0].before));
  }
}

test('truth compares every turn of the Repository environment with its continuations', async () => {
  const flags = '--environment repo --rules grpo-or,rtmc --groups 1 --continuations 3 --groupSize 4 --gradientGroups 4';
  const { code, out, report } = await truth(flags);
  expect([code, report.environment]).toEqual([0, 'repo']);
  expectComplete(report);
  expect(out).toMatch(/^rule +correlation +minus grpo-or.*\ngrpo-or .*\nrtmc /);
  expect(report.gradients?.rules.map(({ rule }) => rule)).toEqual(['grpo-or', 'rtmc', 'truth']);
  for (const { cosines } of report.gradients?.rules ?? []) expect(Math.abs(cosines[0])).toBeGreaterThan(1e-3);
  expect(out).toContain('Return: the outcome, not discounted. 1 groups');
});

test('truth continues each turn of Repair from a separate prompt', async () => {
  const { report } = await truth(
    '--environment repair --rules grpo-mt,verpo,murphy-mars --groups 2 --continuations 3 --groupSize 4 --gradientGroups 0',
  );
  expectComplete(report);
  expect(report).not.toHaveProperty('partial');
  expect(report.gradients).toBeUndefined();
  expect(report.groups.some(({ turns }) => turns.some(({ turn }) => turn === 1))).toBe(true);
});

test('truth in Search includes turn rewards if requested, and the last turn has no continuation', async () => {
  const flags =
    '--rules mt-grpo --groups 2 --continuations 4 --groupSize 4 --gradientGroups 2 --return rewards --discount 0.9 --ties keep';
  const { report } = await truth(flags);
  // The same seed gives the same numbers.
  expect((await truth(flags)).report).toEqual(report);
  expect(report.groups.map(({ turns }) => turns.length)).toEqual([8, 8]);
  for (const { turn, reward, before, after, advantage } of report.groups.flatMap(({ turns }) => turns)) {
    expect(after === undefined).toBe(turn === 1);
    expect(advantage.mean).toBeCloseTo(reward + 0.9 * (after?.mean ?? 0) - before.mean, 10);
  }
  // Searching and skipping have different immediate rewards.
  expect(report.groups.some(({ turns }) => turns.some(({ turn, reward }) => turn === 0 && reward !== 0))).toBe(true);
});

test('truth in Search measures trees turn by turn, and rules for chains read each path of a tree', async () => {
  const layout = '--set maxTurns=4,rule=mt-grpo-exact,groupSize=3,branches=2,absent=zero';
  const flags = `--world open --rules mt-grpo-exact,mt-grpo --groups 3 --continuations 3 --gradientGroups 0 ${layout}`;
  const { report } = await truth(flags);
  expect([report.groups.length, report.continuations]).toEqual([3, 3 * report.histories]);
  for (const { turns, outcomes } of report.groups) {
    expect(new Set(turns.map(({ forestTurn }) => forestTurn)).size).toBe(turns.length);
    expect(turns.filter(({ turn }) => turn === 0).length).toBe(3);
    expect(turns.filter(({ after }) => after === undefined).length).toBe(outcomes.length);
  }
  const turns = report.groups.flatMap((group) => group.turns);
  expect(report.groups.some(({ outcomes }) => outcomes.length > 3)).toBe(true);
  const differ = ({ rules }: (typeof turns)[number]) =>
    Math.abs(Number(rules['mt-grpo-exact']) - Number(rules['mt-grpo'])) > 1e-3;
  expect(turns.some(differ)).toBe(true);
  expect(turns.every(({ rules }) => Object.values(rules).every((value) => Number.isFinite(value)))).toBe(true);
});

test('truth has the same results for a built-in rule and for its copy in a file', async () => {
  const rule = join(folder, 'copy.py');
  writeFileSync(rule, ruleText('mt-grpo'));
  const flags = `--rules mt-grpo,${rule} --groups 2 --continuations 2 --groupSize 4 --gradientGroups 2 --ties keep`;
  const { code, out, report } = await truth(flags);
  expect(code).toBe(0);
  expect(out).toMatch(/copy\.py#[0-9a-f]{8} /);
  const [built, custom] = report.rules;
  expect(custom.correlation.value).toBeCloseTo(built.correlation.value, 9);
  expect([custom.clear, custom.wrong, custom.silent]).toEqual([built.clear, built.wrong, built.silent]);
  expect(custom.ahead.value).toBeCloseTo(0, 9);
});

test('truth measures a rule with the critic of a checkpoint, and reports an error without a checkpoint', async () => {
  const savedPath = join(folder, 'critic.json');
  const trained = await turnwise(
    `train --rule turn-ppo --steps 2 --set criticUpdates=2,questions=2,groupSize=4 --save ${savedPath}`,
  );
  expect(trained.code, trained.err).toBe(0);
  const flags = '--rules turn-ppo,grpo-mr --groups 2 --continuations 3 --groupSize 4 --gradientGroups 0';
  const { report } = await truth(`${flags} --checkpoint ${savedPath}`);
  expectComplete(report);
  const turns = report.groups.flatMap((group) => group.turns);
  expect(new Set(turns.map(({ rules }) => rules['turn-ppo'])).size).toBeGreaterThan(turns.length / 2);
  const without = await turnwise(`truth ${flags}`);
  expect([without.code, without.err]).toEqual([1, expect.stringContaining('the rule turn-ppo needs a critic')]);
  const tokens = await turnwise('truth --rules mt-ppo --groups 2');
  expect([tokens.code, tokens.err]).toEqual([2, expect.stringContaining('mt-ppo')]);
});

test('truth measures a rule with a critic on each path of a tree separately', async () => {
  const savedPath = join(folder, 'repair.json');
  const critic = 'train --environment repair --rule turn-ppo --steps 2 --set criticUpdates=2,programs=8';
  expect((await turnwise(`${critic} --save ${savedPath}`)).code).toBe(0);
  const flags = '--rules turn-ppo,grpo-mt --groups 1 --continuations 2 --gradientGroups 0';
  const { report } = await truth(`--environment repair --set rule=murphy-mars --checkpoint ${savedPath} ${flags}`);
  for (const { rules } of report.groups[0].turns) expect(rules['turn-ppo']).toEqual(expect.any(Number));
});

test('truth prints no report if Ctrl-C stops it before a group is complete', async () => {
  const signal = AbortSignal.abort();
  const { code, out } = await turnwise('truth --groups 1 --continuations 2 --groupSize 4', { signal });
  expect([code, out]).toEqual([130, '']);
});

test('Trainer.gradient returns the gradient of an update, and does not change the state of the engine', async () => {
  const configuration = defaultConfiguration('search');
  const controls = { ...configuration.controls, questions: 2, groupSize: 4, minibatches: 1, epochs: 1 };
  const opened = await openWorld(configuration);
  const trainer = await Trainer.create(await testDevice(), opened.environment, 3, controls, { sequences: 16 });
  const { state } = loadStart(opened.world, undefined);
  trainer.load(state, 0);
  const { batch, metrics, credit } = await trainer.update();
  const [{ gradientNorm }, { turns }] = [await metrics, await credit];
  trainer.load(state, 0);
  const before = await trainer.engine.readState();
  const gradient = await trainer.measurer.gradient(batch, turns);
  expect(Math.hypot(...gradient) / (gradientNorm as number)).toBeCloseTo(1, 3);
  expect(await trainer.engine.readState()).toEqual(before);
  // The gradient of the first turn and the gradient of all other turns add up.
  const parts = [
    turns.map((advantage, at) => (at === 0 ? advantage : 0)),
    turns.map((advantage, at) => (at === 0 ? 0 : advantage)),
  ];
  const [first, rest] = [
    await trainer.measurer.gradient(batch, parts[0]),
    await trainer.measurer.gradient(batch, parts[1]),
  ];
  expect(Math.hypot(...first)).toBeGreaterThan(0);
  expectClose(
    [...first].map((slope, at) => slope + rest[at]),
    [...gradient],
    1e-4,
  );
  expect(
    Math.hypot(
      ...(await trainer.measurer.gradient(
        batch,
        turns.map(() => 0),
      )),
    ),
  ).toBe(0);
  trainer.destroy();
});

test('truth marks the report of a stopped measurement as partial, and saves its complete groups', async () => {
  const stop = new AbortController();
  let batches = 0;
  const err = (text: string) => {
    if (text.includes('batches') && ++batches === 4) stop.abort();
    if (text.startsWith('stopped: ')) message = text;
  };
  let message = '';
  const file = join(folder, 'part.json');
  const flags = '--rules mt-grpo --groups 8 --continuations 64 --groupSize 4 --gradientGroups 0 --ties keep';
  const parts = { err, interactive: true, signal: stop.signal };
  const { code } = await turnwise(`truth ${flags} --json ${file}`, parts);
  const report = JSON.parse(readFileSync(file, 'utf8'));
  expect([code, report.partial, report.plan.groups]).toEqual([130, true, 8]);
  expect(report.groups.length).toBeGreaterThan(0);
  expect(report.groups.length).toBeLessThan(8);
  expect(message).toBe(`stopped: ${report.groups.length} of 8 groups are complete\n`);
});
