import { allowed, type Parameter, type ParameterTable, type ParameterValues } from '../../parameters/parameters.ts';
import { type Group, TURN_FIELDS, type Turn, type TurnField } from '../../rollouts/forest.ts';
import { NORMALIZATION, normalize, PROFILES } from '../arithmetic/normalize.ts';
import type { Credit, CreditRule } from '../rule.ts';
import { formatNumber } from './derivation.ts';

// Description of a rule in parts that the terminal, the documentation and the page combine.

type Stage = CreditRule['stages'][number];

/** Meaning of each field of a turn in a file of rollouts. */
export const FIELD_MEANINGS: Readonly<Record<'parent' | 'reward' | TurnField | 'validates', string>> = {
  parent: 'index of the turn that this one continues, -1 for a first turn; parents are listed before their children',
  reward: 'number: the reward of the turn',
  outcome: 'number, on the last turn of a trajectory: the reward of the trajectory',
  solved: 'true or false: the turn ended the task with the best possible reward',
  passed: 'list of 0 and 1: the result of each unit test',
  state: 'string: signature of the state before the turn',
  action: 'string: signature of the action of the turn',
  tokens: 'whole number: tokens that the policy wrote in this turn',
  logProb: 'number: sum of the log-probabilities of these tokens under the policy that wrote them; nats',
  values: "list of numbers: the critic's value at each of these tokens",
  answerLogProb:
    'number: mean log-probability of the tokens of the right answer under the policy, as a reply before the turn; nats',
  stateValue: 'number: mean return of episodes that the policy continued from before the turn',
  validates: 'true or false: the turn checks an earlier change',
};

/** Describes the inputs and outputs of a rule in sentences. */
export function describeRuleFields(rule: CreditRule): string {
  const shape =
    rule.input === 'trajectories'
      ? 'Reads trajectories: a turn with two continuations is an error.'
      : 'Reads trees of turns; trajectories are trees without branches.';
  const fields = ['parent', 'reward', ...rule.reads].join(', ');
  const isPerToken = rule.unit === 'token' && !rule.sharesInTurn;
  const unit = isPerToken ? 'each token its own advantage' : 'each turn one advantage, which its tokens share';
  return `${shape} Needs the fields ${fields}. Gives ${unit}.`;
}

/** Splits the parameters of a rule into its specific parameters and the shared parameters of the normalisation. */
export function splitParameters({ parameters }: CreditRule): {
  readonly specific: readonly Parameter[];
  readonly shared: readonly Parameter[];
} {
  const normalization: ParameterTable = NORMALIZATION;
  const shared = parameters.filter((parameter) => normalization.includes(parameter));
  return { specific: parameters.filter((parameter) => !shared.includes(parameter)), shared };
}

/** Describes the allowed values of a parameter: "a number from 0 to 1; default 1". */
function range(parameter: Parameter): string {
  return `${allowed(parameter)}; default ${parameter.default === '' ? 'nothing' : parameter.default}`;
}

/** Describes the rules and their parameters as plain text for a terminal. */
export function rulesHelp(rules: readonly CreditRule[]): string {
  const sections = rules.map((rule) => {
    const { specific, shared } = splitParameters(rule);
    return [
      `  ${rule.name}: ${rule.title}. ${rule.idea}`,
      `      ${describeRuleFields(rule)}`,
      ...specific.flatMap(parameterHelp),
      ...(shared.length > 0 ? [`      ${shared.map(({ name }) => name).join(', ')}: see normalisation below`] : []),
    ].join('\n');
  });
  const normalisation = [
    '  Normalisation, for the rules that have these parameters; a given constant overrides the profile:',
    ...NORMALIZATION.flatMap(parameterHelp),
  ].join('\n');
  return ['Rules, and their parameters for --set NAME=VALUE:', ...sections, normalisation].join('\n\n');
}

function parameterHelp(parameter: Parameter): string[] {
  const symbol = parameter.symbol ? `${parameter.symbol}; ` : '';
  return [`      ${parameter.name} (${symbol}${range(parameter)})`, `          ${parameter.help}`];
}

/** Tabulates the fields of a turn and their contents, for one rule or for all. */
export function fieldTable(rule?: CreditRule): TextTable {
  const fields = Object.entries(FIELD_MEANINGS).filter(
    ([field]) => !rule || ['parent', 'reward', ...rule.reads].includes(field),
  );
  return { head: ['field', 'holds'], rows: fields.map(([field, meaning]) => [field, meaning]) };
}

