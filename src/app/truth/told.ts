import type { TruthReport } from '../../training/truthReport.ts';
import { strings } from '../strings.ts';
import { ruleTitle } from '../tables.ts';
import { correlationText, share, two } from './numbers.ts';

const texts = strings.truth;

/** Below this the measured advantages are mostly error, and a large batch does not know its direction. */
const POOR = 0.5;
/** Rollouts of one group from which intervals are no longer rough. */
const ENOUGH = 12;

/** What a measurement says, in plain sentences; the first are about the measurement itself. */
export function told(report: TruthReport): string[] {
  return [...aboutTruth(report), ...aboutRules(report), ...aboutGradients(report)];
}

function aboutTruth({ precision, rules, groups, resampled }: TruthReport): string[] {
  const { told: say } = texts;
  const { reliability, error, deviation } = precision;
  const turns = groups.flatMap((group) => group.turns);
  const rollouts = new Set(turns.map(({ rollout }) => rollout)).size;
  const lines: string[] = [];
  if (turns.length > 1 && !(deviation > 0)) lines.push(say.noSpread);
  else if (Number.isFinite(reliability)) {
    lines.push(
      reliability < POOR
        ? say.unreliable(two(reliability))
        : say.reliability(two(reliability), two(error), two(deviation)),
    );
  }
  if (deviation > 0 && rules.every(({ clear }) => clear === 0)) lines.push(say.noneClear);
  if (resampled === 'rollouts' && rollouts < 2) lines.push(say.noInterval);
  else if (resampled === 'rollouts' && rollouts < ENOUGH) lines.push(say.fewRollouts(rollouts));
  return lines;
}

/** Whether a rule gives every turn that it does not leave out the advantage 0. */
export function isSilent({ groups }: TruthReport, rule: string): boolean {
  return groups.every(({ turns }) => turns.every(({ rules }) => Math.abs(rules[rule] ?? 0) < 1e-9));
}

function aboutRules(report: TruthReport): string[] {
  const { told: say } = texts;
  const [first, ...others] = report.rules;
  const silent = report.rules
    .filter(({ rule }) => isSilent(report, rule))
    .map(({ rule }) => say.allZero(ruleTitle(rule)));
  if (!first) return silent;
  const compared = others.flatMap(({ rule, ahead: { value, low, high } }): string[] => {
    const names = [ruleTitle(rule), ruleTitle(first.rule)] as const;
    if (Number.isNaN(value) || Number.isNaN(low)) return [];
    if (Math.max(Math.abs(low), Math.abs(high)) < 1e-9) return [say.same(...names)];
    if (low > 0) return [say.better(...names)];
    return [high < 0 ? say.worse(...names) : say.undecided(...names)];
  });
  return [...silent, ...compared];
}

function aboutGradients({ gradients, plan }: TruthReport): string[] {
  const { told: say } = texts;
  if (!gradients) return plan.gradientGroups > 0 ? [say.noGradients] : [];
  const { groups, halves } = gradients;
  return [halves < POOR ? say.poorHalves(groups, two(halves)) : say.halves(groups, two(halves))];
}

/** A row of the table: a measure, what it means, and each rule's value. */
export interface Row {
  readonly measure: string;
  readonly meaning: string;
  /** [rules, then the measured advantages where gradients are known] */
  readonly cells: readonly string[];
}

/** The table of a measurement: a column a rule. */
export function tableOf({ rules, gradients, groups }: TruthReport): {
  readonly heads: readonly string[];
  readonly rows: readonly Row[];
} {
  const { table } = texts;
  const first = rules[0]?.rule;
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
      ofRules(table.correlation, ({ correlation }) => correlationText(correlation)),
      ...(rules.length > 1
        ? [ofRules(table.ahead, ({ rule, ahead }) => (rule === first ? '' : correlationText(ahead, true)))]
        : []),
      ofRules(table.wrong, ({ wrong }) => share(wrong)),
      ofRules(table.silent, ({ silent }) => share(silent)),
      ofRules(table.clear, ({ clear, steps }) => texts.table.of(clear, steps)),
      ...(gradients
        ? [
            row(
              many ? table.cosines : table.cosine,
              gradients.rules.map(({ cosine }) => correlationText(cosine)),
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
    ],
  };
}
