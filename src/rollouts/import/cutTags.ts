import type { LoggedTurn } from './rollout.ts';

/** A pair of tags at which decoded text is cut: a turn ends with `end`, and the environment answers in `answer`. */
export interface TagPair {
  /** For example `</search>`. */
  readonly end: string;
  /** For example `<information>`. */
  readonly answer: string;
}

/** Names of tags in which environments answer. */
const ANSWERS = [
  ...['information', 'result', 'results', 'observation', 'output', 'interpreter', 'tool_response', 'tool_result'],
  ...['documents', 'execution_result', 'execution', 'response', 'obs'],
];
const PAIRS = new RegExp(`</(\\w+)>\\s*<(${ANSWERS.join('|')})>`, 'g');
/** Tags that end no turn. */
const INNER = ['think', 'thought', 'reasoning', ...ANSWERS];

/** Reads `</search>..<information>`; undefined for another text. */
export function readPair(text: string): TagPair | undefined {
  const match = /^\s*(<\/[\w-]+>)\s*\.\.\s*(<[\w-]+>)\s*$/.exec(text);
  return match ? { end: match[1], answer: match[2] } : undefined;
}

/** Returns the known pairs in a text, each as often as it occurs. */
export function pairsIn(text: string): readonly TagPair[] {
  return [...text.matchAll(PAIRS)]
    .filter(([, end]) => !INNER.includes(end))
    .map(([, end, answer]) => ({ end: `</${end}>`, answer: `<${answer}>` }));
}

/** Cuts a turn at pairs of tags. Text between the tags of an answer becomes the observation of the turn before it. */
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
  // A rollout that ends with an answer of the environment has no turn after it.
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
