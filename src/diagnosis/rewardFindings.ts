import type { FlatReason } from '../rollouts/flatGroups.ts';
import type { Evidence } from './diagnosis.ts';
import { type Finding, three } from './finding.ts';
import type { Sum } from './stepNumbers.ts';
import { ends, trend } from './trends.ts';

/** Minimum number of steps for a trend. */
const LEAST_STEPS = 5;
/**
 * Thresholds of a farmed component: change of means relative to the component's range, and rank correlations with the
 * steps.
 */
const RISE = 0.15;
const RISING = 0.8;
const FALLING = -0.6;
/** Minimum share and number of groups without signal for a finding. Solved groups do not count. */
const WITHOUT_SIGNAL = 0.5;
const LEAST_GROUPS = 5;
/** Minimum share of truncated rollouts in the last steps, and minimum number of rollouts in these steps. */
const TRUNCATED = 0.3;
const LEAST_TRUNCATED = 16;
/** Minimum number of rollouts and of groups for a finding about a component that is always 0. */
const LEAST_CONSTANT = { rollouts: 64, groups: 8 };
/** Names of components that are 0 in a healthy run. */
const PENALTY = /penal|error|limit|length|repeat|cost|num_|fail|trunc/i;

/** Returns findings about components of the reward that rise while the rest of the reward falls. */
export function farmedComponents({ steps: all, totals }: Evidence): readonly Finding[] {
  const steps = all.filter(({ step }) => step !== null);
  if (steps.length < LEAST_STEPS || !totals.componentsAddUp || totals.componentRanges.size < 2) return [];
  return [...totals.componentRanges].flatMap(([name, { minimum, maximum }]): Finding[] => {
    const values = steps.map(({ components }) => components.get(name)?.mean ?? 0);
    const rests = steps.map(({ rests }) => rests.get(name)?.mean ?? 0);
    const [value, rest] = [change(values), change(rests)];
    const range = maximum - minimum;
    if (range === 0 || value.last - value.first < RISE * range || trend(values) < RISING) return [];
    if (rest.first - rest.last < RISE * range || trend(rests) > FALLING) return [];
    const lastStep = steps[steps.length - 1];
    return [
      {
        kind: 'component-farmed',
        confidence: 'medium',
        title: `The component ${name} rises while the rest of the reward falls`,
        evidence: [
          `${name} changes from ${three(value.first)} to ${three(value.last)}, the rest of the reward from ${three(rest.first)} to ${three(rest.last)}.`,
        ],
        next: `Read late groups with a high ${name}, and lower its weight or pay it only together with a solved task.`,
        groups: lastStep.widest ? [lastStep.widest.id] : [],
      },
    ];
  });
}

function change(values: readonly number[]): { first: number; last: number } {
  const mean = (part: readonly number[]) => part.reduce((sum, value) => sum + value, 0) / part.length;
  const { first, last } = ends(values);
  return { first: mean(first), last: mean(last) };
}

/** Returns findings about tied groups, truncated rollouts and constant components. */
export function rewardFindings(evidence: Evidence): readonly Finding[] {
  return [...withoutSignal(evidence), ...truncated(evidence), ...constantComponents(evidence)];
}

const REMEDY: Readonly<Record<FlatReason, string>> = {
  'all ended in an error': 'read the errors of the environment first',
  'none has a reward': 'check that the reward function returns a number',
  'one rollout alone': 'sample at least two rollouts of a prompt, or use a rule with a critic',
  'all reached the limit of turns': 'raise the limit of turns or tokens',
  'all solved': 'use harder tasks',
  'all failed': 'use easier tasks, or pay for partial progress',
  'all got the same reward': 'check that the reward differs between rollouts',
};

function withoutSignal({ totals }: Evidence): readonly Finding[] {
  const { groups, rollouts, ties, tieExamples, tiedRollouts } = totals;
  const solved = ties.get('all solved') ?? 0;
  const tied = [...ties.values()].reduce((sum, count) => sum + count, 0);
  if (groups < LEAST_GROUPS || (tied - solved) / groups < WITHOUT_SIGNAL) return [];
  const reasons = [...ties].sort(([, a], [, b]) => b - a);
  const [main] = reasons.filter(([reason]) => reason !== 'all solved');
  return [
    {
      kind: 'groups-without-signal',
      confidence: 'high',
      title: `${tied} of ${groups} groups teach nothing under rules that compare rollouts`,
      evidence: [
        `Reasons: ${reasons.map(([reason, count]) => `${count} ${reason}`).join(', ')}.`,
        `${tiedRollouts} of ${rollouts} rollouts are in these groups.`,
      ],
      next: `The most frequent reason is "${main[0]}": ${REMEDY[main[0]]}.`,
      groups: [...tieExamples].flatMap(([reason, id]) => (reason === main[0] ? [id] : [])),
    },
  ];
}

function truncated({ steps }: Evidence): readonly Finding[] {
  const { first, last } = ends(steps);
  const pooled = (part: typeof steps) => ({
    hits: part.reduce((sum, step) => sum + step.truncated, 0),
    of: part.reduce((sum, { rollouts }) => sum + rollouts, 0),
  });
  const [before, after] = [pooled(first), pooled(last)];
  if (after.of < LEAST_TRUNCATED || after.hits / after.of < TRUNCATED) return [];
  const since = steps.length > 1 ? `; in the first steps ${three(before.hits / before.of)}` : '';
  return [
    {
      kind: 'truncated',
      confidence: 'medium',
      title: 'Many rollouts end at a limit of turns or tokens',
      evidence: [`The share of truncated rollouts is ${three(after.hits / after.of)} in the last steps${since}.`],
      next: 'Raise the limit, or leave truncated rollouts out of the loss: their reward judges an unfinished rollout.',
      groups: last.flatMap(({ widest }) => widest?.id ?? []).slice(0, 2),
    },
  ];
}

function constantComponents({ totals, steps }: Evidence): readonly Finding[] {
  const { componentRanges, componentsAddUp, groups } = totals;
  if (!componentsAddUp || componentRanges.size < 2 || groups < LEAST_CONSTANT.groups) return [];
  const names = [...componentRanges].flatMap(([name, { minimum, maximum, count }]) =>
    minimum === 0 && maximum === 0 && count >= LEAST_CONSTANT.rollouts && !PENALTY.test(name) ? [name] : [],
  );
  const total = (name: string) =>
    steps.reduce((sum, { components }) => sum + ((components.get(name) as Sum)?.count ?? 0), 0);
  return names.map((name) => ({
    kind: 'component-constant',
    confidence: 'medium',
    title: `The component ${name} is always 0`,
    evidence: [`${name} is 0 in all ${total(name)} rollouts that have it, so it changes no advantage.`],
    next: `Call the reward function ${name} on a rollout that deserves the reward.`,
    groups: [],
  }));
}
