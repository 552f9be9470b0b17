import type { WatchedDecision } from '../../environments/decision.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';

/** Sums of one case over an update, by the name of the case. */
const keysOf = (name: string) => [`${name}Count`, `${name}Paid`, `${name}Other`] as const;

/**
 * What the token that decides was paid in an update, by what came of it: for each case how many rollouts there were, and
 * the sum of their advantages of turn 1, under the rule in force and under another one on the same rollouts. `tiedCount`
 * counts rollouts of groups in which no turn 1 was paid anything: nothing was compared there.
 *
 * `push` says where the update moves the probability p of taking the action. With s = 1 where it was taken, a policy
 * gradient moves the logit that decides by the mean of A (s - p), and with it p by p (1 - p) times as much; the step size
 * is left out, so its sign and its size beside `pushNoise`, its standard error, are what counts (docs/why.md).
 * `probabilityNoise` is the standard error of the mean of p.
 * @param own [turns of the forest] advantages as the update used them
 * @param other [turns of the group] the advantages of a group under the other rule
 */
export function decisionPay(
  { cases }: WatchedDecision,
  { forest, rollouts, trajectories }: Pick<RolloutBatch, 'forest' | 'rollouts' | 'trajectories'>,
  own: Float32Array,
  other: (group: number) => ArrayLike<number>,
): Readonly<Record<string, number>> {
  const sums: Record<string, number> = Object.fromEntries(
    cases.flatMap(({ name }) => keysOf(name)).map((key) => [key, 0]),
  );
  const firsts = new Map<number, { readonly group: number; readonly taken: boolean }>();
  for (const { group, turns } of trajectories) {
    const { forestTurn } = turns[0];
    const found = cases.find(({ holds }) => holds(turns));
    if (!found || firsts.has(forestTurn)) continue;
    firsts.set(forestTurn, { group, taken: found.taken });
    const [count, paid, compared] = keysOf(found.name);
    sums[count] += 1;
    sums[paid] += own[forestTurn];
    sums[compared] += other(group)[forestTurn - forest.groupOffset[group]];
  }
  const paidGroups = new Set([...firsts].filter(([turn]) => own[turn] !== 0).map(([, { group }]) => group));
  const tiedCount = [...firsts.values()].filter(({ group }) => !paidGroups.has(group)).length;
  const decided = rollouts.flatMap(({ toolProbability: p, turns }) => {
    const first = firsts.get(turns[0].forestTurn);
    return p === undefined || !first ? [] : [{ p, pull: own[turns[0].forestTurn] * (Number(first.taken) - p) }];
  });
  return { ...sums, tiedCount, ...pushOf(decided) };
}

/** @param decided one entry a rollout: the probability of the action, and A (s - p) */
function pushOf(decided: readonly { readonly p: number; readonly pull: number }[]) {
  const count = decided.length;
  if (count === 0) return { push: 0, pushNoise: 0, probabilityNoise: 0 };
  const mean = (value: (one: (typeof decided)[number]) => number) =>
    decided.reduce((sum, one) => sum + value(one), 0) / count;
  const slope = mean(({ p }) => p * (1 - p));
  const pull = mean((one) => one.pull);
  const probability = mean(({ p }) => p);
  const errorOf = (squares: number) => Math.sqrt(squares / count);
  return {
    push: slope * pull,
    pushNoise: slope * errorOf(mean((one) => (one.pull - pull) ** 2)),
    probabilityNoise: errorOf(mean(({ p }) => (p - probability) ** 2)),
  };
}
