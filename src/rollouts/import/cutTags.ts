import type { LoggedTurn } from './rollout.ts';

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
export function pairsIn(text: string): readonly TagPair[] {
  return [...text.matchAll(PAIRS)]
    .filter(([, end]) => !INNER.includes(end))
    .map(([, end, answer]) => ({ end: `</${end}>`, answer: `<${answer}>` }));
}

/** Cuts a turn at pairs of tags. A response, with its tags, becomes the observation of the turn before it. */
export function cutTurn(turn: LoggedTurn, pairs: readonly TagPair[]): readonly LoggedTurn[] {
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
