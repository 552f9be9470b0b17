import { basename, dirname, relative } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { rulesHelp } from '../../credit/explanation/ruleText.ts';
import type { Credit, CreditRule } from '../../credit/rule.ts';
import { parseRuleParameters } from '../../credit/ruleFacts.ts';
import { creditOrError, findRule, RULES } from '../../credit/rules.ts';
import type { Gpu } from '../../gpu/device.ts';
import { ParameterError, type ParameterValues } from '../../parameters/parameters.ts';
import { ForestError, type Group, type Turn } from '../../rollouts/forest.ts';
import { unpacked } from '../../rollouts/import/openLog.ts';
import { readGroup, textLines } from '../../rollouts/jsonLines.ts';
import { type Command, defineCommand, valuesOf } from '../framework/command.ts';
import { findRules, isRuleFile, withCustomRules } from '../framework/customRuleFiles.ts';
import { withGpu } from '../framework/device.ts';
import { EXIT, Interrupted, UsageError } from '../framework/errors.ts';
import { choice, type Flag, list, text } from '../framework/flags.ts';
import { bytesOf, type Input, inputOf } from '../framework/inputs.ts';
import { PROGRAM } from '../framework/installation.ts';
import { markdownTable, type Terminal } from '../framework/terminal.ts';
import { withOutputs } from '../output/outputs.ts';
import { openResult, type Result } from '../output/result.ts';
import { type Assignment, assignCredit } from './creditRun.ts';

const NAMES = RULES.map(({ name }) => name);
/** Value of --rule for a table of every rule. */
const ALL = 'all';

type Entry = readonly [name: string, value: string];

const SET: Flag<readonly (readonly Entry[])[]> = list(
  'NAME=VALUE',
  'Parameters of the rule, listed below. Commas separate the values of a list: intra=4,8.',
  // A comma before another NAME= ends a value. Other commas are part of the value.
  (given) =>
    given.split(/,(?=\s*\w+\s*=)/).map((part): Entry => {
      const match = /^\s*(\w+)\s*=\s*(.*?)\s*$/s.exec(part);
      if (!match) throw new UsageError(`"${part}" is not NAME=VALUE`);
      return [match[1], match[2]];
    }),
);

const RULE: Flag<string | undefined> = {
  ...choice(
    `The credit rule; ${ALL} for a Markdown table of every rule; or the path of a Python file, ./my_rule.py (docs/use/python.md).`,
    [...NAMES, ALL],
    NAMES[0],
  ),
  fallback: undefined,
  add: (_, given, name) => {
    if (isRuleFile(given) || NAMES.includes(given) || given === ALL) return given;
    throw new UsageError(
      `--${name}: "${given}" is not one of ${NAMES.join(', ')}, ${ALL}, or the path of a file that ends in .py`,
    );
  },
};

interface CreditFlags {
  readonly set: readonly (readonly Entry[])[];
  readonly profile: string | undefined;
  readonly device: string;
  readonly out: string | undefined;
}

