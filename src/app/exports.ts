import { writeRunFile } from '../storage/runFile.ts';
import type { GroupView, Metrics, RolloutView, SavedRun } from '../training/protocol.ts';

/** Hands a text to the visitor as a file. */
export function download(name: string, type: string, text: string): void {
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(new Blob([text], { type }));
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}

/** Every metric of every step as CSV; reward components become columns of their own. */
export function curvesCsv(metrics: readonly Metrics[]): string {
  const components = new Set(metrics.flatMap((row) => Object.keys(row.components)));
  const keys = Object.keys(metrics[0] ?? {}).filter(
    (key) => key !== 'components' && key !== 'facts',
  ) as (keyof Metrics)[];
  const header = [...keys, ...[...components].map((name) => `component:${name}`)];
  const rows = metrics.map((row) => [
    ...keys.map((key) => row[key]),
    ...[...components].map((name) => row.components[name]),
  ]);
  return [header, ...rows].map((row) => `${row.map(csvCell).join(',')}\n`).join('');
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A group as one line of JSON: its turns as the credit rules read them, what was written, and what it was worth. */
export function groupJsonLine(group: GroupView): string {
  const { step, question, rule, sampleOnly, forest } = group;
  const told = group.rollouts.flatMap(toldTurns);
  const turns = forest.turns.map((turn, index) => ({ ...turn, ...told[index] }));
  return `${JSON.stringify({ id: `step-${step}-group-${group.group}`, question, rule, step, sampleOnly, turns })}\n`;
}

/** What a file holds of the turns of a sequence beside what the credit rules read; sequences are in the forest's order. */
function toldTurns({ turns, tokens }: RolloutView): object[] {
  return turns.map(({ forestTurn: _, reward: _reward, ...told }, index) => {
    const own = tokens.filter((token) => token.turn === index);
    return {
      ...told,
      ...(own[0]?.advantage === undefined ? {} : { tokenAdvantages: own.map(({ advantage }) => advantage) }),
      tokenTexts: own.map(({ text, kind }) => ({ text, kind })),
      text: own.map(({ text }) => text).join(' '),
    };
  });
}

/** A kept run as arguments of `download`. */
export function runFileOf(saved: SavedRun): [name: string, type: string, text: string] {
  const { controls, seed } = saved.configuration;
  return [`turnwise-${controls.rule}-seed-${seed}-step-${saved.step}.json`, 'application/json', writeRunFile(saved)];
}
