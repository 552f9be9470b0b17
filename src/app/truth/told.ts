import { isClear } from '../../experiments/truth/trueAdvantages.ts';
import type { TruthReport } from '../../training/data/truthReport.ts';
import { ruleTitle } from '../address/pageTables.ts';
import { truthStrings } from '../strings/truthStrings.ts';
import { correlationText, share, two } from './truthNumbers.ts';

const texts = truthStrings;

/** Below this the measured advantages are mostly error, and a large batch does not know its direction. */
const LEAST_RELIABILITY = 0.5;
/** With fewer clear turns the correlations hang on one or two of them, and nothing is said of which rule is closer. */
export const LEAST_CLEAR = 4;
/** Rollouts of one group from which intervals are no longer rough. */
const ENOUGH = 12;

/** Describes a measurement in plain sentences; the first are about the measurement itself. */
export function told(report: TruthReport): string[] {
  return [...aboutTruth(report), ...aboutRules(report), ...aboutGradients(report)];
}

function aboutTruth({ precision, rules, groups, resampled, continuations }: TruthReport): string[] {
  const { told: say } = texts;
  const { reliability, error, deviation } = precision;
  const turns = groups.flatMap((group) => group.turns);
  const rollouts = new Set(turns.map(({ rollout }) => rollout)).size;
  const lines: string[] = [];
  if (turns.length > 1 && !(deviation > 0)) lines.push(say.noSpread);
  else if (continuations === 0) lines.push(say.exact);
  else if (Number.isFinite(reliability)) {
    lines.push(
      reliability < LEAST_RELIABILITY
        ? say.unreliable(two(reliability))
        : say.reliability(two(reliability), two(error), two(deviation)),
    );
  }
  if (deviation > 0 && rules.every(({ clear }) => clear === 0)) lines.push(say.noneClear);
  if (resampled === 'rollouts' && rollouts < 2) lines.push(say.noInterval);
  else if (resampled === 'rollouts' && rollouts < ENOUGH) lines.push(say.fewRollouts(rollouts));
  return lines;
}

/** True if a rule gives every turn that it does not leave out the advantage 0. */
function isSilent({ groups }: TruthReport, rule: string): boolean {
  return groups.every(({ turns }) => turns.every(({ rules }) => Math.abs(rules[rule] ?? 0) < ZERO));
}

/** True if a rule gives its turns different advantages: a correlation with equal advantages has no meaning. */
export function hasSpread({ groups }: TruthReport, rule: string): boolean {
  const own = groups.flatMap(({ turns }) => turns.flatMap(({ rules }) => rules[rule] ?? []));
  return own.some((value) => Math.abs(value - (own[0] ?? 0)) >= ZERO);
}

/** Below this an advantage, or a difference, is 0. */
const ZERO = 1e-9;

function aboutRules(report: TruthReport): string[] {
  const { told: say } = texts;
  const [first, ...others] = report.rules;
  const silent = report.rules
    .filter(({ rule }) => isSilent(report, rule))
    .map(({ rule }) => say.allZero(ruleTitle(rule)));
  if (!first || !hasSpread(report, first.rule)) return silent;
  const comparable = others.filter(
    ({ rule, ahead: { value, low } }) => hasSpread(report, rule) && !Number.isNaN(value) && !Number.isNaN(low),
  );
  const [same, different] = [true, false].map((wanted) =>
    comparable.filter(({ ahead: { low, high } }) => Math.max(Math.abs(low), Math.abs(high)) < ZERO === wanted),
  ) as [typeof comparable, typeof comparable];
  const alike = same.map(({ rule }) => say.same(ruleTitle(rule), ruleTitle(first.rule)));
  if (different.length === 0) return [...silent, ...alike];
  const missing = noGrounds(report);
  if (missing !== undefined) return [...silent, ...alike, missing];
  const compared = different.map(({ rule, ahead: { low, high } }) => {
    const names = [ruleTitle(rule), ruleTitle(first.rule)] as const;
    if (low > 0) return say.better(...names);
    return high < 0 ? say.worse(...names) : say.undecided(...names);
  });
  const decided = different.some(({ ahead: { low, high } }) => low > 0 || high < 0);
  const counted = decided && report.plan.counts.kind === 'outcome' ? [say.outcomeOnly] : [];
  return [...silent, ...alike, ...compared, ...counted];
}

/** Reason not to rank the rules; undefined if the measurement is precise enough. */
function noGrounds({ precision, groups }: TruthReport): string | undefined {
  const { told: say } = texts;
  const turns = groups.flatMap((group) => group.turns);
  const clear = turns.filter(({ advantage }) => isClear(advantage)).length;
  if (clear < LEAST_CLEAR) return say.noVerdict(clear, turns.length, LEAST_CLEAR);
  if (precision.reliability >= LEAST_RELIABILITY) return undefined;
  return say.noVerdictOfError(two(precision.reliability), two(LEAST_RELIABILITY));
}

function aboutGradients({ gradients, plan }: TruthReport): string[] {
  const { told: say } = texts;
  if (!gradients) return plan.gradientGroups > 0 ? [say.noGradients] : [];
  const { groups, halves } = gradients;
  return [halves < LEAST_RELIABILITY ? say.poorHalves(groups, two(halves)) : say.halves(groups, two(halves))];
}

/** A row of the table: a measure, what it means, and each rule's value. */
export interface Row {
  readonly measure: string;
  readonly meaning: string;
  /** [rules, then the measured advantages where gradients are known] */
  readonly cells: readonly string[];
}

/** The table of a measurement: a column a rule. */
export function tableOf(report: TruthReport): {
  readonly heads: readonly string[];
  readonly rows: readonly Row[];
} {
  const { table } = texts;
  const { rules, gradients, groups } = report;
  const first = rules[0]?.rule;
  const spread = (rule: string | undefined) => rule !== undefined && hasSpread(report, rule);
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
        spread(rule) ? correlationText(correlation) : table.noSpread,
      ),
      ...(rules.length > 1 && noGrounds(report) === undefined
        ? [
            ofRules(table.ahead, ({ rule, ahead }) =>
              rule === first ? '' : spread(rule) && spread(first) ? correlationText(ahead, true) : table.none,
            ),
          ]
        : []),
      ofRules(table.wrong, ({ wrong }) => share(wrong)),
      ofRules(table.silent, ({ silent }) => share(silent)),
      ofRules(table.leakage, ({ leakage }) => share(leakage)),
      ofRules(table.clear, ({ clear, steps }) => texts.table.of(clear, steps)),
      ...(gradients
        ? [
            row(
              many ? table.cosines : table.cosine,
              // Without advantages there is no gradient that could point anywhere.
              gradients.rules.map(({ rule, cosine }) =>
                rule !== 'truth' && isSilent(report, rule) ? table.noSpread : correlationText(cosine),
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
