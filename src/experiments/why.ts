import type { DecisionCase, WatchedDecision } from '../environments/decision.ts';
import type { WatchedLines } from '../environments/descriptor.ts';
import { ENVIRONMENT_LIST } from '../environments/registry.ts';
import type { Metrics } from '../metrics/metricTable.ts';

/** Rollouts that each choice needs in an update: of fewer, what they were paid says little, and how little is not known. */
const FEWEST = 5;

/** What is read of an update. */
export type DecidedUpdate = Pick<Metrics, 'step' | 'rule' | 'decision' | 'searchProbability'>;

/** Rollouts, and what turn 1 was paid in them on average; NaN where there are none. */
export interface Paid {
  readonly rollouts: number;
  /** Mean advantage under the rule in force. */
  readonly paid: number;
  /** The same under the rule that it is compared with, on the same rollouts. */
  readonly other: number;
}

/** What the deciding token was paid over some updates under one rule. */
export interface WhySpan {
  readonly from: number;
  /** The last update. */
  readonly to: number;
  readonly rule: string;
  readonly cases: readonly (DecisionCase & Paid)[];
  readonly taken: Paid;
  readonly left: Paid;
  /** Share of the rollouts whose group compared nothing. */
  readonly tied: number;
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
  readonly told: number;
  readonly agreed: number;
  readonly moves: readonly WhyMove[];
}

/** Where an update moved the probability of taking the action, and what followed; units of the two have nothing in common. */
export interface WhyMove {
  readonly step: number;
  /** By the running mean of the pushes, the step size left out. */
  readonly move: number;
  /** From its batch to the next one; NaN where there is none. */
  readonly change: number;
  /** Whether both have one sign; undefined where both are lost in noise, or too few rollouts made either choice. */
  readonly agrees: boolean | undefined;
}

/** A decision, and how AdamW carries its pushes on. */
export interface Watched {
  readonly decision: WatchedDecision;
  /** AdamW's beta 1. */
  readonly momentum: number;
}

/** What else an environment with such a decision is watched for. */
interface WatchedRun extends Watched {
  readonly lines: WatchedLines | undefined;
}

/** The decision that a run was watched for, by what its updates hold; undefined where they hold nothing of one. */
export function watchedIn(updates: readonly DecidedUpdate[]): WatchedRun | undefined {
  const held = updates.find(({ decision }) => decision)?.decision ?? {};
  return ENVIRONMENT_LIST.flatMap(({ decision, betas: [momentum], watched: lines }) =>
    decision ? { decision, momentum, lines } : [],
  ).find(({ decision }) => decision.cases.every(({ name }) => `${name}Count` in held));
}

/** An update with where it moved: a share of its own push, the rest as the updates before it. */
interface Moved extends DecidedUpdate {
  readonly move: number;
  readonly moveNoise: number;
}

function carried(updates: readonly DecidedUpdate[], momentum: number): Moved[] {
  let [move, moveNoise] = [0, 0];
  return updates.map((update) => {
    const { push, pushNoise } = update.decision ?? {};
    move = momentum * move + (1 - momentum) * (push ?? 0);
    moveNoise = Math.hypot(momentum * moveNoise, (1 - momentum) * (pushNoise ?? 0));
    return { ...update, move, moveNoise };
  });
}

/** What the deciding token was paid, from one change of the rule to the next. Updates that hold nothing of it are left out. */
export function whySpans({ decision: watched, momentum }: Watched, updates: readonly DecidedUpdate[]): WhySpan[] {
  const known = carried(
    updates.filter(({ decision }) => decision),
    momentum,
  );
  const begins = known.flatMap(({ rule }, index) => (rule === known[index - 1]?.rule ? [] : [index]));
  return begins.map((begin, index) =>
    spanOf(watched, known.slice(begin, begins[index + 1]), known[begins[index + 1] ?? -1]),
  );
}

/** @param after the update behind these, which shows what the last of them did */
function spanOf({ cases }: WatchedDecision, updates: readonly Moved[], after: DecidedUpdate | undefined): WhySpan {
  const sum = (key: string) => updates.reduce((total, { decision }) => total + (decision?.[key] ?? 0), 0);
  const sums = (those: readonly DecisionCase[]) => ({
    rollouts: those.reduce((total, { name }) => total + sum(`${name}Count`), 0),
    paid: those.reduce((total, { name }) => total + sum(`${name}Paid`), 0),
    other: those.reduce((total, { name }) => total + sum(`${name}Other`), 0),
  });
  const mean = ({ rollouts, paid, other }: Paid): Paid => ({
    rollouts,
    paid: paid / rollouts,
    other: other / rollouts,
  });
  const all = sums(cases).rollouts;
  const squares = updates.reduce((total, { decision }) => total + (decision?.pushNoise ?? 0) ** 2, 0);
  const both = ({ decision }: DecidedUpdate) => [true, false].every((is) => countOf(cases, is, decision) >= FEWEST);
  const moves = updates.map((update, index) => moveOf(update, updates[index + 1] ?? after, both(update)));
  const signs = moves.flatMap(({ agrees }) => agrees ?? []);
  return {
    from: updates[0].step,
    to: updates[updates.length - 1].step,
    rule: updates[0].rule,
    cases: cases.map((one) => ({ ...one, ...mean(sums([one])) })),
    taken: mean(sums(cases.filter(({ taken }) => taken))),
    left: mean(sums(cases.filter(({ taken }) => !taken))),
    tied: sum('tiedCount') / all,
    probability: [updates[0].searchProbability ?? NaN, (after ?? updates[updates.length - 1]).searchProbability ?? NaN],
    push: sum('push'),
    pushNoise: Math.sqrt(squares),
    moved: updates.reduce((total, { move }) => total + move, 0),
    told: signs.length,
    agreed: signs.filter((same) => same).length,
    moves,
  };
}

