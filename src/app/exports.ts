import { groupId } from '../rollouts/groupNames.ts';
import { writeRunFile } from '../storage/runFile.ts';
import type { GroupView, Metrics, RolloutView, SavedRun } from '../training/protocol.ts';
import { textOf, writtenTokens } from './inspector/inspected.ts';

/** Hands a text to the visitor as a file. */
export function download(name: string, type: string, text: string): void {
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(new Blob([text], { type }));
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}

/** Metrics that are tables by name, and what their columns are called. */
const TABLES = { components: 'component', facts: 'fact', heldOut: 'heldOut' } as const;

/**
 * Every metric of every step as CSV. Reward components, facts of the environment and figures on held-out tasks become
 * columns of their own: `component:right`, `fact:pass1`, `heldOut:iter1`.
 */
export function curvesCsv(metrics: readonly Metrics[]): string {
  const keys = Object.keys(metrics[0] ?? {}).filter((key) => !(key in TABLES)) as (keyof Metrics)[];
  const tables = (Object.keys(TABLES) as (keyof typeof TABLES)[]).flatMap((table) => {
    const names = new Set(metrics.flatMap((row: Partial<Metrics>) => Object.keys(row[table] ?? {})));
    return [...names].map((name) => ({ table, name }));
  });
  const header = [...keys, ...tables.map(({ table, name }) => `${TABLES[table]}:${name}`)];
  const rows = metrics.map((row: Partial<Metrics>) => [
    ...keys.map((key) => row[key]),
    ...tables.map(({ table, name }) => row[table]?.[name]),
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
  const told = new Map(group.rollouts.flatMap(toldTurns));
  const turns = forest.turns.map((turn, index) => ({ ...turn, ...told.get(index) }));
  return `${JSON.stringify({ id: groupId(step, group.group), question, rule, step, sampleOnly, turns })}\n`;
}

/** What a file holds of each turn of a sequence beside what the credit rules read, by its index in the forest. */
function toldTurns(rollout: RolloutView): [forestTurn: number, told: object][] {
  return rollout.turns.map(({ forestTurn, reward: _, advantage, outcomeOnlyAdvantage, ...told }, index) => {
    const own = writtenTokens(rollout, index);
    return [
      forestTurn,
      {
        ...told,
        // JSON has no NaN: a pruned turn has no advantage, and outcome-only credit says nothing of trees.
        ...(Number.isNaN(advantage) ? {} : { advantage }),
        ...(Number.isNaN(outcomeOnlyAdvantage) ? {} : { outcomeOnlyAdvantage }),
        ...(own[0]?.advantage === undefined ? {} : { tokenAdvantages: own.map((token) => token.advantage) }),
        tokenTexts: own.map(({ text, kind }) => ({ text, kind })),
        text: textOf(own),
      },
    ];
  });
}

/** A kept run as arguments of `download`. */
export function runFileOf(saved: SavedRun): [name: string, type: string, text: string] {
  const { controls, seed } = saved.configuration;
  return [`turnwise-${controls.rule}-seed-${seed}-step-${saved.step}.json`, 'application/json', writeRunFile(saved)];
}
