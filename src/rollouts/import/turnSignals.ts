import { hash64 } from '../signatures.ts';
import type { ImportCounts } from './importCounts.ts';
import { type LoggedRollout, type LoggedTurn, type RolloutKey, withFields } from './rollout.ts';
import { type Columns, ImportError, isRecord } from './row.ts';

/** User options for the detection of turns and turn rewards. */
export interface SignalOptions {
  /** Name of a column with a list of rewards, one per turn or tool call. */
  readonly turnRewards?: string | undefined;
  /** Pairs of tags that end turns. An empty list disables cutting; if undefined, known pairs are detected. */
  readonly cut?: readonly TagPair[] | undefined;
  /** `total` if the reward of a rollout contains its turn rewards. If undefined, their sums determine it. */
  readonly outcome?: 'total' | 'apart' | undefined;
  /** True if a user file computes turn rewards after the import. */
  readonly isScored?: boolean | undefined;
}

/** Tolerance for a sum of turn rewards that equals the reward of the rollout, relative for rewards above 1. */
const EQUAL = 1e-6;
/** Maximum length of a state or action [characters]. Longer texts are truncated and end with a hash. */
const LONGEST = 160;
/** Tags that indicate a tool call in text that was not cut. */
const CALL_STARTS = /<(search|tool_call|code|python|execute|query|bash)>/g;

type Entry = RolloutKey & Partial<LoggedRollout>;

/** Turns, turn rewards, states and actions of the rollouts of a file. The first pass reads all rollouts unchanged. */
export class TurnSignals {
  /** True if the reward of a rollout contains its turn rewards; undefined without turn rewards. */
  outcomeIsTotal: boolean | undefined;
  private rollouts = 0;
  private longest = 0;
  /** True if a turn calls a tool. */
  private hasCalls = false;
  private readonly pairs = new Map<string, { readonly pair: TagPair; times: number }>();
  private readonly opened = new Map<string, number>();
  private readonly lists = new Map<string, { fits: number; misfits: number }>();
  /** True if a turn has a reward. */
  hasRewards = false;
  private sums = 0;
  private added = 0;

  constructor(
    private readonly options: SignalOptions,
    private readonly report: ImportCounts,
  ) {}

  /** Records a rollout in the first pass. */
  see(entry: Entry): void {
    if (!entry.turns) return;
    this.rollouts++;
    this.longest = Math.max(this.longest, entry.turns.length);
    if (entry.output !== undefined && entry.turns.length === 1) this.seeText(entry.turns[0].text);
    const turns = this.cut(entry.turns, entry.output, entry.turns.length > 1);
    this.hasCalls ||= turns.some((turn) => callsOf(turn).length > 0);
    for (const [name, value] of Object.entries(entry.columns ?? {})) this.seeList(name, value, turns);
    const { columns = {}, location, outcome } = entry;
    if (location) this.compare({ turns: this.rewarded({ turns, columns, location }), outcome });
  }

  private seeText(text: string): void {
    for (const pair of pairsIn(text)) {
      const key = `${pair.end} … ${pair.answer}`;
      const known = this.pairs.get(key) ?? { pair, times: 0 };
      known.times++;
      this.pairs.set(key, known);
    }
    for (const [tag] of text.matchAll(CALL_STARTS)) this.opened.set(tag, (this.opened.get(tag) ?? 0) + 1);
  }

  private seeList(name: string, value: unknown, turns: readonly LoggedTurn[]): void {
    if (!isRewards(value) || value.length === 0) return;
    const known = this.lists.get(name) ?? { fits: 0, misfits: 0 };
    if (rewardsByTurn(value, turns)) known.fits++;
    else known.misfits++;
    this.lists.set(name, known);
  }