/** Rollouts of an update that took the action, or left it. */
function countOf(cases: readonly DecisionCase[], is: boolean, decision: DecidedUpdate['decision']): number {
  return cases.reduce((total, { name, taken }) => total + (taken === is ? (decision?.[`${name}Count`] ?? 0) : 0), 0);
}

/** @param both whether enough rollouts made either choice */
function moveOf(
  { step, decision, move, moveNoise, ...update }: Moved,
  next: DecidedUpdate | undefined,
  both: boolean,
): WhyMove {
  const follows = next?.step === step + 1;
  const change = follows ? (next?.searchProbability ?? NaN) - (update.searchProbability ?? NaN) : NaN;
  const noise = Math.hypot(decision?.probabilityNoise ?? 0, next?.decision?.probabilityNoise ?? 0);
  const lost = Math.abs(move) <= moveNoise && Math.abs(change) <= noise;
  const agrees = Number.isNaN(change) || lost || !both ? undefined : Math.sign(move) === Math.sign(change);
  return { step, move, change, agrees };
}

/** A row of the table: a choice, or below it something that came of it. */
export interface WhyRow extends Paid {
  readonly label: string;
  readonly sum: boolean;
  /** Of the rollouts. */
  readonly share: number;
}

/** What was paid, for a table: each choice, and below it what came of it. */
export function whyRows({ taken: doing, left: leaving }: WatchedDecision, span: WhySpan): WhyRow[] {
  const all = span.taken.rollouts + span.left.rollouts;
  const row = (label: string, paid: Paid, sum: boolean) => ({ ...paid, label, sum, share: paid.rollouts / all });
  const choice = (label: string, paid: Paid, is: boolean) => [
    row(label, paid, true),
    ...span.cases.filter(({ taken }) => taken === is).map((one) => row(one.label, one, false)),
  ];
  return [...choice(doing, span.taken, true), ...choice(leaving, span.left, false)];
}

/** The name of a choice inside a sentence. */
export const inSentence = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

const signed = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
const share = (value: number) => `${Math.round(100 * value)} %`;

/** A span in two or three sentences. @param title of the rule */
export function whySentences({ taken: doing, left: leaving }: WatchedDecision, span: WhySpan, title: string): string[] {
  const { cases, taken, left, tied, probability, push, pushNoise } = span;
  const all = taken.rollouts + left.rollouts;
  const steps = span.from === span.to ? `In step ${span.from}` : `In steps ${span.from} to ${span.to}`;
  const paid = ({ rollouts, paid: mean }: Paid, name: string) =>
    rollouts === 0 ? `nobody tried ${name}` : `${name} was paid ${signed(mean)} on average`;
  const lost = Math.abs(push) <= pushNoise;
  const way = lost ? 'neither way' : `${push > 0 ? 'towards' : 'away from'} ${inSentence(doing)}`;
  const first = `${steps}, under ${title}, ${paid(taken, inSentence(doing))}, and ${paid(left, inSentence(leaving))}.`;
  const second = `The updates pushed ${way}, and the probability of ${inSentence(doing)} went from ${probability[0].toFixed(2)} to ${probability[1].toFixed(2)}.`;
  const [p] = probability;
  const weight = ({ rollouts, paid: mean, taken: is }: DecisionCase & Paid) =>
    rollouts === 0 ? 0 : rollouts * mean * (is ? 1 - p : -p) * Math.sign(push);
  const main = cases.reduce((best, one) => (weight(one) > weight(best) ? one : best));
  const third =
    weight(main) > 0 && !lost
      ? [
          `The largest part of the push came from ${share(main.rollouts / all)} of the rollouts, where ${main.label}: ${signed(main.paid)}.`,
        ]
      : [];
  const fourth =
    tied >= 0.5
      ? [`In ${share(tied)} of the rollouts nothing was compared: all members of the group were paid alike.`]
      : [];
  const change = probability[1] - probability[0];
  const against = !lost && change * push < 0 && change * span.moved > 0;
  const fifth = against ? ['AdamW still carried on what the updates before had pushed.'] : [];
  return [first, second, ...fifth, ...third, ...fourth];
}
