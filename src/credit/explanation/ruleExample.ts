import type { Parameter, ParameterValues } from '../../parameters/parameters.ts';
import { type Group, TURN_FIELDS, type Turn } from '../../rollouts/forest.ts';
import type { Credit, CreditRule } from '../rule.ts';
import { formatNumber } from './derivation.ts';

// The arithmetic of a rule on a group as tables and lines, for the documentation of the rule and for the page.

/** Table of text cells with column headings. */
export interface TextTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Derivation of the advantage of one turn. */
export interface TurnDerivation {
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
