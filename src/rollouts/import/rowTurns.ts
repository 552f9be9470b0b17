import type { ImportCounts } from './importCounts.ts';
import { type LoggedRollout, type LoggedTurn, type Message, withFields } from './rollout.ts';

/**
 * Joins rows that are turns of one rollout. Some agent loops write one row per call of the policy, all with the uid of
 * the prompt. The input of a later row then begins with the input and output of the previous row.
 * @param name name of the group, for messages
 */
export function joinRows(rows: readonly LoggedRollout[], name: string, report: ImportCounts): readonly LoggedRollout[] {
  if (rows.every(({ prompt }) => prompt === rows[0].prompt)) return rows;
  const inputs = new Set(rows.map(({ prompt }) => prompt));
  const unfit = ({ prompt, output, session }: LoggedRollout) =>
    typeof prompt !== 'string' || output === undefined || session !== undefined;
  if (rows.some(unfit)) return rows;
  const after = new Map<number, number>();
  const before = new Map<number, number>();
  rows.forEach((_, index) => {
    const earlier = previousRow(rows, index, after);
    if (earlier === undefined) return;
    after.set(earlier, index);
    before.set(index, earlier);
  });
  const first = rows.flatMap((_, index) => (before.has(index) ? [] : [index]));
  if (new Set(first.map((index) => rows[index].prompt)).size > 1) {
    report.addNote(`rows of group ${name} have ${inputs.size} different inputs: each counts as a rollout of its input`);
    return rows;
  }
  report.note(
    'rollouts joined from rows that are turns (an input begins with the input and output of the row before)',
    first.length,
  );
  return first.map((start) => {
    const chain = [start];
    for (let next = after.get(start); next !== undefined; next = after.get(next)) chain.push(next);
    return joined(chain.map((index) => rows[index]));
  });
}

/**
 * Returns the index of the row that a row continues. Among the rows without a continuation whose text starts the input,
 * it has the longest text, and then the nearest position before the row.
 */
function previousRow(
  rows: readonly LoggedRollout[],
  index: number,
  after: ReadonlyMap<number, number>,
): number | undefined {
  const input = String(rows[index].prompt);
  const fits = rows.flatMap((row, at) => {
    const text = `${row.prompt}${row.output}`;
    return at !== index && !after.has(at) && input.startsWith(text) ? [{ at, length: text.length }] : [];
  });
  const longest = Math.max(...fits.map(({ length }) => length));
  const nearest = fits.filter(({ length }) => length === longest).map(({ at }) => at);
  return nearest.filter((at) => at < index).at(-1) ?? nearest[0];
}

function joined(rows: readonly LoggedRollout[]): LoggedRollout {
  const last = rows[rows.length - 1];
  const turns = rows.flatMap((row, index): readonly LoggedTurn[] => {
    if (row === last) return row.turns;
    const text = `${row.prompt}${row.output}`;
    const observation = answers(String(rows[index + 1].prompt).slice(text.length));
    return row.turns.map((turn, at) =>
      at < row.turns.length - 1 ? turn : withFields(turn, { observation, fields: { ...turn.fields, ...row.columns } }),
    );
  });
  return { ...last, prompt: rows[0].prompt, turns };
}

/** Parses the text between two turns as messages, without the header of the assistant. */
function answers(text: string): readonly Message[] {
  const match = /^\s*(user|tool|function|observation|environment)\n([\s\S]*?)\n*(?:assistant\n)?$/.exec(text);
  return match ? [{ role: match[1], content: match[2] }] : [{ role: 'environment', content: text }];
}
