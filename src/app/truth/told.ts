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

/** A column of the table: its head, and each rule's cell. */
export interface Column {
  readonly head: string;
  /** [rules, then the measured advantages where gradients are known] */
  readonly cells: readonly string[];
}

/** The table of a measurement; the last row, under `truth`, has cosines alone. */
export function tableOf({ rules, gradients, groups }: TruthReport): {
  readonly rows: readonly string[];
  readonly columns: readonly Column[];
} {
  const { table } = texts;
  const first = rules[0]?.rule ?? '';
  const blank = gradients ? [''] : [];
  const own = (head: string, cell: (rule: TruthReport['rules'][number]) => string): Column => ({
    head,
    cells: [...rules.map(cell), ...blank],
  });
  const many = groups.length > 1;
  return {
    rows: [...rules.map(({ rule }) => ruleTitle(rule)), ...(gradients ? [table.truth] : [])],
    columns: [
      own(table.correlation, ({ correlation }) => correlationText(correlation)),
      ...(rules.length > 1
        ? [own(table.less(ruleTitle(first)), ({ rule, ahead }) => (rule === first ? '' : correlationText(ahead, true)))]
        : []),
      own(table.wrong, ({ wrong }) => share(wrong)),
      own(table.silent, ({ silent }) => share(silent)),
      own(table.clear, ({ clear, steps }) => `${clear} / ${steps}`),
      ...(gradients
        ? [
            {
              head: many ? table.cosines : table.cosine,
              cells: gradients.rules.map(({ cosine }) => correlationText(cosine)),
            },
            ...(many ? [{ head: table.summed, cells: gradients.rules.map(({ summed }) => two(summed)) }] : []),
          ]
        : []),
    ],
  };
}
