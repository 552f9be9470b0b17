import { flatReason } from '../flatGroups.ts';
import type { Group, Turn } from '../forest.ts';
import { checkGroup } from '../jsonLines.ts';
import type { ImportCounts } from './importCounts.ts';
import { type LoggedRollout, type LoggedTurn, type Prompt, withFields } from './rollout.ts';
import { type Columns, ImportError } from './row.ts';

/** Field names of a turn that are reserved in rollout files. A log column with such a name is stored under `logged`. */
const TURN_FIELDS: ReadonlySet<string> = new Set([
  ...['parent', 'reward', 'outcome', 'solved', 'passed', 'state', 'action', 'validates', 'tokens', 'values'],
  ...['logProb', 'answerLogProb', 'stateValue', 'truncated', 'text', 'observation', 'context', 'components', 'logged'],
]);
const GROUP_FIELDS = ['id', 'step', 'prompt', 'outcomeIsTotal', 'turns', 'leftOut', 'logged'];
const NO_COLUMNS: Columns = Object.freeze({});

/**
 * Creates a group from the rollouts of one prompt. Returns undefined if no rollout has a reward.
 *
 * The turns of a rollout are a chain. A turn has its reward in the log, or 0. The reward of the rollout is the
 * `outcome` of its last turn. Rollouts without a reward or without a turn receive no credit and are listed in
 * `leftOut`.
 * @param outcomeIsTotal true if outcomes contain the turn rewards; undefined if the log has no turn rewards
 */