/** Tabulates the parameters of a rule; no rows if it has none. */
export function parameterTable({ parameters }: CreditRule): TextTable {
  const rows = parameters.map((parameter) => [
    parameter.name,
    parameter.symbol ?? '',
    parameter.default === '' ? 'nothing' : String(parameter.default),
    allowed(parameter),
    parameter.help,
  ]);
  return { head: ['name', 'symbol', 'default', 'allowed', 'what it does'], rows };
}

/** Rewards for which the profiles give different advantages. */
const DISPUTED = [1, 0, 0, 0];

/**
 * Tabulates the normalisation profiles, with the advantage of the first of the rewards [1, 0, 0, 0] and of a single
 * reward 1.
 */
export function profileTable(): TextTable {
  const rows = Object.entries(PROFILES).map(([name, normalization]) => [
    name,
    String(normalization.ddof),
    formatNumber(normalization.epsilon),
    normalization.scale,
    normalization.singleton,
    formatNumber(normalize(DISPUTED, normalization).advantage[0]),
    formatNumber(normalize([1], normalization).advantage[0]),
  ]);
  const head = ['profile', 'ddof', 'epsilon', 'scale', 'singleton', `first of [${DISPUTED.join(', ')}]`, '1 alone'];
  return { head, rows };
}

/** Tabulates the kernels of a rule in order, with the arrays that they read and write. */
export function kernelTable({ stages }: CreditRule): TextTable {
  const rows: { readonly cells: readonly [string, string, string]; count: number }[] = [];
  for (const stage of stages) {
    const cells = [stage.kernel, arrayNames(stage).join(', '), conditions(stage)] as const;
    const last = rows.at(-1);
    // Murphy's pruning has one stage per turn number; they share one row.
    if (last && cells.every((cell, column) => cell === last.cells[column])) last.count++;
    else rows.push({ cells, count: 1 });
  }
  return {
    head: ['kernel', 'arrays', 'dispatched'],
    rows: rows.map(({ cells: [kernel, arrays, when], count }) => [
      kernel,
      arrays,
      `${count === 1 ? 'once' : `${count} times`}${when}`,
    ]),
  };
}

/** Returns the names of a stage's arrays. The two arrays of a list, offsets and members, count as one. */
function arrayNames({ bindings }: Stage): string[] {
  const labels = Object.values(bindings).map(({ label }) => label);
  const lists = labels.filter(
    (label) => labels.includes(label.replace(/ offset$/, ' member')) && / offset$/.test(label),
  );
  const listOf = (label: string) => lists.find((list) => list === label.replace(/ member$/, ' offset'));
  return [...new Set(labels.map((label) => listOf(label)?.replace(/ offset$/, '') ?? label))];
}

function conditions({ levels, when, variants }: Stage): string {
  const parts = [
    ...(levels ? [' a level'] : []),
    ...(variants && variants.length > 1 ? ['in one form for small lists and one for large lists'] : []),
    ...(when ? ['if the parameters require it'] : []),
  ];
  return parts.map((part) => (part.startsWith(' ') ? part : `, ${part}`)).join('');
}

// The arithmetic of a rule on a group as tables and lines, for the documentation of the rule and for the page.

/** Table of text cells with column headings. */
export interface TextTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Derivation of the advantage of one turn. */
interface TurnDerivation {
  readonly turn: number;
  readonly lines: readonly string[];
}

/** Result of a rule for a group, as tables and derivations. */
export interface GroupDerivation {
  /**
   * One row per turn: its fields, the intermediate values, and the advantage or, for token rules, advantages and
   * returns.
   */
  readonly turns: TextTable;
  /** One row per unit test; undefined if the rule has no values of tests. */
  readonly tests: TextTable | undefined;
  /** Values of the complete group, by name. */
  readonly group: readonly (readonly [name: string, value: string])[];
  readonly derivations: readonly TurnDerivation[];
}

/** Fields of a turn after `parent` and `reward`, in the order of the table. */
const FIELDS = [...TURN_FIELDS, 'validates'] as const;

const EMPTY = '';

/** Applies a rule to a group and derives its advantages. */
export function deriveGroup(rule: CreditRule, group: Group, parameters: ParameterValues = {}): GroupDerivation {
  const credit = rule.credit(group, parameters);
  const extent = (name: string) => rule.outputs[name]?.extent;
  const names = Object.keys(credit.intermediate);
  const overTests = names.filter((name) => extent(name) === 'tests');
  const overGroups = names.filter((name) => extent(name) === 'groups');
  const overTurns = names.filter((name) => !overTests.includes(name) && !overGroups.includes(name));
  return {
    turns: turnTable(rule, group, credit, overTurns),
    tests: overTests.length > 0 ? testTable(credit, overTests) : undefined,
    group: overGroups.map((name) => [name, number(credit.intermediate[name][0])] as const),
    derivations: chosenTurns(group, credit).map((turn) => ({
      turn,
      lines: rule.worked(turn, group, credit, parameters),
    })),
  };
}

