import { describe, expect, test } from 'vitest';
import { measureDisplayedGroup, roundsOf } from '../../../../src/experiments/truth/measureSelected.ts';
import { correlation } from '../../../../src/experiments/truth/trueAdvantages.ts';
import { childrenOf } from '../../../../src/rollouts/forest.ts';
import type { TruthRequest } from '../../../../src/training/data/truthReport.ts';
import type { DisplayedGroup, MeasuringHooks } from '../../../../src/training/worker/measuring.ts';
import { CertainGenerator, createSmallTrainer, PROMPTS, REPLIES, SEQUENCES } from '../../training/smallTrainer.ts';

const REQUEST: TruthRequest = {
  ...{ rules: ['grpo-or', 'grpo-step'], continuations: 120, gradientGroups: 0 },
  counts: { kind: 'outcome', gamma: 1, bonus: 0 },
};

/** Creates hooks that record progress and stop after `stopAfter` batches. */
function watch(stopAfter = Infinity) {
  const stop = new AbortController();
  const progress: string[] = [];
  let clock = 0;
  const hooks: MeasuringHooks = {
    async progress({ stage, done, total, report }) {
      progress.push(`${stage} ${done}/${total}${report ? ` ${report.groups[0].turns.length}` : ''}`);
      if (!report && done >= stopAfter) stop.abort();
    },
    signal: stop.signal,
    now: () => (clock += 400),
  };
  return { hooks, progress };
}

async function sampleGroup(
  world: ReturnType<typeof createSmallTrainer>,
  branching: readonly number[],
  group = 0,
): Promise<DisplayedGroup> {
  const batch = await world.trainer.play([0, 1, 2], 3, { branching });
  return { batch, group, controls: { rule: 'grpo-or', groupSize: 6 }, sampleOnly: false };
}

