import type { Value } from '@turnwise/python-sandbox/types';
import { childrenOf, depthsOf, type Group, type Turn } from '../rollouts/forest.ts';
import { contentText } from '../rollouts/import/messages.ts';
import type { Message } from '../rollouts/import/rollout.ts';
import { callsOf } from '../rollouts/import/turnSignals.ts';
import { FUEL, LIMITS, type RuleSandbox } from './customRules.ts';
import { CustomRuleError, failureOf, fieldsOf, numberOf, returnedBy } from './results.ts';

/** Fields that a score can set. */
const FIELDS = ['reward', 'state', 'action'] as const;
type Field = (typeof FIELDS)[number];

/**
 * Python code that loads the file and calls its function for each turn. The function shares its interpreter with this
 * code, so the host checks all output.
 */
const DRIVER = `
import json

def load(file, source):
    names = {'__name__': 'turnwise_score', '__file__': file}
    try:
        exec(compile(source, file, 'exec'), names)
    except SyntaxError as error:
        return names, {'problem': 'does not parse: ' + str(error.msg), 'line': error.lineno}
    except BaseException as error:
        return names, failure(error, names)
    if not callable(names.get('score')):
        return names, {'problem': 'there is no function score(turn)'}
    return names, None

def failure(error, names, group=None, turn=None):
    line, trace = None, error.__traceback__
    while trace is not None:
        line = trace.tb_lineno if trace.tb_frame.f_globals is names else line
        trace = trace.tb_next
    return {'problem': type(error).__name__ + ': ' + str(error)[:300], 'line': line, 'group': group, 'turn': turn}

def answer(text):
    if problem:
        return problem
    made = []
    for group, turns in enumerate(json.loads(text)):
        made.append([])
        for index, turn in enumerate(turns):
            try:
                made[-1].append(names['score'](turn))
            except BaseException as error:
                return failure(error, names, group, index)
    return made
`;

/** Score of a turn: fields that replace fields of the log. */
type Score = Partial<Pick<Turn, Field>>;

/** Scorer of turns. The function `score(turn)` of a Python file computes rewards, states and actions in the sandbox. */
export class TurnScores {
  /** Number of turns whose field was set, by field. */
  readonly counts: Record<Field, number> = { reward: 0, state: 0, action: 0 };
  /** Number of scored turns. */
  turns = 0;
  /** Number of turns whose reward in the log was replaced. */
  replaced = 0;

  /**
   * @param outcomeIsTotal true if the outcome of a rollout includes the new rewards
   * @param fuel maximum fuel of a batch of groups [interpreter steps]
   */
  constructor(
    private readonly sandbox: RuleSandbox,
    private readonly program: { readonly file: string; readonly source: string },
    private readonly outcomeIsTotal: boolean,
    private readonly fuel = FUEL,
  ) {}

  /**
   * Scores groups in one call of the sandbox.
   * @returns the groups with the computed rewards, states and actions
   * @throws {CustomRuleError} with the file, the line, the group and the turn
   */
  async score(groups: readonly Group[]): Promise<readonly Group[]> {
    const { file, source } = this.program;
    const [name, text] = [file, source].map((value) => JSON.stringify(value));
    const input = JSON.stringify(groups.map((group) => recordsOf(group, source)));
    const job = {
      program: `${DRIVER}\nnames, problem = load(${name}, ${text})\n`,
      entry: 'answer',
      inputs: [[input]],
      limits: { ...LIMITS, fuel: this.fuel },
      retain: true,
    };
    const [[outcome]] = await this.sandbox.execute([job]);
    const value = returnedBy(outcome, { file }, this.fuel);
    const fields = fieldsOf(value);
    const failure = failureOf(fields, file, { group: groups[Number(fields.get('group') ?? Number.NaN)]?.id });
    if (failure) throw failure;
    const lists = Array.isArray(value) ? (value as readonly Value[]) : [];
    return groups.map((group, index) => this.scored(group, lists[index]));
  }

  private scored(group: Group, list: Value | undefined): Group {
    if (!Array.isArray(list) || list.length !== group.turns.length)
      throw new CustomRuleError({ file: this.program.file, group: group.id }, 'changed the program that calls it');
    const scores = (list as readonly Value[]).map((value, turn) => this.read(value, { group: group.id, turn }));
    const turns = group.turns.map((turn, index) => {
      const score = scores[index];
      this.turns++;
      if (score.reward !== undefined && turn.reward !== 0 && turn.reward !== score.reward) this.replaced++;
      for (const field of FIELDS) if (score[field] !== undefined) this.counts[field]++;
      return { ...turn, ...score };
    });
    const hasRewards = scores.some(({ reward }) => reward !== undefined);
    return { ...group, ...(hasRewards ? { outcomeIsTotal: this.outcomeIsTotal } : {}), turns };
  }

  /** Reads the score of a turn: a number is a reward, a dictionary has the fields, and None changes no field. */
  private read(value: Value, at: { readonly group: string; readonly turn: number }): Score {
    if (value === null) return {};
    const refuse = (problem: string): never => {
      throw new CustomRuleError({ file: this.program.file, ...at }, problem);
    };
    const isDict = typeof value === 'object' && 'dict' in value;
    const fields = isDict ? fieldsOf(value) : new Map([['reward', value]]);
    if (isDict && fields.size < value.dict.length) refuse('score() returned a dictionary with a key that is no text');
    const score: { reward?: number; state?: string; action?: string } = {};
    for (const [name, field] of fields) {
      if (field === null) continue;
      if (name === 'reward') {
        const number = numberOf(field);
        if (number === undefined)
          return refuse(isDict ? 'the reward is not a number' : 'score() must return a number, a dictionary or None');
        if (!Number.isFinite(number)) return refuse('the reward is not a finite number');
        score.reward = number;
      } else if (name === 'state' || name === 'action') {
        if (typeof field !== 'string') return refuse(`the ${name} is not a text`);
        score[name] = field;
      } else refuse(`score() returned "${name}"; known: ${FIELDS.join(', ')}`);
    }
    return score;
  }
}

/**
 * Returns the data of the turns of a group that `score` receives: a fixed set of fields, and the logged fields that its
 * source names.
 */
function recordsOf(group: Group, source: string): readonly object[] {
  const names = new Set(source.match(/[A-Za-z_]\w*/g));
  const { turns, prompt } = group as Group & { readonly prompt?: unknown };
  const [depths, children] = [depthsOf(group), childrenOf(group)];
  return turns.map((turn, index) => {
    const {
      text = '',
      observation,
      ...rest
    } = turn as Turn & { readonly text?: string; readonly observation?: unknown };
    const named = Object.fromEntries(Object.entries(rest).filter(([field]) => names.has(field)));
    return {
      ...(names.has('prompt') && prompt !== undefined ? { prompt: textOf(prompt) } : {}),
      ...named,
      text,
      calls: callsOf({ text, fields: rest }),
      observation: observation === undefined ? '' : textOf(observation),
      turn: depths[index],
      last: children[index].length === 0,
    };
  });
}

/** Returns a text, or the joined text of chat messages. */
function textOf(given: unknown): string {
  if (!Array.isArray(given)) return String(given);
  return (given as readonly Message[]).map(({ content }) => contentText(content)).join('\n');
}
