import { basename, dirname, relative } from 'node:path';
import { withTotals } from '../../credit/arithmetic/chains.ts';
import type { Credit, CreditRule } from '../../credit/rule.ts';
import { RULES } from '../../credit/rules.ts';
import { ForestError, type Group, type Turn } from '../../rollouts/forest.ts';
import { PROGRAM } from '../framework/programName.ts';
import { markdownTable } from '../framework/text.ts';

/** Maximum number of characters of an action in the table. */
const ACTION_LIMIT = 48;
/** Smallest absolute credit that is not displayed as 0. */
const SMALLEST = 5e-4;

/** Credit of a group under one rule, or the reason why the rule cannot read the group. */
type Outcome =
  | { readonly rule: CreditRule; readonly credit: Credit }
  | { readonly rule: CreditRule; readonly problem: string };

/**
 * Returns a Markdown document with the credit of each group under every rule, with default parameters. The fields
 * `note` and `source` of a group, if they are texts, appear above and below its table.
 * @param file name of the file on the command line
 * @param out file of the document, from which the document links to `file`
 */
export function creditTables(file: string, groups: readonly Group[], out?: string): string {
  const command = `${PROGRAM} credit --rule all ${out === undefined ? '' : `--out ${out} `}${file}`;
  const link = relative(dirname(out ?? '.'), file).replaceAll('\\', '/');
  const parts = [
    `<!-- Made by \`${command}\`. -->`,
    '# Credit of the same groups under every rule',
    `The file [${basename(file)}](${link}) has ${groups.length} group${groups.length === 1 ? '' : 's'}. ` +
      'Each group has one table: a row is a turn, and a column is the credit under one or more rules.',
    'Rules with equal credit share a column. Credit has three significant figures, all parameters have their defaults, and ✂ is a pruned turn.',
    'GDPO and REINFORCE++ normalise once more over the batch of an update. These tables show one group before that step.',
    ...groups.flatMap(groupParts),
    '## Command',
    `    ${command}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

function groupParts(group: Group): readonly string[] {
  const outcomes = RULES.map((rule) => outcomeOf(rule, group));
  const columns = sharedColumns(outcomes, group.turns.length);
  const head = ['turn', 'after', 'action', 'reward', 'outcome', ...columns.map(({ titles }) => titles.join(', '))];
  const rows = group.turns.map((turn, index) => [
    ...[String(index), turn.parent < 0 ? '' : String(turn.parent), actionOf(turn)],
    ...[plain(turn.reward), turn.outcome === undefined ? '' : plain(turn.outcome)],
    ...columns.map(({ cells }) => cells[index]),
  ]);
  const rejected = rejections(outcomes);
  return [
    `## ${group.id}`,
    ...textOf(group.note),
    markdownTable(head, rows),
    ...(rejected.length > 0 ? [`Rules that cannot read the group:\n\n${rejected.join('\n')}`] : []),
    ...textOf(group.source).map((source) => `Source: ${source}`),
  ];
}

/** Returns a list item for each reason, with the rules that reject the group for this reason. */
function rejections(outcomes: readonly Outcome[]): readonly string[] {
  const rules = new Map<string, string[]>();
  for (const outcome of outcomes) {
    if ('problem' in outcome) rules.set(outcome.problem, [...(rules.get(outcome.problem) ?? []), outcome.rule.title]);
  }
  return [...rules].map(([problem, titles]) => `- ${titles.join(', ')}: ${problem}`);
}

function textOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : [];
}

function outcomeOf(rule: CreditRule, group: Group): Outcome {
  try {
    return { rule, credit: rule.credit(withTotals(rule, group), {}) };
  } catch (error) {
    if (!(error instanceof ForestError)) throw error;
    const { turn, field, problem } = error;
    return { rule, problem: new ForestError({ turn, field }, problem).message };
  }
}

/** Returns the columns of the rules that can read a group. Rules with equal cells share a column. */
function sharedColumns(outcomes: readonly Outcome[], turns: number) {
  const columns = new Map<string, { readonly titles: string[]; readonly cells: readonly string[] }>();
  for (const outcome of outcomes) {
    if (!('credit' in outcome)) continue;
    const cells = Array.from({ length: turns }, (_, turn) => figure(outcome.credit.advantage[turn]));
    const key = cells.join('|');
    const column = columns.get(key);
    if (column) column.titles.push(outcome.rule.title);
    else columns.set(key, { titles: [outcome.rule.title], cells });
  }
  return [...columns.values()];
}

function actionOf({ action, summary }: Turn): string {
  const text = typeof summary === 'string' ? summary : (action ?? '');
  const short = text.length > ACTION_LIMIT ? `${text.slice(0, ACTION_LIMIT)}…` : text;
  return short.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

/** Formats a credit with its sign and three significant figures. */
function figure(credit: number): string {
  if (Number.isNaN(credit)) return '✂';
  if (Math.abs(credit) < SMALLEST) return '0';
  return `${credit < 0 ? '−' : '+'}${Math.abs(credit).toPrecision(3)}`;
}

function plain(value: number): string {
  return String(Number(value.toPrecision(4))).replace('-', '−');
}
