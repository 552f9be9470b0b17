import type { WatchedLines } from '../environments/descriptor.ts';
import { ENVIRONMENT_LIST } from '../environments/registry.ts';
import {
  casesOf,
  type TurnCase,
  type TurnKind,
  type TurnMark,
  type WatchedTurns,
} from '../environments/watchedTurns.ts';
import type { Metrics } from '../metrics/metricTable.ts';
import { square } from '../numbers/exponential.ts';

/**
 * Minimum number of rollouts of each choice in an update. The mean advantage of fewer rollouts has a large, unknown
 * error.
 */
const FEWEST = 5;

/** Fields of an update that the summary reads. */
export type DecidedUpdate = Pick<Metrics, 'step' | 'rule' | 'decision' | 'searchProbability'>;

/** Number of turns, and their mean advantage; NaN if there are no turns. */
export interface AdvantageSummary {
  readonly count: number;
  /** Mean advantage under the active rule. */
  readonly meanAdvantage: number;
  /** Mean advantage of the same rollouts under the rule that the active rule is compared with. */
  readonly compared: number;
}

/** Advantages of a kind of turns, and of each of its cases. */
export interface TurnKindAdvantages extends AdvantageSummary {
  readonly title: string;
  /** True if these turns start the action of the deciding token. */
  readonly starts: boolean;
  readonly cases: readonly (TurnCase & AdvantageSummary)[];
}

/** Advantages of turns over consecutive updates under one rule. */
export interface WhySpan {
  readonly from: number;
  /** Last update, inclusive. */
  readonly to: number;
  readonly rule: string;
  readonly kinds: readonly TurnKindAdvantages[];
  /** Number of reported turns. */
  readonly count: number;
  /** Share of the reported turns in groups without credit [0 to 1]. */
  readonly tied: number;
  /** Turns with the mark, compared with the remaining turns; undefined if the environment has no mark. */
  readonly marked: MarkedSpan | undefined;
  /** Effect of the updates on the decision; undefined if no token decides. */
  readonly decided: DecidedSpan | undefined;
}

/** Mean absolute advantages of turns with a mark and of turns without it. */
export interface MarkedSpan {
  readonly label: string;
  /** Share of the reported turns that have the mark [0 to 1]. */
  readonly share: number;
  readonly meanSizes: readonly [marked: number, others: number];
  /** Mean absolute advantages under the rule that the active rule is compared with. */
  readonly comparedMeans: readonly [marked: number, others: number];
}

/** Direction in which updates push the choice that one token makes. */
export interface DecidedSpan {
  /** Name of the action, as it appears inside a sentence. */
  readonly action: string;
  /** Probability of the action in the first and in the last batch. */
  readonly probability: readonly [first: number, last: number];
  /** Sum over the updates of the push on this probability, and the standard error of the sum. */
  readonly push: number;
  readonly pushNoise: number;
  /** Sum over the updates of the running mean of the pushes. AdamW applies this mean instead of the single push. */
  readonly moved: number;
  /**
   * Number of conclusive updates, and number of these whose move and change have equal signs. An update is conclusive
   * if enough rollouts made each choice, and its move or the following change exceeds the noise.
   */
  readonly updates: number;
  readonly agreed: number;
  readonly moves: readonly WhyMove[];
}

/**
 * Direction in which an update moved the probability of the action, and the change that followed. The two have
 * different units.
 */
export interface WhyMove {
  readonly step: number;
  /** Running mean of the pushes, without the step size. */
  readonly move: number;
  /** Change of the probability from this batch to the next; NaN if there is no next batch. */
  readonly change: number;
  /**
   * True if the two signs are equal. Undefined if both values are within the noise or too few rollouts made a choice.
   */
  readonly agrees: boolean | undefined;
}

/** Turns that an environment reports, and the momentum of AdamW. */
export interface Watched {
  readonly watchedTurns: WatchedTurns;
  /** AdamW's beta 1. */
  readonly momentum: number;
}

/** Further properties of an environment that reports turns. */
interface WatchedRun extends Watched {
  readonly lines: WatchedLines | undefined;
  /** Rules that the page offers as a switch. */
  readonly pinned: readonly string[];
}

/**
 * Returns the environment that recorded the updates, by the metrics that they contain. Returns undefined if the updates
 * contain no metrics of reported turns.
 */
export function watchedIn(updates: readonly DecidedUpdate[]): WatchedRun | undefined {
  const recorded = updates.find(({ decision }) => decision)?.decision ?? {};
  return ENVIRONMENT_LIST.flatMap(({ watchedTurns, betas: [momentum], watched: lines, pinned }) =>
    watchedTurns ? { watchedTurns, momentum, lines, pinned } : [],
  ).find(({ watchedTurns }) => casesOf(watchedTurns).every(({ name }) => `${name}Count` in recorded));
}

/** Update with the running mean of the pushes and its noise. */
interface Moved extends DecidedUpdate {
  readonly move: number;
  readonly moveNoise: number;
}

function carried(updates: readonly DecidedUpdate[], momentum: number): Moved[] {
  let [move, moveNoise] = [0, 0];
  return updates.map((update) => {
    const { push, pushNoise } = update.decision ?? {};
    move = momentum * move + (1 - momentum) * (push ?? 0);
    moveNoise = Math.sqrt(square(momentum * moveNoise) + square((1 - momentum) * (pushNoise ?? 0)));
    return { ...update, move, moveNoise };
  });
}

