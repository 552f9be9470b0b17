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
import { square } from '../numbers/powers.ts';

/** Rollouts that each choice needs in an update: of fewer, what they were paid says little, and how little is not known. */
const FEWEST = 5;

/** Parts of an update that are read. */
export type DecidedUpdate = Pick<Metrics, 'step' | 'rule' | 'decision' | 'searchProbability'>;

/** Number of turns, and their mean advantage; NaN if there are no turns. */
export interface AdvantageSummary {
  readonly count: number;
  /** Mean advantage under the active rule. */
  readonly meanAdvantage: number;
  /** The same under the rule that it is compared with, on the same rollouts. */
  readonly compared: number;
}

/** A kind of turns with what it was paid, and what each thing was paid that came of it. */
export interface TurnKindAdvantages extends AdvantageSummary {
  readonly title: string;
  /** These turns start the action of the deciding token. */
  readonly starts: boolean;
  readonly cases: readonly (TurnCase & AdvantageSummary)[];
}

/** Advantages of turns over some updates under one rule. */
export interface WhySpan {
  readonly from: number;
  /** The last update. */
  readonly to: number;
  readonly rule: string;
  readonly kinds: readonly TurnKindAdvantages[];
  /** Number of turns that are reported. */
  readonly count: number;
  /** Share of them whose group was paid nothing. */
  readonly tied: number;
  /** Turns that have the mark, and the others; undefined where there is no mark. */
  readonly marked: MarkedSpan | undefined;
  /** Direction in which the updates pushed; undefined if no token decides. */
  readonly decided: DecidedSpan | undefined;
}

/** Mean sizes of advantages, regardless of the sign, of turns with a mark and of turns without it. */
export interface MarkedSpan {
  readonly label: string;
  /** Share of the turns that are reported. */
  readonly share: number;
  readonly meanSizes: readonly [marked: number, others: number];
  /** Under the rule that it is compared with. */
  readonly comparedMeans: readonly [marked: number, others: number];
}

/** Direction in which updates pushed the choice that one token makes. */
export interface DecidedSpan {
  /** The action, for people inside a sentence. */
  readonly action: string;
  /** Probability of taking the action, in the first batch and in the last one. */
  readonly probability: readonly [first: number, last: number];
  /** Summed over the updates: where they moved that probability, and the standard error of the sum. */
  readonly push: number;
  readonly pushNoise: number;
  /** The same with what AdamW carried on from the updates before: it moves by the running mean of the pushes. */
  readonly moved: number;
  /**
   * Updates with some rollouts of either choice whose move, or the change that followed, is larger than its noise, and in
   * how many both have one sign.
   */
  readonly updates: number;
  readonly agreed: number;
  readonly moves: readonly WhyMove[];
}

/**
 * Direction in which an update moved the probability of taking the action, and the change that followed. The units of
 * the two are unrelated.
 */
export interface WhyMove {
  readonly step: number;
  /** By the running mean of the pushes, the step size left out. */
  readonly move: number;
  /** Change from its batch to the next one; NaN if there is no next batch. */
  readonly change: number;
  /** True if both have one sign; undefined if both are lost in noise, or too few rollouts made either choice. */
  readonly agrees: boolean | undefined;
}

/** Turns of an environment that are reported, and the momentum with which AdamW carries pushes on. */
export interface Watched {
  readonly watchedTurns: WatchedTurns;
  /** AdamW's beta 1. */
  readonly momentum: number;
}

/** Further properties of an environment with such turns. */
interface WatchedRun extends Watched {
  readonly lines: WatchedLines | undefined;
  /** The rules of its switch. */
  readonly pinned: readonly string[];
}

/**
 * Returns the quantities for which a run was watched, from the contents of its updates; undefined if the updates
 * contain none of them.
 */
export function watchedIn(updates: readonly DecidedUpdate[]): WatchedRun | undefined {
  const recorded = updates.find(({ decision }) => decision)?.decision ?? {};
  return ENVIRONMENT_LIST.flatMap(({ watchedTurns, betas: [momentum], watched: lines, pinned }) =>
    watchedTurns ? { watchedTurns, momentum, lines, pinned } : [],
  ).find(({ watchedTurns }) => casesOf(watchedTurns).every(({ name }) => `${name}Count` in recorded));
}

/**
 * Update with the direction in which it moved: a share comes from its push, the rest is as in the updates before it.
 */
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

/**
 * Computes the advantages of turns, from one change of the rule to the next. Updates that contain no such data are left
 * out.
 */
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

/** @param after the update behind these, which shows what the last of them did */
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

/** @param count of all turns */
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

/** Rollouts of an update that are of some kinds. */
function countOf(kinds: readonly TurnKind[], decision: DecidedUpdate['decision']): number {
  return casesOf({ kinds }).reduce((total, { name }) => total + (decision?.[`${name}Count`] ?? 0), 0);
}

/** @param both whether enough rollouts made either choice */
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

/** A row of the table: a kind of turns, or below it something that came of it. */
export interface WhyRow extends AdvantageSummary {
  readonly label: string;
  readonly sum: boolean;
  /** Share of the turns that are reported. */
  readonly share: number;
}

/** Mean advantages for a table: each kind, and below it its cases if it has several. */
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
