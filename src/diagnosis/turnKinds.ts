import { childrenOf, type Group, type Turn } from '../rollouts/forest.ts';
import { callsOf } from '../rollouts/import/turnSignals.ts';

/** Kind of all turns that call any tool. */
export const ANY_CALL = 'any call';
/** Kind of turns without a call in rollouts that call a tool. */
export const AFTER_CALL = 'answer after a call';
/** Kind of turns in rollouts that call no tool. */
export const WITHOUT_CALL = 'answer without a call';
/** Common name of the tools above TOOLS_LIMIT. */
const REMAINING_TOOLS = 'other tools';

/**
 * Maximum number of tools with separate numbers, and of characters of a name. The policy can invent any number of
 * names.
 */
const TOOLS_LIMIT = 12;
const LONGEST = 40;

/** First words of actions in groups of Turnwise that do not call a tool. */
const NO_TOOL = ['answer', 'skip', 'malformed', 'submit', 'finish', 'stop'];

/** Returns the names of the tools that a turn calls, without duplicates. */
function toolsOf(turn: Turn): readonly string[] {
  if (typeof turn.text !== 'string' && turn.text === undefined) return toolOfAction(turn.action);
  const calls = callsOf({ text: typeof turn.text === 'string' ? turn.text : '', fields: turn });
  return [...new Set(calls.map((call) => nameOf(call)))];
}

/**
 * Returns the tool of an action in a group of Turnwise, which has no text. An action with arguments is a call: "search
 * r1 e39".
 */
function toolOfAction(action: string | undefined): readonly string[] {
  const [name, ...given] = (action ?? '').split(' ');
  return given.length > 0 && !NO_TOOL.includes(name) ? [name.slice(0, LONGEST)] : [];
}

function nameOf(call: string): string {
  const end = call.indexOf('(');
  const name = (end < 0 ? call : call.slice(0, end)).trim();
  return /^[\w.:/-]+$/.test(name) ? name.slice(0, LONGEST) : 'call';
}

/** Rollouts and turns of a group, with the tools that they call. */
export interface GroupKinds {
  /** [rollouts][turns of the rollout] indices of turns. Rollouts are in the order of their last turns. */
  readonly paths: readonly (readonly number[])[];
  /** [turns] kinds of each turn. A turn that calls two tools has two kinds. */
  readonly kinds: readonly (readonly string[])[];
  /** [rollouts] names of the tools that each rollout calls. */
  readonly tools: readonly ReadonlySet<string>[];
}

/** Classifies turns. The number of tools over all groups is limited. */
export class TurnKinds {
  private readonly names = new Set<string>();

  of(group: Group): GroupKinds {
    const called = group.turns.map((turn) => toolsOf(turn).map((name) => this.limited(name)));
    const paths = pathsOf(group);
    const calling = new Set<number>();
    const tools = paths.map((path) => {
      const names = new Set<string>();
      for (const turn of path) for (const name of called[turn]) names.add(name);
      if (names.size > 0) for (const turn of path) calling.add(turn);
      return names;
    });
    const kinds = called.map((names, turn) =>
      names.length > 0 ? names : [calling.has(turn) ? AFTER_CALL : WITHOUT_CALL],
    );
    return { paths, kinds, tools };
  }

  private limited(name: string): string {
    if (this.names.has(name)) return name;
    if (this.names.size >= TOOLS_LIMIT) return REMAINING_TOOLS;
    this.names.add(name);
    return name;
  }
}

/**
 * Returns [rollouts][turns] the paths from first turns to last turns, in the order of last turns. Trees are supported.
 */
function pathsOf(group: Group): number[][] {
  return childrenOf(group).flatMap((children, leaf) => {
    if (children.length > 0) return [];
    const path: number[] = [];
    for (let turn = leaf; turn >= 0; turn = group.turns[turn].parent) path.unshift(turn);
    return [path];
  });
}