  /** Compares the reward of a rollout with the sum of its turn rewards. */
  compare({ turns, outcome }: Pick<LoggedRollout, 'turns' | 'outcome'>): void {
    if (turns.every(({ reward }) => reward === undefined)) return;
    this.hasRewards = true;
    if (outcome === undefined) return;
    // A rollout without any reward is consistent with both cases.
    if (outcome === 0 && turns.every(({ reward = 0 }) => reward === 0)) return;
    this.sums++;
    const sum = turns.reduce((total, { reward = 0 }) => total + reward, 0);
    if (Math.abs(sum - outcome) <= EQUAL * Math.max(1, Math.abs(outcome))) this.added++;
  }

  /**
   * Completes the first pass: determines the cuts and `outcomeIsTotal`, and adds both to the report.
   * @throws {ImportError} if no row has a list of numbers in the column of the turn rewards
   */
  settle(): void {
    const { turnRewards, cut, outcome, isScored } = this.options;
    if (turnRewards !== undefined && !this.lists.has(turnRewards)) {
      const fitting = [...this.lists].filter(([, { fits }]) => fits > 0).map(([name]) => name);
      const known = fitting.length > 0 ? `; lists of numbers are ${fitting.join(', ')}` : '';
      throw new ImportError({ column: turnRewards }, `no row has a list of numbers there${known}`);
    }
    if (turnRewards === undefined) {
      const fitting = [...this.lists].filter(([, { fits, misfits }]) => fits > 0 && misfits === 0);
      for (const [name] of fitting) {
        this.report.addNote(`column ${name} could hold rewards of turns: --turn-rewards ${name} takes them`);
      }
    }
    if (this.isCut()) {
      for (const [pair, { times }] of cut ? [] : this.pairs)
        this.report.addNote(`cut at ${pair} (${times} times); --cut none leaves it`);
    } else if (this.longest === 1) {
      const tags = [...this.opened].map(([tag, times]) => `${times} times ${tag}`);
      const rollouts = `${this.rollouts} rollout${this.rollouts === 1 ? ' has' : 's have'} one turn each`;
      if (tags.length > 0 && !cut?.length) {
        this.report.addNote(`${rollouts}, but ${tags.join(', ')}: --cut '</TAG>..<ANSWER>' cuts them into turns`);
      }
    }
    if (!this.hasRewards && outcome !== undefined && !isScored)
      this.report.addNote(`--outcome ${outcome} has no effect: no turn has a reward`);
    if (this.hasRewards && outcome !== undefined) this.outcomeIsTotal = outcome === 'total';
    if (this.sums > 0) {
      this.outcomeIsTotal ??= this.added === this.sums;
      const adding = `turn rewards add up to the reward in ${this.added} of ${this.sums} rollouts`;
      const consequence = this.outcomeIsTotal
        ? 'taken as its parts; --outcome apart adds them to it'
        : 'added to it; --outcome total takes them as its parts';
      this.report.addNote(`${adding}: ${consequence}`);
    }
  }

  /** Returns a rollout with its cut turns, turn rewards, states and actions. */
  apply<Rollout extends LoggedRollout>(rollout: Rollout): Rollout {
    const { columns: all, location } = rollout;
    const cut = this.cut(rollout.turns, rollout.output, !this.isCut());
    const turns = this.rewarded({ turns: cut, columns: all, location });
    const { [this.options.turnRewards ?? '']: _, ...columns } = all;
    return { ...rollout, turns: this.hasCalls ? withStates(turns) : turns, columns };
  }

  private isCut(): boolean {
    return (this.options.cut?.length ?? this.pairs.size) > 0 && (this.options.cut !== undefined || this.longest === 1);
  }

  private cut(turns: readonly LoggedTurn[], output: string | undefined, isComplete: boolean): readonly LoggedTurn[] {
    const { cut } = this.options;
    if (output === undefined || (cut === undefined && isComplete)) return turns;
    return turns.flatMap((turn) => cutTurn(turn, cut ?? pairsIn(turn.text)));
  }

  private rewarded({
    turns,
    columns,
    location,
  }: Pick<LoggedRollout, 'turns' | 'columns' | 'location'>): readonly LoggedTurn[] {
    const { turnRewards } = this.options;
    if (turnRewards === undefined) return turns;
    return assigned(turns, columns, turnRewards, (problem) => {
      throw new ImportError({ ...location, column: turnRewards }, problem);
    });
  }
}