function turnTable(rule: CreditRule, group: Group, credit: Credit, names: readonly string[]): TextTable {
  const fields = FIELDS.filter((field) => group.turns.some((turn) => turn[field] !== undefined));
  // A value that only repeats a field, such as the outcome of every turn of a trajectory, adds no information.
  const values = names.filter((name) => !(fields as readonly string[]).includes(name));
  const perTurn = tokenLists(group, credit);
  const last = rule.unit === 'token' ? ['advantages', 'returns'] : ['advantage'];
  const rows = group.turns.map((turn, index) => [
    String(index),
    number(turn.parent),
    number(turn.reward),
    ...fields.map((field) => fieldText(turn, field)),
    ...values.map((name) => number(credit.intermediate[name][index])),
    ...(rule.unit === 'token' ? perTurn(index) : [number(credit.advantage[index], 'pruned')]),
  ]);
  return { head: ['turn', 'parent', 'reward', ...fields, ...values, ...last], rows };
}

function testTable({ intermediate }: Credit, names: readonly string[]): TextTable {
  const count = intermediate[names[0]].length;
  const rows = Array.from({ length: count }, (_, test) => [
    String(test + 1),
    ...names.map((name) => number(intermediate[name][test])),
  ]);
  return { head: ['test', ...names], rows };
}

/** Returns a function that formats the advantages and the returns of the tokens of a turn. */
function tokenLists({ turns }: Group, { tokens }: Credit): (turn: number) => string[] {
  return (turn) => {
    const start = turns.slice(0, turn).reduce((sum, previous) => sum + (previous.tokens ?? 0), 0);
    const cut = (values: Float64Array | undefined) =>
      Array.from(values?.subarray(start, start + (turns[turn].tokens ?? 0)) ?? [], (value) => number(value)).join(', ');
    return [cut(tokens?.advantages), cut(tokens?.returns)];
  };
}

function fieldText(turn: Turn, field: (typeof FIELDS)[number]): string {
  const value = turn[field];
  if (value === undefined) return EMPTY;
  if (Array.isArray(value)) return value.map((element) => number(element)).join(field === 'passed' ? ' ' : ', ');
  return typeof value === 'number' ? number(value) : String(value);
}

function number(value: number, nothing = EMPTY): string {
  return Number.isNaN(value) ? nothing : formatNumber(value);
}

/**
 * Selects the first retained turn and a turn with another advantage. If possible, exactly one of them is a first turn
 * of the group.
 */
function chosenTurns({ turns }: Group, { advantage }: Credit): number[] {
  const retained = [...turns.keys()].filter((turn) => !Number.isNaN(advantage[turn]));
  const [first] = retained;
  if (first === undefined) return [];
  const different = retained.filter((turn) => advantage[turn] !== advantage[first]);
  const deeper = different.find((turn) => turns[turn].parent < 0 !== turns[first].parent < 0);
  const second = deeper ?? different[0];
  return second === undefined ? [first] : [first, second];
}

/**
 * Tabulates the advantages under changed parameters: each other option of a choice, the ends of a range, a short list.
 * Rows that do not change an advantage of this group are omitted.
 */
export function parameterEffects(rule: CreditRule, group: Group): TextTable {
  const rowOf = (label: string, parameters: ParameterValues) => {
    const { advantage, tokens } = rule.credit(group, parameters);
    return [label, Array.from(tokens?.advantages ?? advantage, (value) => number(value, 'pruned')).join(', ')];
  };
  const standard = rowOf('defaults', {});
  const rows = rule.parameters.flatMap((parameter) =>
    listAlternatives(parameter).map((value) => rowOf(`${parameter.name}=${value}`, { [parameter.name]: value })),
  );
  const head = ['parameters', rule.unit === 'token' ? 'advantages of all tokens' : 'advantage of each turn'];
  return { head, rows: [standard, ...rows.filter(([, values]) => values !== standard[1])] };
}

function listAlternatives(parameter: Parameter): (string | number)[] {
  if (parameter.kind === 'choice') return parameter.options.filter((option) => option !== parameter.default);
  if (parameter.kind === 'boolean') return [parameter.default === 'true' ? 'false' : 'true'];
  if (parameter.kind === 'list') return ['1', '2'];
  return [parameter.min, parameter.max].filter((value) => value !== parameter.default);
}