/** Command that computes the credit of rollouts in a file. */
export const creditCommand: Command = defineCommand({
  as: (args): Command => {
    const named = RULES.filter(({ name }) => valuesOf('rule', args).includes(name));
    return named.length === 1 ? { ...creditCommand, notes: () => rulesHelp(named) } : creditCommand;
  },
  name: 'credit',
  summary: 'compute the credit of each turn of your rollouts, under any rule',
  description:
    'Reads groups of rollouts as JSON Lines, one group per line: {"id": "a", "turns": [{"parent": -1, "reward": 0.5}, ' +
    '...]}. Writes one line per group, in the same order: the id of the group, the advantage of each turn (null if the ' +
    'rule pruned the turn), and the intermediate values of the rule. Token-level rules write advantages and returns as ' +
    'one list per turn. All lines are written at the end; if a line is wrong, no line is written. A file may be larger ' +
    'than the memory.',
  operands: {
    placeholder: 'FILE',
    help: 'Groups of rollouts as JSON Lines; - for standard input.',
    least: 1,
    maximum: 1,
  },
  flags: {
    rule: RULE,
    set: SET,
    profile: text('NAME', 'Trainer whose constants normalise a group; the same as --set profile=NAME.'),
    device: choice(
      'Where to compute: cpu in 64-bit floats, or gpu in 32-bit floats through WebGPU.',
      ['cpu', 'gpu'],
      'cpu',
    ),
    out: text('FILE', 'Output file; the default is standard output.'),
  },
  parameters: [],
  notes: () => `${rulesHelp(RULES)}\n\nHelp for one rule: credit --help --rule NAME`,
  examples: [
    '--rule mt-grpo rollouts.jsonl',
    '--rule mt-grpo --set alpha=0.5 --profile trl --out credit.jsonl rollouts.jsonl',
    '--rule grpo-or --device gpu - < rollouts.jsonl',
    '--rule all --out table.md rollouts.jsonl',
    '--rule ./my_rule.py --set alpha=0.5 rollouts.jsonl',
  ],
  async run({ flags, operands: [file] }, terminal) {
    if (flags.rule === ALL) return creditByAll(flags, file, terminal);
    if (isRuleFile(flags.rule)) return creditByFile(flags.rule, flags, file, terminal);
    const rule = RULES.find(({ name }) => name === flags.rule);
    if (!rule) throw new UsageError(`--rule is missing: one of ${NAMES.join(', ')}`);
    const parameters = readParameters(rule, flags.set.flat(), flags.profile);
    const input = inputOf(file, 'a file of rollouts', terminal);
    return deliver(flags.out, terminal, (result) => {
      const work = (gpu?: Gpu) => assign({ rule, parameters, gpu }, input, result, terminal);
      return flags.device === 'gpu' ? withGpu(terminal, work) : work();
    });
  },
});

/** Writes the complete result, then its report on standard error. */
function deliver(
  file: string | undefined,
  terminal: Terminal,
  work: (result: Result) => Promise<readonly string[]>,
): Promise<number> {
  return withOutputs(terminal, { out: file }, {}, async ({ out }) => {
    const result = openResult(terminal, out);
    try {
      const report = await work(result);
      if (terminal.signal.aborted) throw new Interrupted();
      await result.deliver();
      for (const line of report) terminal.err(`${line}\n`);
    } finally {
      result.discard();
    }
    return EXIT.done;
  });
}

/** Writes a Markdown table of every rule with default parameters. */
function creditByAll({ set, profile, device, out }: CreditFlags, file: string, terminal: Terminal): Promise<number> {
  if (set.length > 0 || profile !== undefined)
    throw new UsageError(`--rule ${ALL}: rules have different parameters; leave --set and --profile out`);
  if (device === 'gpu') throw new UsageError(`--device gpu: --rule ${ALL} computes in 64-bit floats; use --device cpu`);
  const input = inputOf(file, 'a file of rollouts', terminal);
  return deliver(out, terminal, (result) =>
    reading(input, terminal, async (bytes) => {
      const groups: Group[] = [];
      for await (const { text: line, number } of textLines(bytes)) groups.push(readGroup(line, number));
      if (groups.length > 0) result.write(creditTables(file, groups, out));
      return { groups: groups.length, lines: () => [`${groups.length} group${groups.length === 1 ? '' : 's'}`] };
    }),
  );
}

/** Computes the credit under a rule in a Python file, in the sandbox. */
async function creditByFile(
  path: string,
  { set, profile, device, out }: CreditFlags,
  file: string,
  terminal: Terminal,
): Promise<number> {
  if (device === 'gpu') throw new UsageError('--device gpu: a rule in a file runs on the CPU; use --device cpu');
  const entries = [...set.flat(), ...(profile === undefined ? [] : [['profile', profile] as const])];
  const input = inputOf(file, 'a file of rollouts', terminal);
  return withCustomRules(async (customRules) => {
    const [{ rule: name, rest }] = await findRules([{ rule: path, given: Object.fromEntries(entries) }], customRules);
    const [unknown] = Object.keys(rest);
    if (unknown !== undefined) throw new UsageError(`--set: ${path} has no parameter "${unknown}"`);
    return deliver(out, terminal, (result) =>
      assign({ rule: findRule(name), parameters: {}, customRules }, input, result, terminal),
    );
  });
}