function isRewards(value: unknown): value is readonly (number | null)[] {
  return Array.isArray(value) && value.every((item) => item === null || Number.isFinite(item));
}

/**
 * Returns [turns]: the reward of each turn.
 * @param rewards one value per turn, per turn except the last, or per tool call
 * @returns undefined if the length of the list does not match
 */
function rewardsByTurn(
  rewards: readonly (number | null)[],
  turns: readonly LoggedTurn[],
): readonly number[] | undefined {
  const calls = turns.map((turn) => callsOf(turn).length);
  if (rewards.length === turns.length || rewards.length === turns.length - 1)
    return turns.map((_, at) => rewards[at] ?? 0);
  if (rewards.length !== calls.reduce((sum, count) => sum + count, 0)) return undefined;
  let from = 0;
  return calls.map((count) => {
    const part = rewards.slice(from, from + count);
    from += count;
    return part.reduce((sum: number, item) => sum + (item ?? 0), 0);
  });
}

function assigned(
  turns: readonly LoggedTurn[],
  columns: Columns,
  name: string,
  refuse: (problem: string) => never,
): readonly LoggedTurn[] {
  const value = columns[name];
  if (value === undefined || value === null) return turns;
  if (!isRewards(value)) return refuse('not a list of numbers');
  const rewards = rewardsByTurn(value, turns);
  if (rewards) return turns.map((turn, index) => withFields(turn, { reward: rewards[index] }));
  const calls = turns.reduce((sum, turn) => sum + callsOf(turn).length, 0);
  return refuse(`${value.length} numbers for ${turns.length} turns and ${calls} tool calls`);
}

/** Adds states and actions: a state is the calls before a turn; an action is the calls of the turn, or "answer". */
function withStates(turns: readonly LoggedTurn[]): readonly LoggedTurn[] {
  let before: string | undefined;
  return turns.map((turn) => {
    const calls = callsOf(turn);
    const state = shortened(before || 'start');
    const names = calls.length > 0 ? calls.join(' > ') : 'answer';
    before = before === undefined ? names : `${before} > ${names}`;
    return withFields(turn, { state, action: shortened(calls.join('; ') || 'answer') });
  });
}

function shortened(text: string): string {
  if (text.length <= LONGEST) return text;
  const halves = new Uint32Array(2);
  hash64(text, 0, halves);
  return `${text.slice(0, LONGEST)}… #${hexadecimal(halves[0])}${hexadecimal(halves[1])}`;
}

function hexadecimal(bits: number): string {
  return bits.toString(16).padStart(8, '0');
}

// Notations of tool calls in logs: `tool_calls` of chat messages (objects, or JSON texts as in verifiers), calls of the
// Responses API, `<tool_call>` with JSON, and pairs of tags such as `<search>`.

/** Names of tags that contain a tool call as plain text. */
const CALL_TAGS = ['search', 'code', 'python', 'execute', 'tool', 'query', 'action', 'bash'] as const;
const OPENING = new RegExp(`<(tool_call|${CALL_TAGS.join('|')})>`, 'g');

/** Returns the tool calls of a turn, each as `name(arguments)`; empty if the turn does not call a tool. */
export function callsOf({ text, fields }: LoggedTurn): readonly string[] {
  const listed = [fields.tool_calls, fields.calls].find((list) => Array.isArray(list) && list.length > 0);
  if (Array.isArray(listed)) return listed.map(callText);
  if (!text.includes('<')) return [];
  const calls: string[] = [];
  OPENING.lastIndex = 0;
  for (let match = OPENING.exec(text); match; match = OPENING.exec(text)) {
    const [, tag] = match;
    const end = text.indexOf(`</${tag}>`, OPENING.lastIndex);
    const inner = text.slice(OPENING.lastIndex, end < 0 ? text.length : end).trim();
    calls.push(tag === 'tool_call' ? callText(parsed(inner)) : `${tag}(${inner})`);
    // Tags within a call belong to its arguments.
    OPENING.lastIndex = end < 0 ? text.length : end;
  }
  return calls;
}

