import { FIELD_MEANINGS } from '../../credit/explanation/ruleText.ts';
import type { Group, Turn } from '../../rollouts/forest.ts';
import type { ProgramDetail, Span, TestDetail, ToolDetail } from '../../rollouts/rolloutBatch.ts';
import type { GroupView, RolloutView, TokenView } from '../../training/data/protocol.ts';

/** Group with the readable content of its turns. Credit rules read only `group`. */
export interface Inspected {
  readonly group: Group;
  /** [turns] */
  readonly details: readonly TurnDetail[];
}

/** Readable content of a turn. All fields are optional. */
export interface TurnDetail {
  /** Summary of the turn in one short sentence. */
  readonly summary?: string;
  /** Program and its test results. Absent if the turn is not a program. */
  readonly detail?: ProgramDetail;
  /** Tool call and its result. Absent if the turn called no tool. */
  readonly tool?: ToolDetail;
  /** Tokens that the policy wrote; their number is `Turn.tokens`. */
  readonly tokens?: readonly TokenText[];
  /** Text that the policy wrote. It is not shown if `tokens` is present. */
  readonly text?: string;
}

interface TokenText {
  readonly text: string;
  readonly kind?: string;
}

/** Fields of a turn that the views show separately. */
const DISPLAYED = [...Object.keys(FIELD_MEANINGS), 'summary', 'detail', 'tool', 'tokenTexts', 'text'];

/**
 * Reads the details of a group from a file. They are `summary` and `text` (strings), `detail` (ProgramDetail), `tool`
 * (ToolDetail) and `tokenTexts` (list of strings or TokenText). `listRemainingFields` returns fields of other forms.
 */
export function inspect(group: Group): Inspected {
  return { group, details: group.turns.map(detailOf) };
}

function detailOf(turn: Turn): TurnDetail {
  const { summary, text, detail, tool } = turn;
  const tokens = tokenTexts(turn.tokenTexts);
  return {
    ...(typeof summary === 'string' ? { summary } : {}),
    ...(typeof text === 'string' ? { text } : {}),
    ...(isProgram(detail) ? { detail } : {}),
    ...(isTool(tool) ? { tool } : {}),
    ...(tokens ? { tokens } : {}),
  };
}

/** Returns the fields of a turn that no view shows separately, as JSON, so that no part of a file is hidden. */
export function listRemainingFields(turn: Turn): readonly (readonly [name: string, text: string])[] {
  const displayed = detailOf(turn) as Readonly<Record<string, unknown>>;
  const left = Object.entries(turn).filter(([name]) => {
    if (name === 'states') return statesOf(turn) === undefined;
    const key = name === 'tokenTexts' ? 'tokens' : name;
    return !DISPLAYED.includes(name) || (!(name in FIELD_MEANINGS) && displayed[key] === undefined);
  });
  return left.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
}

/** Returns the displayed group of a run with its tokens and details. */
export function inspectView({ forest, rollouts }: GroupView): Inspected {
  const details: TurnDetail[] = forest.turns.map(() => ({}));
  for (const rollout of rollouts) {
    rollout.turns.forEach(({ forestTurn, summary, detail, tool }, turn) => {
      const tokens = writtenTokens(rollout, turn).map(({ text, kind }) => ({ text, kind }));
      const description = { summary, text: textOf(tokens), ...(detail ? { detail } : {}), ...(tool ? { tool } : {}) };
      details[forestTurn] = { ...description, tokens };
    });
  }
  return { group: forest, details };
}

/** Returns the tokens that the policy wrote in a turn. @param turn index of the turn in the rollout */
export function writtenTokens({ tokens }: RolloutView, turn: number): readonly TokenView[] {
  return tokens.filter((token) => token.turn === turn);
}

/**
 * Returns the action of a turn as text: its tool call, for example `view("app.py")`, or else the action that rules
 * compare.
 */
export function actionText({ group, details }: Inspected, turn: number): string {
  return details[turn]?.tool?.call ?? group.turns[turn]?.action ?? '';
}

/** Joins tokens into one text, separated by spaces. */
export function textOf(tokens: readonly TokenText[]): string {
  return tokens.map(({ text }) => text).join(' ');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isProgram(value: unknown): value is ProgramDetail {
  if (!isRecord(value) || typeof value.program !== 'string') return false;
  if (!Array.isArray(value.tests) || !value.tests.every(isTest)) return false;
  if (value.modelReward !== undefined && typeof value.modelReward !== 'number') return false;
  return [value.feedback, value.reflection].every((text) => text === undefined || typeof text === 'string');
}

function isTest(value: unknown): value is TestDetail {
  if (!isRecord(value)) return false;
  const { args, expected, got, passed, visible, agrees = false } = value;
  return [args, expected, got].every((text) => typeof text === 'string') && [passed, visible, agrees].every(isBoolean);
}

function isTool(value: unknown): value is ToolDetail {
  if (!isRecord(value) || typeof value.call !== 'string') return false;
  const { answer } = value;
  return Array.isArray(answer) && answer.every((line) => Array.isArray(line) && line.every(isSpan));
}

function isSpan(value: unknown): value is Span {
  if (!isRecord(value) || typeof value.text !== 'string') return false;
  return value.mark === undefined || value.mark === 'wrong' || value.mark === 'changed';
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function tokenTexts(value: unknown): readonly TokenText[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const tokens = value.map((token: unknown) => (typeof token === 'string' ? { text: token } : token));
  const fits = (token: unknown): token is TokenText =>
    isRecord(token) && typeof token.text === 'string' && (token.kind === undefined || typeof token.kind === 'string');
  return tokens.every(fits) ? tokens : undefined;
}

/** Cached groups by granularity of their states. Caches of credit require that all elements use the same object. */
const cache = new WeakMap<Group, Map<string, Group>>();

/**
 * Returns the names of the granularities at which all turns of a group have a state; empty if there are fewer than two.
 */
export function granularities({ turns }: Group): readonly string[] {
  const [first, ...rest] = turns.map(statesOf);
  const names = Object.keys(first ?? {}).filter((name) => rest.every((states) => states?.[name] !== undefined));
  return names.length > 1 ? names : [];
}

/** Returns the granularity at which a group was recorded; undefined if its states match no available granularity. */
export function recordedGranularity(group: Group): string | undefined {
  return granularities(group).find((name) => group.turns.every((turn) => statesOf(turn)?.[name] === turn.state));
}

/**
 * Returns a group with the states of another granularity; the same group if it has no such states or already uses them.
 */
export function atGranularity(group: Group, name: string | undefined): Group {
  if (name === undefined) return group;
  const ofGroup = cache.get(group) ?? new Map<string, Group>();
  cache.set(group, ofGroup);
  const result = ofGroup.get(name) ?? withStates(group, name);
  ofGroup.set(name, result);
  return result;
}

function withStates(group: Group, name: string): Group {
  if (!granularities(group).includes(name) || recordedGranularity(group) === name) return group;
  return { ...group, turns: group.turns.map((turn): Turn => ({ ...turn, state: statesOf(turn)?.[name] ?? '' })) };
}

/** Returns `states` of a turn; undefined if the value, which may come from a file, is not a record of strings. */
function statesOf({ states }: Turn): Readonly<Record<string, string>> | undefined {
  const given: unknown = states;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  return Object.values(given).every((state) => typeof state === 'string') ? states : undefined;
}