/**
 * Parses the parameters of a rule.
 * @throws {UsageError} for a parameter that the rule lacks, a value out of range, or a repeated parameter
 */
function readParameters(rule: CreditRule, set: readonly Entry[], profile: string | undefined): ParameterValues {
  const known = rule.parameters.map(({ name }) => name);
  const given = [
    ...set.map((entry) => ({ entry, flag: '--set' })),
    ...(profile === undefined ? [] : [{ entry: ['profile', profile] as const, flag: '--profile' }]),
  ];
  given.forEach(({ entry: [name], flag }, index) => {
    if (!known.includes(name)) {
      throw new UsageError(`${flag}: ${rule.name} has no parameter "${name}"; known: ${known.join(', ') || 'none'}`);
    }
    const before = given.slice(0, index).find(({ entry: [key] }) => key === name);
    if (before) throw new UsageError(`${flag}: ${name} is given twice`);
  });
  try {
    return parseRuleParameters(rule, Object.fromEntries(given.map(({ entry }) => entry)));
  } catch (error) {
    if (error instanceof ParameterError) throw new UsageError(`--set for ${rule.name}: ${error.message}`);
    throw error;
  }
}

async function assign(
  assignment: Assignment,
  input: Input,
  result: Result,
  terminal: Terminal,
): Promise<readonly string[]> {
  return reading(input, terminal, async (bytes) => {
    const { groups, report } = await assignCredit(
      bytes,
      assignment,
      (piece) => result.write(piece),
      undefined,
      terminal.signal,
    );
    return { groups, lines: () => report.lines() };
  });
}

/**
 * Reads a file of groups, and returns the lines of the report.
 * @throws {ForestError} also if the file has no groups
 */
async function reading(
  input: Input,
  terminal: Terminal,
  work: (bytes: AsyncIterable<Uint8Array>) => Promise<{ groups: number; lines(): readonly string[] }>,
): Promise<readonly string[]> {
  const stream = input.open();
  addAbortSignal(terminal.signal, stream);
  try {
    const { groups, lines } = await work(unpacked(input.name, bytesOf(input.name, stream)));
    if (groups === 0) throw new ForestError({}, 'has no groups');
    return lines();
  } catch (error) {
    if (terminal.signal.aborted) throw new Interrupted();
    throw error instanceof ForestError ? error.of(input.name) : error;
  } finally {
    stream.destroy();
  }
}

/** Maximum number of characters of an action in the table. */
const ACTION_LIMIT = 48;
/** Smallest absolute credit that is not displayed as 0. */
const SMALLEST = 5e-4;

/** Credit of a group under one rule, or the error of a rule that cannot read the group. */
interface Outcome {
  readonly rule: CreditRule;
  readonly credit: Credit | ForestError;
}

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
  const outcomes = RULES.map((rule): Outcome => ({ rule, credit: creditOrError(rule, group) }));
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
  for (const { rule, credit } of outcomes) {
    if (!(credit instanceof ForestError)) continue;
    const { turn, field, problem } = credit;
    const { message } = new ForestError({ turn, field }, problem);
    rules.set(message, [...(rules.get(message) ?? []), rule.title]);
  }
  return [...rules].map(([problem, titles]) => `- ${titles.join(', ')}: ${problem}`);
}

function textOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : [];
}

/** Returns the columns of the rules that can read a group. Rules with equal cells share a column. */
function sharedColumns(outcomes: readonly Outcome[], turns: number) {
  const columns = new Map<string, { readonly titles: string[]; readonly cells: readonly string[] }>();
  for (const { rule, credit } of outcomes) {
    if (credit instanceof ForestError) continue;
    const cells = Array.from({ length: turns }, (_, turn) => figure(credit.advantage[turn]));
    const key = cells.join('|');
    const column = columns.get(key);
    if (column) column.titles.push(rule.title);
    else columns.set(key, { titles: [rule.title], cells });
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
