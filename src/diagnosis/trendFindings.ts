import type { FlatReason } from '../rollouts/flatGroups.ts';
import { type Evidence, type Finding, type StepSums, type Sum, three } from './diagnosis.ts';
import { ANY_CALL, WITHOUT_CALL } from './turnKinds.ts';

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

/** Minimum number of steps, and minimum number of rollouts at each end of a run. */
const LEAST_TOOL_STEPS = 4;
const LEAST_ROLLOUTS = 8;
/** Minimum initial share of rollouts for a tool that is used, and fraction of it below which the tool is abandoned. */
const USED = 0.2;
const ABANDONED = 0.25;
/** Minimum z-score of the two shares, and maximum rank correlation of the shares with the steps. */
const SCORE = 3;
const TOOL_FALLING = -0.5;

/**
 * Returns the finding that tool use is abandoned. If tool use persists, returns findings about single abandoned tools.
 */
export function toolFindings(evidence: Evidence): readonly Finding[] {
  const steps = evidence.steps.filter(({ step }) => step !== null);
  if (steps.length < LEAST_TOOL_STEPS) return [];
  const names = [...new Set(steps.flatMap(({ tools }) => [...tools.keys()]))];
  const all = abandonment(evidence, steps, undefined, names);
  if (all) return [all];
  // A policy can have good reason to prefer another tool. A single tool is reported only if its calls get less credit.
  return names.flatMap((name) => {
    const finding = abandonment(evidence, steps, name, names);
    return finding?.confidence === 'high' ? [finding] : [];
  });
}

function abandonment(
  { diagnosis }: Evidence,
  steps: readonly StepSums[],
  tool: string | undefined,
  names: readonly string[],
): Finding | undefined {
  const hits = (sums: StepSums) => (tool === undefined ? sums.calling : (sums.tools.get(tool) ?? 0));
  const pooled = (part: readonly StepSums[]) => ({
    hits: part.reduce((sum, step) => sum + hits(step), 0),
    of: part.reduce((sum, { rollouts }) => sum + rollouts, 0),
  });
  const parts = ends(steps);
  const [first, last] = [pooled(parts.first), pooled(parts.last)];
  const [before, after] = [first.hits / first.of, last.hits / last.of];
  if (Math.min(first.of, last.of) < LEAST_ROLLOUTS || before < USED || after > ABANDONED * before) return undefined;
  const shares = steps.map((sums) => hits(sums) / sums.rollouts);
  if (shareScore(first, last) < SCORE || trend(shares) > TOOL_FALLING) return undefined;

  const rule = diagnosis.ruleInUse;
  const kind = tool ?? ANY_CALL;
  const listedKind = kind === ANY_CALL && names.length === 1 ? names[0] : kind;
  const compared = comparisons(steps, rule, kind, tool === undefined ? WITHOUT_CALL : ANY_CALL);
  const below = compared.filter(({ difference }) => difference < 0);
  const firstBelow = below[0]?.sums.step ?? null;
  const lastCall = steps.findLast((sums) => hits(sums) > 0);
  const rewards = [parts.first, parts.last].map((part) => rewardOf(part));
  const name = tool ?? (names.length === 1 ? names[0] : `any of ${names.join(', ')}`);
  const readers = [below[0]?.sums.firstCalling, lastCall?.firstCalling];
  return {
    kind: 'tool-given-up',
    confidence: below.length > 0 && below.length >= 0.6 * compared.length ? 'high' : 'medium',
    title: `The tool is given up: ${name}`,
    evidence: [
      `The share of rollouts that call it falls from ${three(before)} to ${three(after)}; the mean reward changes from ${three(rewards[0])} to ${three(rewards[1])}.`,
      firstBelow === null
        ? `Under ${rule}, no step gives a call less credit than the turns of rollouts without a call.`
        : `Under ${rule}, a call gets less credit than ${tool === undefined ? 'the turns of rollouts without a call' : 'calls of all tools on average'} in ${below.length} of ${compared.length} steps, first in step ${firstBelow}.`,
      `The last call is in step ${lastCall?.step ?? '–'}.`,
      ...ruleMeans(diagnosis, listedKind),
    ],
    next:
      'Read the groups: do rollouts with a call end worse, or are they only judged together with the answer? ' +
      'A reward for the call itself pays for it; the rollouts do not show how training continues then.',
    groups: [...new Set(readers.flatMap((id) => id ?? []))],
    firstStep: firstBelow,
    lastStep: lastCall?.step ?? null,
  };
}