describe('a displayed group', () => {
  test('each turn of a displayed group is measured from the returns of continuations', async () => {
    // V of the first, second and third turn, as in continuations.test.ts.
    const goOn = 64 / 125;
    const values = [2 - goOn * 2.5 + goOn * (2 - goOn * 2.5 + goOn * 2), 2 - goOn * 2.5 + goOn * 2, 2];
    const world = createSmallTrainer(REPLIES);
    const displayed = await sampleGroup(world, [6, 1]);
    const { hooks, progress } = watch();
    const report = await measureDisplayedGroup(world.trainer, displayed, REQUEST, hooks);
    expect(report?.selectedGroup).toMatchObject({ step: 0, policyStep: 5, group: displayed.group, refused: [] });
    const turns = report?.groups[0].turns ?? [];
    expect(turns.length).toBe(displayed.batch.groups[displayed.group].turns.length);
    for (const { turn, before, summary, rollout } of turns) {
      expect(summary).toContain(`task ${displayed.group}, turn ${turn}`);
      expect(Math.abs(before.mean - values[turn])).toBeLessThan(4.5 * before.error);
      expect(
        displayed.batch.trajectories.filter(({ group }) => group === displayed.group)[rollout].turns[turn].summary,
      ).toBe(summary);
    }
    expect(report?.continuations).toBe(120 * (report?.histories ?? NaN));
    const advantages = turns.map(({ rules }) => rules['grpo-or'] as number);
    const truth = turns.map(({ advantage }) => advantage.mean);
    expect(report?.rules[0].correlation.value).toBeCloseTo(correlation(advantages, truth), 12);
    // Each batch is reported, up to the last batch. Interim results contain all turns after the first round.
    const counts = progress.filter((line) => /\d$/.test(line) && line.split(' ').length === 2);
    expect(counts.at(-1)).toBe(`continuations ${counts.length}/${counts.length}`);
    const reports = progress.filter((line) => line.split(' ').length === 3);
    expect(reports.length).toBeGreaterThan(0);
    expect(reports.every((line) => line.endsWith(` ${turns.length}`))).toBe(true);
  });

  test('a displayed group is measured with the current policy under the controls of its step', async () => {
    const world = createSmallTrainer(PROMPTS, new CertainGenerator(SEQUENCES));
    const { batch, ...displayed } = await sampleGroup(world, [4, 1]);
    const request = { ...REQUEST, continuations: 5, gradientGroups: 4 };
    const certain = await measureDisplayedGroup(world.trainer, { ...displayed, batch }, request, watch().hooks);
    expect(certain?.groups[0].turns.every(({ before }) => before.mean === 3)).toBe(true);
    expect(certain?.gradients?.rules.map(({ rule }) => rule)).toEqual(['grpo-or', 'grpo-step', 'truth']);
    // The same request gives the same numbers.
    const again = await measureDisplayedGroup(world.trainer, { ...displayed, batch }, request, watch().hooks);
    expect(again).toEqual(certain);
  });

  test('each turn of a displayed tree is measured once, and rules of trajectories are refused', async () => {
    const world = createSmallTrainer(REPLIES);
    const displayed = await sampleGroup(world, [4, 2]);
    const forest = displayed.batch.groups[displayed.group];
    expect(childrenOf(forest).some(({ length }) => length > 1)).toBe(true);
    const request = { ...REQUEST, rules: ['grpo-or', 'murphy-mars', 'murphy-mers'], continuations: 40 };
    const report = await measureDisplayedGroup(world.trainer, displayed, request, watch().hooks);
    expect(report?.groups[0].turns.map(({ forestTurn }) => forestTurn).sort((a, b) => a - b)).toEqual([
      ...forest.turns.keys(),
    ]);
    expect(report?.plan.rules).toEqual(['murphy-mars', 'murphy-mers']);
    expect(report?.selectedGroup?.refused).toMatchObject([
      { rule: 'grpo-or', problem: expect.stringContaining('turn') },
    ]);
    await expect(
      measureDisplayedGroup(world.trainer, displayed, { ...request, rules: ['grpo-or'] }, watch().hooks),
    ).rejects.toThrow(/^no rule can read this group: grpo-or: turn/);
  });

  test('a measurement refuses rules with an untrained critic and rules with token advantages', async () => {
    const world = createSmallTrainer(REPLIES);
    const displayed = await sampleGroup(world, [4, 1]);
    const requested: string[][] = [];
    const trainer: typeof world.trainer = {
      ...world.trainer,
      valuedBy: async (rules) => {
        requested.push([...rules]);
        throw new RangeError('no critic');
      },
    };
    const request = { ...REQUEST, rules: ['grpo-or', 'turn-ppo', 'mt-ppo'], continuations: 8 };
    const report = await measureDisplayedGroup(trainer, displayed, request, watch().hooks);
    expect(requested).toEqual([['grpo-or', 'turn-ppo']]);
    expect(report?.plan.rules).toEqual(['grpo-or']);
    expect(report?.selectedGroup?.refused).toEqual([
      { rule: 'turn-ppo', problem: 'it needs a critic, and no critic was trained here' },
      { rule: 'mt-ppo', problem: 'each token has its own advantage under it' },
    ]);
  });

  test('a measurement of selected turns continues only the states around them', async () => {
    const world = createSmallTrainer(REPLIES);
    const displayed = await sampleGroup(world, [6, 1]);
    const chosen = [displayed.batch.groups[displayed.group].turns.length - 1];
    const report = await measureDisplayedGroup(world.trainer, displayed, { ...REQUEST, turns: chosen }, watch().hooks);
    expect(report?.groups[0].turns.map(({ forestTurn }) => forestTurn)).toEqual(chosen);
    expect(report?.histories).toBe(1);
    expect(report?.selectedGroup).toMatchObject({
      chosen: 1,
      turns: displayed.batch.groups[displayed.group].turns.length,
    });
    const beyond = measureDisplayedGroup(world.trainer, displayed, { ...REQUEST, turns: [0, 99] }, watch().hooks);
    await expect(beyond).rejects.toThrow('no turn 99');
  });

  test('a stopped measurement returns the results that are complete', async () => {
    const world = createSmallTrainer(REPLIES);
    const displayed = await sampleGroup(world, [20, 1]);
    const some = watch(1);
    const request = { ...REQUEST, continuations: 16, gradientGroups: 40 };
    const report = await measureDisplayedGroup(world.trainer, displayed, request, some.hooks);
    expect(some.progress).toHaveLength(1);
    expect(report?.continuations).toBe(SEQUENCES);
    const { length } = report?.groups[0].turns ?? [];
    expect([length > 0, length < displayed.batch.groups[displayed.group].turns.length]).toEqual([true, true]);
    // A measurement that stops before the gradients returns no gradients.
    const { progress, hooks } = watch();
    await measureDisplayedGroup(world.trainer, displayed, request, hooks);
    const batches = progress.filter((line) => /^continuations \d+\/\d+$/.test(line)).length;
    const late = await measureDisplayedGroup(
      world.trainer,
      displayed,
      { ...REQUEST, gradientGroups: 40 },
      watch(batches).hooks,
    );
    expect(late?.groups[0].turns.length).toBe(displayed.batch.groups[displayed.group].turns.length);
    expect(late?.gradients).toBeUndefined();
    expect(
      await measureDisplayedGroup(world.trainer, displayed, REQUEST, { ...hooks, signal: AbortSignal.abort() }),
    ).toBeUndefined();
  });

  test('rounds of a measurement fill a batch and have at least eight continuations, except the last round', () => {
    expect([roundsOf(32, 3), roundsOf(20, 1), roundsOf(64, 29)]).toEqual([
      [8, 8, 8, 8],
      [8, 8, 4],
      [29, 29, 6],
    ]);
  });
});