/** Formats a call as text, with its arguments sorted by name. */
function callText(call: unknown): string {
  const value = typeof call === 'string' ? parsed(call) : call;
  if (!isRecord(value)) return String(value);
  const { name = 'tool', arguments: given } = isRecord(value.function) ? value.function : value;
  const values = typeof given === 'string' ? parsed(given) : given;
  if (!isRecord(values)) return `${name}(${values === undefined ? '' : JSON.stringify(values)})`;
  const entries = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${name}(${entries.map(([key, entry]) => `${key}=${JSON.stringify(entry)}`).join(', ')})`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Pair of tags at which decoded text is cut. A turn ends with `end`, and `answer` opens the environment's response. */
export interface TagPair {
  /** Closing tag of a turn, for example `</search>`. */
  readonly end: string;
  /** Opening tag of the response, for example `<information>`. */
  readonly answer: string;
}

/** Names of the tags of environment responses. */
const ANSWERS = [
  ...['information', 'result', 'results', 'observation', 'output', 'interpreter', 'tool_response', 'tool_result'],
  ...['documents', 'execution_result', 'execution', 'response', 'obs'],
];
const PAIRS = new RegExp(`</(\\w+)>\\s*<(${ANSWERS.join('|')})>`, 'g');
/** Names of tags that do not end a turn. */
const INNER = ['think', 'thought', 'reasoning', ...ANSWERS];

/** Parses a pair such as `</search>..<information>`. Returns undefined for another text. */
export function readPair(text: string): TagPair | undefined {
  const match = /^\s*(<\/[\w-]+>)\s*\.\.\s*(<[\w-]+>)\s*$/.exec(text);
  return match ? { end: match[1], answer: match[2] } : undefined;
}

/** Returns the known pairs in a text, one entry per occurrence. */
function pairsIn(text: string): readonly TagPair[] {
  return [...text.matchAll(PAIRS)]
    .filter(([, end]) => !INNER.includes(end))
    .map(([, end, answer]) => ({ end: `</${end}>`, answer: `<${answer}>` }));
}

/** Cuts a turn at pairs of tags. A response, with its tags, becomes the observation of the turn before it. */
function cutTurn(turn: LoggedTurn, pairs: readonly TagPair[]): readonly LoggedTurn[] {
  const { text } = turn;
  const turns: LoggedTurn[] = [];
  let from = 0;
  for (let cut = nextCut(text, from, pairs); cut; cut = nextCut(text, from, pairs)) {
    const closing = cut.answer.replace('<', '</');
    const close = text.indexOf(closing, cut.at);
    const until = close < 0 ? text.length : close + closing.length;
    const observation = [{ role: 'environment', content: text.slice(cut.at, until) }];
    turns.push({ text: text.slice(from, cut.end), observation, fields: {} });
    from = until;
  }
  const rest = text.slice(from);
  if (turns.length === 0) return [turn];
  // If the text ends with a response of the environment, no turn follows.
  if (rest.trim() !== '') turns.push({ text: rest.replace(/^\s+/, ''), fields: {}, observation: turn.observation });
  const last = turns.length - 1;
  return turns.map((part, index) => (index === last ? { ...part, fields: turn.fields } : part));
}

function nextCut(text: string, from: number, pairs: readonly TagPair[]) {
  const cuts = pairs.flatMap(({ end, answer }) => {
    for (let at = text.indexOf(end, from); at >= 0; at = text.indexOf(end, at + 1)) {
      const after = at + end.length;
      const gap = /^\s*/.exec(text.slice(after))?.[0].length ?? 0;
      if (text.startsWith(answer, after + gap)) return [{ end: after, at: after + gap, answer }];
    }
    return [];
  });
  return cuts.sort((a, b) => a.end - b.end)[0];
}
