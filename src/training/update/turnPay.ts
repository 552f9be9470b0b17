import { casesOf, type ReportedTurn, type TurnMark, type WatchedTurns } from '../../environments/watchedTurns.ts';
import { square } from '../../numbers/powers.ts';
import type { RolloutBatch, RolloutTurn } from '../../rollouts/rolloutBatch.ts';

/** Sums of one case over an update, by the name of the case. */
const keysOf = (name: string) => [`${name}Count`, `${name}Credit`, `${name}Compared`] as const;

/** Sums of a mark: turns that have it with the sizes of their advantages, and those sizes of all turns. */
const markKeys = ({ name }: TurnMark) =>
  [`${name}Count`, `${name}Size`, `${name}ComparedSize`, 'size', 'comparedSize'] as const;

/** Advantages of an update, under the active rule and under another rule. */
export interface Pay {
  /** [turns of the forest] advantages as the update used them. */
  readonly advantages: Float32Array;
  /** [turns of the group] the advantages of a group under the other rule. */
  readonly compared: (group: number) => ArrayLike<number>;
  /** [turns of the forest] 1 where the update learned from the turn; undefined where it did from all (selectTurns). */
  readonly learned?: Uint8Array | undefined;
}

/**
 * Returns the credit of turns in an update, by the result of the turns. For each case there are the number of turns and
 * the sums of their advantages. The sums are under the active rule and under another rule on the same rollouts. A turn
 * that the update left out has no credit under either rule. `tiedCount` counts the turns of groups in which no reported
 * turn has credit. For a mark there are the number of turns that have it and the sum of the absolute values of their
 * advantages. There is also this sum over all turns.
 *
 * If one token of turn 1 decides, `push` describes the direction in which the update moves the probability p of taking
 * the action. With s = 1 if the action was taken, a policy gradient moves the deciding logit by the mean of A (s - p).
 * It moves p by p (1 - p) times this mean. The step size is left out. Only the sign of `push` and its size relative to
 * `pushNoise`, its standard error, are therefore significant (docs/learn/why.md). `probabilityNoise` is the standard
 * error of the mean of p.
 */
export function turnPay(
  watched: WatchedTurns,
  batch: Pick<RolloutBatch, 'forest' | 'rollouts' | 'trajectories'>,
  { advantages, compared: other, learned }: Pay,
): Readonly<Record<string, number>> {
  const { mark } = watched;
  const cases = casesOf(watched);
  const keys = [...cases.flatMap(({ name }) => keysOf(name)), ...(mark ? markKeys(mark) : [])];
  const sums: Record<string, number> = Object.fromEntries(keys.map((key) => [key, 0]));
  const add = (names: readonly string[], values: readonly number[]) => {
    for (const [index, name] of names.entries()) sums[name] += values[index];
  };
  const reported = collectReported(watched, batch);
  const nonzeroGroups = new Set<number>();
  const groups: number[] = [];
  for (const entry of reported.values()) {
    const match = cases.find(({ holds }) => holds(entry));
    if (!match) continue;
    const at = entry.turn.forestTurn;
    const left = learned?.[at] === 0;
    const advantage = left ? 0 : advantages[at];
    const compared = left ? 0 : number(other(entry.index)[at - batch.forest.groupOffset[entry.index]]);
    add(keysOf(match.name), [1, advantage, compared]);
    if (mark) {
      const [count, ...sizes] = markKeys(mark);
      add(sizes.slice(2), [Math.abs(advantage), Math.abs(compared)]);
      if (mark.holds(entry)) add([count, ...sizes.slice(0, 2)], [1, Math.abs(advantage), Math.abs(compared)]);
    }
    groups.push(entry.index);
    if (advantage !== 0) nonzeroGroups.add(entry.index);
  }
  const tiedCount = groups.filter((group) => !nonzeroGroups.has(group)).length;
  const sometimes = watched.kinds.flatMap((kind) => (kind.sometimes ? kind.cases : []));
  if (sometimes.every(({ name }) => sums[`${name}Count`] === 0)) {
    for (const key of sometimes.flatMap(({ name }) => keysOf(name))) delete sums[key];
  }
  return {
    ...sums,
    tiedCount,
    ...(watched.decided ? pushOf(decidedIn(watched, batch.rollouts, advantages, reported)) : {}),
  };
}

/** Advantages under a rule that prunes a turn are NaN. */
const number = (value: number) => (Number.isNaN(value) ? 0 : value);

/** A reported turn. */
interface TurnReport extends ReportedTurn {
  /** Of its group in the batch. */
  readonly index: number;
}

/** Returns the reported turns by their index in the forest, each once. */
function collectReported(
  { of }: WatchedTurns,
  { trajectories }: Pick<RolloutBatch, 'trajectories'>,
): ReadonlyMap<number, TurnReport> {
  const reported = new Map<number, TurnReport & { readonly after: RolloutTurn[] }>();
  const groups = new Map<number, Set<RolloutTurn>>();
  for (const { group, turns } of trajectories) {
    groups.set(group, new Set([...(groups.get(group) ?? []), ...turns]));
  }
  const lists = new Map([...groups].map(([group, turns]) => [group, [...turns]]));
  for (const { group: index, turns } of trajectories) {
    const selected = of === 'all turns' ? turns : turns.slice(0, 1);
    for (const [position, turn] of selected.entries()) {
      const known = reported.get(turn.forestTurn);
      const after = turns.slice(position + 1);
      if (known) known.after.push(...after.filter((candidate) => !known.after.includes(candidate)));
      else {
        reported.set(turn.forestTurn, {
          index,
          turn,
          before: turns.slice(0, position),
          after,
          group: lists.get(index) ?? [],
        });
      }
    }
  }
  return reported;
}

/** One entry a rollout that decided: the probability of the action, and A (s - p). */
function decidedIn(
  { kinds }: WatchedTurns,
  rollouts: RolloutBatch['rollouts'],
  advantages: Float32Array,
  reported: ReturnType<typeof collectReported>,
) {
  const starting = kinds.flatMap(({ starts, cases }) => (starts ? cases : []));
  return rollouts.flatMap(({ toolProbability: p, turns: [{ forestTurn }] }) => {
    const first = reported.get(forestTurn);
    const isChosen = first && starting.some(({ holds }) => holds(first));
    return p === undefined || !first ? [] : [{ p, pull: advantages[forestTurn] * (Number(isChosen) - p) }];
  });
}

function pushOf(decided: ReturnType<typeof decidedIn>) {
  const count = decided.length;
  if (count === 0) return { push: 0, pushNoise: 0, probabilityNoise: 0 };
  const mean = (value: (entry: (typeof decided)[number]) => number) =>
    decided.reduce((sum, entry) => sum + value(entry), 0) / count;
  const slope = mean(({ p }) => p * (1 - p));
  const pull = mean((entry) => entry.pull);
  const probability = mean(({ p }) => p);
  const errorOf = (squares: number) => Math.sqrt(squares / count);
  return {
    push: slope * pull,
    pushNoise: slope * errorOf(mean((entry) => square(entry.pull - pull))),
    probabilityNoise: errorOf(mean(({ p }) => square(p - probability))),
  };
}
