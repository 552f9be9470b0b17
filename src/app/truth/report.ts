import { isClear } from '../../experiments/truth/trueAdvantages.ts';
import type { MeasuredTurn, TruthReport } from '../../training/data/truthReport.ts';
import { ruleTitle } from '../address/pageTables.ts';
import { correlationText, share, two } from '../drawing/numbers.ts';
import { truthStrings } from '../strings/truthStrings.ts';

const texts = truthStrings;

/** Minimum reliability. Below it, measured advantages are mostly error, and so is the direction of the gradient. */
const LEAST_RELIABILITY = 0.5;
/** Minimum number of clear turns to rank rules. With fewer, the correlations depend on one or two turns. */
export const LEAST_CLEAR = 4;
/** Minimum number of rollouts in a group for precise intervals. */
const MIN_ROLLOUTS = 12;

/** Describes a measurement in sentences: its precision, then its rules, then its gradients. */
export function describeReport(report: TruthReport): string[] {
  return [...aboutTruth(report), ...aboutRules(report), ...aboutGradients(report)];
}

function aboutTruth({ precision, rules, groups, resampled, continuations }: TruthReport): string[] {
  const { texts: messages } = texts;
  const { reliability, error, deviation } = precision;
  const turns = groups.flatMap((group) => group.turns);
  const rollouts = new Set(turns.map(({ rollout }) => rollout)).size;
  const lines: string[] = [];
  if (turns.length > 1 && !(deviation > 0)) lines.push(messages.noDeviation);
  else if (continuations === 0) lines.push(messages.exact);
  else if (Number.isFinite(reliability)) {
    lines.push(
      reliability < LEAST_RELIABILITY
        ? messages.unreliable(two(reliability))
        : messages.reliability(two(reliability), two(error), two(deviation)),
    );
  }
  if (deviation > 0 && rules.every(({ clear }) => clear === 0)) lines.push(messages.noneClear);
  if (resampled === 'rollouts' && rollouts < 2) lines.push(messages.noInterval);
  else if (resampled === 'rollouts' && rollouts < MIN_ROLLOUTS) lines.push(messages.rolloutCountNote(rollouts));
  return lines;
}

/** Returns true if a rule assigns advantage 0 to all turns that it does not prune. */
function isZero({ groups }: TruthReport, rule: string): boolean {
  return groups.every(({ turns }) => turns.every(({ rules }) => Math.abs(rules[rule] ?? 0) < ZERO));
}

/** Returns true if a rule assigns different advantages. A correlation with equal advantages is undefined. */
export function hasVaryingAdvantages({ groups }: TruthReport, rule: string): boolean {
  const values = groups.flatMap(({ turns }) => turns.flatMap(({ rules }) => rules[rule] ?? []));
  return values.some((value) => Math.abs(value - (values[0] ?? 0)) >= ZERO);
}

/** Threshold below which an advantage or a difference counts as 0. */
const ZERO = 1e-9;

function aboutRules(report: TruthReport): string[] {
  const { texts: messages } = texts;
  const [first, ...rest] = report.rules;
  const zeroMessages = report.rules
    .filter(({ rule }) => isZero(report, rule))
    .map(({ rule }) => messages.allZero(ruleTitle(rule)));
  if (!first || !hasVaryingAdvantages(report, first.rule)) return zeroMessages;
  const comparable = rest.filter(
    ({ rule, ahead: { value, low } }) =>
      hasVaryingAdvantages(report, rule) && !Number.isNaN(value) && !Number.isNaN(low),
  );
  const [same, different] = [true, false].map((expected) =>
    comparable.filter(({ ahead: { low, high } }) => Math.max(Math.abs(low), Math.abs(high)) < ZERO === expected),
  ) as [typeof comparable, typeof comparable];
  const equal = same.map(({ rule }) => messages.same(ruleTitle(rule), ruleTitle(first.rule)));
  if (different.length === 0) return [...zeroMessages, ...equal];
  const missing = noGrounds(report);
  if (missing !== undefined) return [...zeroMessages, ...equal, missing];
  const compared = different.map(({ rule, ahead: { low, high } }) => {
    const names = [ruleTitle(rule), ruleTitle(first.rule)] as const;
    if (low > 0) return messages.better(...names);
    return high < 0 ? messages.worse(...names) : messages.notSeparated(...names);
  });
  const decided = different.some(({ ahead: { low, high } }) => low > 0 || high < 0);
  const counted = decided && report.plan.counts.kind === 'outcome' ? [messages.outcomeOnly] : [];
  return [...zeroMessages, ...equal, ...compared, ...counted];
}

/** Returns the reason not to rank the rules, or undefined if the measurement is precise enough. */
function noGrounds({ precision, groups }: TruthReport): string | undefined {
  const { texts: messages } = texts;
  const turns = groups.flatMap((group) => group.turns);
  const clear = turns.filter(({ advantage }) => isClear(advantage)).length;
  if (clear < LEAST_CLEAR) return messages.undecided(clear, turns.length, LEAST_CLEAR);
  if (precision.reliability >= LEAST_RELIABILITY) return undefined;
  return messages.undecidedReliability(two(precision.reliability), two(LEAST_RELIABILITY));
}

function aboutGradients({ gradients, plan }: TruthReport): string[] {
  const { texts: messages } = texts;
  if (!gradients) return plan.gradientGroups > 0 ? [messages.noGradients] : [];
  const { groups, halves } = gradients;
  return [halves < LEAST_RELIABILITY ? messages.poorHalves(groups, two(halves)) : messages.halves(groups, two(halves))];
}