/** Returns the steps that have both kinds of turns, with the difference of their mean advantages. */
function comparisons(steps: readonly StepSums[], rule: string, kind: string, reference: string) {
  return steps.flatMap((sums) => {
    const credit = sums.credit.get(rule);
    const [a, b] = [credit?.get(kind)?.mean ?? null, credit?.get(reference)?.mean ?? null];
    return a === null || b === null ? [] : [{ sums, difference: a - b }];
  });
}

function rewardOf(steps: readonly StepSums[]): number | null {
  const count = steps.reduce((sum, { reward }) => sum + reward.count, 0);
  return count === 0 ? null : steps.reduce((sum, { reward }) => sum + reward.total, 0) / count;
}

/** Formats the mean credit of the same calls under the rules that differ. */
function ruleMeans({ kinds, rules, ruleInUse }: Evidence['diagnosis'], kind: string): readonly string[] {
  const credit = kinds.find((row) => row.kind === kind)?.credit ?? {};
  const means = rules
    .map(([name]) => name)
    .filter((name) => credit[name] !== undefined)
    .map((name) => `${name} ${three(credit[name], true)}`);
  const used = credit[ruleInUse] === undefined ? '' : `${three(credit[ruleInUse], true)} under ${ruleInUse}; `;
  return means.length === 0 ? [] : [`Mean credit of the calls over all steps: ${used}${means.slice(0, 8).join(', ')}.`];
}

/** Computes Spearman's rank correlation of values with their order, -1 to 1; 0 if all values are equal. */
function trend(values: readonly number[]): number {
  const ranks = ranksOf(values);
  const center = (values.length - 1) / 2;
  let [product, squares, orders] = [0, 0, 0];
  ranks.forEach((rank, at) => {
    product += (rank - center) * (at - center);
    squares += (rank - center) * (rank - center);
    orders += (at - center) * (at - center);
  });
  return squares === 0 ? 0 : product / Math.sqrt(squares * orders);
}

/** Returns [values] ranks from 0. Equal values share the mean of their ranks. */
function ranksOf(values: readonly number[]): readonly number[] {
  const sorted = values.map((value, at) => ({ value, at })).sort((a, b) => a.value - b.value);
  const ranks = new Array<number>(values.length);
  for (let from = 0; from < sorted.length; ) {
    let to = from;
    while (to + 1 < sorted.length && sorted[to + 1].value === sorted[from].value) to++;
    for (let at = from; at <= to; at++) ranks[sorted[at].at] = (from + to) / 2;
    from = to + 1;
  }
  return ranks;
}

/** Returns the first and the last fifth of a list, at least one entry each. */
function ends<Entry>(list: readonly Entry[]): {
  readonly first: readonly Entry[];
  readonly last: readonly Entry[];
} {
  const length = Math.max(1, Math.floor(list.length / 5));
  return { first: list.slice(0, length), last: list.slice(-length) };
}

/**
 * Computes the z-score of the difference of two shares, positive if the first is larger; 0 if both are 0 or both are 1.
 */
function shareScore(a: { hits: number; of: number }, b: { hits: number; of: number }): number {
  const pooled = (a.hits + b.hits) / (a.of + b.of);
  const variance = pooled * (1 - pooled) * (1 / a.of + 1 / b.of);
  return variance <= 0 ? 0 : (a.hits / a.of - b.hits / b.of) / Math.sqrt(variance);
}
