import type { Parameter, ParameterValues } from '../../parameters/parameters.ts';
import { type Group, TURN_FIELDS, type Turn } from '../../rollouts/forest.ts';
import type { Credit, CreditRule } from '../rule.ts';
import { formatNumber } from './derivation.ts';

// A rule's arithmetic on a small group, as tables and lines: for its documentation, and for any group of the page.

/** Cells as text, in columns under their headings. */
export interface TextTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** One turn's advantage, written out. */
export interface TurnDerivation {
  readonly turn: number;
  readonly lines: readonly string[];
}

/** Result of a rule for a group. */
export interface GroupDerivation {
  /** A row a turn: its fields, the intermediate values, the advantage or, for token rules, advantages and returns. */
  readonly turns: TextTable;
  /** A row a unit test, where the rule has values of tests. */
  readonly tests: TextTable | undefined;
  /** Values of the whole group by their names. */
  readonly group: readonly (readonly [name: string, value: string])[];
  readonly derivations: readonly TurnDerivation[];
}

/** Fields of a turn in the order of the table; `parent` and `reward` come before them. */
const FIELDS = [...TURN_FIELDS, 'validates'] as const;

const EMPTY = '';

/** Runs a rule on a group and writes down what it made of it. */
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

/** Advantages and returns of a turn's tokens. */
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

/** The first turn that was not pruned, and the first behind it at another place and with another advantage. */
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
 * Changes of the advantages with each parameter: every other option of a choice, the ends of a range, a short list.
 * Rows that change nothing on this group are left out.
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