export function buildGroup(
  { id, step }: { readonly id: string; readonly step: number | undefined },
  rollouts: readonly LoggedRollout[],
  counts: ImportCounts,
  outcomeIsTotal?: boolean,
): Group | undefined {
  const parts = joinSessions(rollouts);
  const rewards = new Set(parts.map(({ turns }) => turns.map(({ reward = 0 }) => reward).join()));
  const isRewarded = rewards.size > 1 && parts.length > 1 && outcomeIsTotal !== undefined;
  const reason = isRewarded ? undefined : flatReason(parts);
  counts.flat(reason, parts.length);
  const scored = parts.filter(({ outcome, turns }) => outcome !== undefined && turns.length > 0);
  const rest = parts.filter((rollout) => !scored.includes(rollout));
  counts.rollouts(parts.length);
  counts.leftOut(rest.filter(({ turns }) => turns.length === 0).length, 'without a turn of the policy');
  counts.leftOut(rest.filter(({ turns }) => turns.length > 0).length, 'without a reward');
  if (scored.length === 0) {
    counts.emptyGroup(id, reason, parts.length);
    return undefined;
  }

  const prompt = shared(parts.map((rollout) => rollout.prompt)) as Prompt | undefined;
  const common = sharedColumns(parts);
  const normalizeRollout = (rollout: LoggedRollout) => ({
    turns: prompt === undefined ? withContext(rollout.turns, rollout.prompt) : rollout.turns,
    columns: { ...without(rollout.promptColumns, common), ...rollout.columns },
  });
  const turns: Turn[] = [];
  for (const rollout of scored) turns.push(...chain(rollout, normalizeRollout(rollout), turns.length));
  const leftOut = rest.map((rollout) => {
    const { turns: list, columns } = normalizeRollout(rollout);
    return {
      ...(rollout.outcome === undefined ? {} : { outcome: rollout.outcome }),
      turns: list.map((turn) => plainTurn({}, turn)),
      ...named(columns, (name) => name === 'turns'),
    };
  });

  counts.group(scored.length, turns, TURN_FIELDS, common);
  return checkGroup({
    id,
    ...(step === undefined ? {} : { step }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(outcomeIsTotal === undefined ? {} : { outcomeIsTotal }),
    ...named(common, (name) => GROUP_FIELDS.includes(name)),
    turns,
    ...(leftOut.length > 0 ? { leftOut } : {}),
  });
}

/** Returns the turns of a rollout. @param from index of its first turn in the group */
function chain(
  { outcome = 0, solved, truncated, components }: LoggedRollout,
  { turns, columns }: Pick<LoggedRollout, 'turns' | 'columns'>,
  from: number,
): Turn[] {
  return turns.map((turn, index): Turn => {
    const parent = index === 0 ? -1 : from + index - 1;
    const reward = turn.reward ?? 0;
    if (index < turns.length - 1) return plainTurn({ parent, reward }, turn);
    const end = {
      parent,
      reward,
      outcome,
      ...(solved === undefined ? {} : { solved }),
      ...(truncated ? { truncated } : {}),
      ...(components === undefined ? {} : { components }),
    };
    return plainTurn(end, turn, columns);
  });
}

/** Adds to `start` the fields that a turn has at any position, and the columns of its row. */
function plainTurn<Fields extends Record<string, unknown>>(
  start: Fields,
  turn: LoggedTurn,
  columns = NO_COLUMNS,
): Fields {
  const { text, tokens, state, action, observation, context, fields } = turn;
  const plain: Record<string, unknown> = start;
  if (tokens !== undefined) plain.tokens = tokens;
  if (state !== undefined) plain.state = state;
  if (action !== undefined) plain.action = action;
  if (context !== undefined) plain.context = context;
  plain.text = text;
  if (observation !== undefined) plain.observation = observation;
  const turnFields = named(fields, (name) => TURN_FIELDS.has(name));
  const row = named(columns, (name) => TURN_FIELDS.has(name) || Object.hasOwn(turnFields, name));
  if (turnFields === NO_COLUMNS && row === NO_COLUMNS) return start;
  const logged = { ...(turnFields.logged as object), ...(row.logged as object) };
  // The empty first part is faster (see `withFields`). Object.assign would lose a column named __proto__.
  return { ...NO_COLUMNS, ...start, ...turnFields, ...row, ...(Object.keys(logged).length > 0 ? { logged } : {}) };
}

/** Returns columns by name. Columns with reserved names are in an object under `logged`. */
function named(columns: Columns, isReserved: (name: string) => boolean): Columns {
  const all = Object.entries(columns);
  if (all.length === 0) return NO_COLUMNS;
  const free = all.filter(([name]) => !isReserved(name));
  const clashing = all.filter(([name]) => isReserved(name));
  return { ...Object.fromEntries(free), ...(clashing.length > 0 ? { logged: Object.fromEntries(clashing) } : {}) };
}

/**
 * Joins the parts of each session to one rollout, because verl logs one row per output of an agent.
 * @throws {ImportError} for a session with two parts of equal number
 */
function joinSessions(rollouts: readonly LoggedRollout[]): LoggedRollout[] {
  const sessions = new Map<string, LoggedRollout[]>();
  rollouts.forEach((rollout, index) => {
    const session = rollout.session ?? `row ${index}`;
    sessions.set(session, [...(sessions.get(session) ?? []), rollout]);
  });
  return [...sessions.values()].map((parts) => {
    if (parts.length === 1) return parts[0];
    const ordered = parts.toSorted((a, b) => (a.part ?? 0) - (b.part ?? 0));
    const twice = ordered.find(({ part }, index) => part === ordered[index + 1]?.part);
    if (twice) throw new ImportError(twice.location, `part ${twice.part} of session ${twice.session} is there twice`);
    const last = ordered[ordered.length - 1];
    const turns = ordered.flatMap((part, index) => {
      const list = index === 0 ? part.turns : withContext(part.turns, part.prompt);
      if (part === last) return list;
      return list.map((turn, at) =>
        at < list.length - 1 ? turn : { ...turn, fields: { ...turn.fields, ...part.columns } },
      );
    });
    return { ...last, prompt: ordered[0].prompt, turns };
  });
}

function withContext(turns: readonly LoggedTurn[], context: Prompt | undefined): readonly LoggedTurn[] {
  if (context === undefined || turns.length === 0) return turns;
  return [withFields(turns[0], { context: turns[0].context ?? context }), ...turns.slice(1)];
}

/** Returns the value if all values are equal, otherwise undefined. */
function shared(values: readonly unknown[]): unknown {
  if (values.every((value) => value === values[0])) return values[0];
  const first = JSON.stringify(values[0]);
  return values.every((value) => JSON.stringify(value) === first) ? values[0] : undefined;
}

function sharedColumns(rollouts: readonly LoggedRollout[]): Record<string, unknown> {
  const names = Object.keys(rollouts[0].promptColumns);
  const values = names.map((name) => [name, shared(rollouts.map(({ promptColumns }) => promptColumns[name]))] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function without(columns: Readonly<Record<string, unknown>>, common: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(columns).filter(([name]) => !Object.hasOwn(common, name)));
}