/** Computes the advantages of turns for each span of updates under one rule. Updates without such data are omitted. */
export function whySpans({ watchedTurns, momentum }: Watched, updates: readonly DecidedUpdate[]): WhySpan[] {
  const known = carried(
    updates.filter(({ decision }) => decision),
    momentum,
  );
  const spanStarts = known.flatMap(({ rule }, index) => (rule === known[index - 1]?.rule ? [] : [index]));
  return spanStarts.map((begin, index) =>
    spanOf(watchedTurns, known.slice(begin, spanStarts[index + 1]), known[spanStarts[index + 1] ?? -1]),
  );
}

/** @param after first update after the span, which shows the change after the last update of the span */
function spanOf(watched: WatchedTurns, updates: readonly Moved[], after: DecidedUpdate | undefined): WhySpan {
  const sum = (key: string) => sumOf(updates, key);
  const mean = (turnCases: readonly TurnCase[]): AdvantageSummary => {
    const total = (suffix: string) => turnCases.reduce((all, { name }) => all + sum(`${name}${suffix}`), 0);
    const count = total('Count');
    return { count, meanAdvantage: total('Credit') / count, compared: total('Compared') / count };
  };
  const { count } = mean(casesOf(watched));
  const present = watched.kinds.filter(({ cases, sometimes }) => !sometimes || mean(cases).count > 0);
  return {
    from: updates[0].step,
    to: updates[updates.length - 1].step,
    rule: updates[0].rule,
    kinds: present.map(({ title, starts = false, cases }) => ({
      ...{ title, starts },
      cases: cases.map((turnCase) => ({ ...turnCase, ...mean([turnCase]) })),
      ...mean(cases),
    })),
    count,
    tied: sum('tiedCount') / count,
    marked: watched.mark && markedOf(watched.mark, count, sum),
    decided: watched.decided ? decidedOf(watched.decided, watched, updates, after) : undefined,
  };
}

/** @param count number of all reported turns */
function markedOf({ name, label }: TurnMark, count: number, sum: (key: string) => number): MarkedSpan {
  const marked = sum(`${name}Count`);
  const means = (part: number, all: number) => [part / marked, (all - part) / (count - marked)] as const;
  return {
    label,
    share: marked / count,
    meanSizes: means(sum(`${name}Size`), sum('size')),
    comparedMeans: means(sum(`${name}ComparedSize`), sum('comparedSize')),
  };
}

function sumOf(updates: readonly DecidedUpdate[], key: string): number {
  return updates.reduce((total, { decision }) => total + (decision?.[key] ?? 0), 0);
}

function decidedOf(
  action: string,
  { kinds }: WatchedTurns,
  updates: readonly Moved[],
  after: DecidedUpdate | undefined,
): DecidedSpan {
  const squares = updates.reduce((total, { decision }) => total + square(decision?.pushNoise ?? 0), 0);
  const starting = kinds.filter(({ starts }) => starts);
  const remaining = kinds.filter(({ starts }) => !starts);
  const both = ({ decision }: DecidedUpdate) =>
    countOf(starting, decision) >= FEWEST && countOf(remaining, decision) >= FEWEST;
  const moves = updates.map((update, index) => moveOf(update, updates[index + 1] ?? after, both(update)));
  const signs = moves.flatMap(({ agrees }) => agrees ?? []);
  return {
    action,
    probability: [updates[0].searchProbability ?? NaN, (after ?? updates[updates.length - 1]).searchProbability ?? NaN],
    push: sumOf(updates, 'push'),
    pushNoise: Math.sqrt(squares),
    moved: updates.reduce((total, { move }) => total + move, 0),
    updates: signs.length,
    agreed: signs.filter((same) => same).length,
    moves,
  };
}

/** Returns the number of rollouts of an update that are of the given kinds. */
function countOf(kinds: readonly TurnKind[], decision: DecidedUpdate['decision']): number {
  return casesOf({ kinds }).reduce((total, { name }) => total + (decision?.[`${name}Count`] ?? 0), 0);
}

/** @param both true if enough rollouts made each choice */
function moveOf(
  { step, decision, move, moveNoise, ...update }: Moved,
  next: DecidedUpdate | undefined,
  both: boolean,
): WhyMove {
  const follows = next?.step === step + 1;
  const change = follows ? (next?.searchProbability ?? NaN) - (update.searchProbability ?? NaN) : NaN;
  const noise = Math.sqrt(square(decision?.probabilityNoise ?? 0) + square(next?.decision?.probabilityNoise ?? 0));
  const lost = Math.abs(move) <= moveNoise && Math.abs(change) <= noise;
  const agrees = Number.isNaN(change) || lost || !both ? undefined : Math.sign(move) === Math.sign(change);
  return { step, move, change, agrees };
}

/** Row of the table: a kind of turns, or one of its cases. */
export interface WhyRow extends AdvantageSummary {
  readonly label: string;
  readonly sum: boolean;
  /** Share of the reported turns [0 to 1]. */
  readonly share: number;
}

/** Returns the rows of the table: each kind, followed by its cases if it has several. */
export function whyRows({ kinds, count: all }: WhySpan): WhyRow[] {
  const row = (label: string, { count, meanAdvantage, compared }: AdvantageSummary, sum: boolean) => ({
    ...{ label, sum, count, meanAdvantage, compared },
    share: count / all,
  });
  return kinds.flatMap((kind) => [
    row(kind.title, kind, true),
    ...(kind.cases.length > 1 ? kind.cases.map((turnCase) => row(turnCase.label, turnCase, false)) : []),
  ]);
}