/** Row of the table: a measure, its meaning, and its value for each rule. */
interface Row {
  readonly measure: string;
  readonly meaning: string;
  /** Values [rules], followed by the value of the measured advantages if gradients were measured. */
  readonly cells: readonly string[];
}

/** Returns the table of a measurement, with one column per rule. */
export function tableOf(report: TruthReport): {
  readonly heads: readonly string[];
  readonly rows: readonly Row[];
} {
  const { table } = texts;
  const { rules, gradients, groups } = report;
  const first = rules[0]?.rule;
  const hasRange = (rule: string | undefined) => rule !== undefined && hasVaryingAdvantages(report, rule);
  const many = groups.length > 1;
  const row = ([measure, meaning]: readonly [string, string], cells: readonly string[]): Row => ({
    measure,
    meaning,
    cells,
  });
  const blank = gradients ? [''] : [];
  const ofRules = (name: readonly [string, string], cell: (rule: TruthReport['rules'][number]) => string) =>
    row(name, [...rules.map(cell), ...blank]);
  return {
    heads: [...rules.map(({ rule }) => ruleTitle(rule)), ...(gradients ? [table.truth] : [])],
    rows: [
      ofRules(table.correlation, ({ rule, correlation }) =>
        hasRange(rule) ? correlationText(correlation) : table.noDeviation,
      ),
      ...(rules.length > 1 && noGrounds(report) === undefined
        ? [
            ofRules(table.ahead, ({ rule, ahead }) =>
              rule === first ? '' : hasRange(rule) && hasRange(first) ? correlationText(ahead, true) : table.none,
            ),
          ]
        : []),
      ofRules(table.wrong, ({ wrong }) => share(wrong)),
      ofRules(table.noAdvantage, ({ silent }) => share(silent)),
      ofRules(table.leakage, ({ leakage }) => share(leakage)),
      ofRules(table.clear, ({ clear, steps }) => texts.table.of(clear, steps)),
      ...(gradients
        ? [
            row(
              many ? table.cosines : table.cosine,
              // If all advantages are 0, the gradient is 0 and has no direction.
              gradients.rules.map(({ rule, cosine }) =>
                rule !== 'truth' && isZero(report, rule) ? table.noDeviation : correlationText(cosine),
              ),
            ),
          ]
        : []),
      ...(gradients && many
        ? [
            row(
              table.summed,
              gradients.rules.map(({ summed }) => two(summed)),
            ),
          ]
        : []),
      ...(gradients
        ? [
            row(
              table.error,
              gradients.rules.map(({ error }) => two(error)),
            ),
          ]
        : []),
    ],
  };
}

/** Measured turn in the scatter plot. */
export interface Point extends MeasuredTurn {
  /** Index of the group in the report. */
  readonly group: number;
  /** True if the sign of the measured advantage is certain (see `isClear`). */
  readonly clear: boolean;
}

/** Comparison of a rule's advantage of a turn with the measured advantage. */
export type SignComparison = 'right' | 'wrong' | 'silent' | 'unclear' | 'pruned';

/** Returns all turns in ascending order of their measured advantages. */
export function pointsOf({ groups }: TruthReport): Point[] {
  return groups
    .flatMap(({ turns }, group) => turns.map((turn) => ({ ...turn, group, clear: isClear(turn.advantage) })))
    .sort((a, b) => a.advantage.mean - b.advantage.mean);
}

export function compareSigns({ rules, clear, advantage }: Point, rule: string): SignComparison {
  const value = rules[rule] ?? null;
  if (value === null) return 'pruned';
  if (!clear) return 'unclear';
  if (Math.abs(value) <= ZERO) return 'silent';
  return Math.sign(value) === Math.sign(advantage.mean) ? 'right' : 'wrong';
}

/** Straight line. */
interface Line {
  readonly slope: number;
  readonly intercept: number;
}

/** Advantages of one rule as a function of the measured advantages. */
export interface RuleCloud {
  readonly rule: string;
  /** Largest absolute advantage; 0 if all are 0. */
  readonly maximum: number;
  /** Least-squares fit of the rule's advantage on the measured advantage. Absent if one of them does not vary. */
  readonly fit?: Line;
}

export function cloudOf(points: readonly Point[], rule: string): RuleCloud {
  const pairs = points.flatMap(({ rules, advantage }): (readonly [number, number])[] => {
    const value = rules[rule] ?? null;
    return value === null ? [] : [[advantage.mean, value]];
  });
  const maximum = Math.max(0, ...pairs.map(([, value]) => Math.abs(value)));
  const count = pairs.length;
  const [meanX, meanY] = [0, 1].map((side) => pairs.reduce((sum, pair) => sum + pair[side as 0 | 1], 0) / count);
  let [xx, xy, yy] = [0, 0, 0];
  for (const [x, y] of pairs) {
    xx += (x - meanX) ** 2;
    xy += (x - meanX) * (y - meanY);
    yy += (y - meanY) ** 2;
  }
  if (!(xx > ZERO ** 2 && yy > ZERO ** 2)) return { rule, maximum };
  return { rule, maximum, fit: { slope: xy / xx, intercept: meanY - (xy / xx) * meanX } };
}

/** Returns the ends of the axis of measured advantages. The axis includes all error bars and 0. */
export function truthExtent(points: readonly Point[]): [number, number] {
  const low = Math.min(0, ...points.map(({ advantage }) => advantage.mean - advantage.error));
  const high = Math.max(0, ...points.map(({ advantage }) => advantage.mean + advantage.error));
  return low < high ? [low, high] : [-1, 1];
}
