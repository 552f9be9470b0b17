import type { GroupView } from '../../../training/data/protocol.ts';
import { plain } from '../../drawing/numbers.ts';
import { creditOf, runChoice } from '../../inspector/choice.ts';
import { sheetStrings } from '../../strings/sheetStrings.ts';
import type { Sheet } from './sheet.ts';

/** Maximum number of groups in the table. */
const LIMIT = 6;
/** Magnitude up to which an advantage counts as 0, because of rounding errors. */
const ZERO = 1e-6;

/**
 * Creates an exercise on several groups of a run. The user marks the groups in which all advantages of a rule are 0.
 * @returns undefined if the run has only groups of one kind
 */
export function tiedGroupSheet(groups: readonly GroupView[], rule: string): Sheet | undefined {
  const texts = sheetStrings.tiedGroups;
  const displayed = choose(groups, rule);
  if (displayed.length === 0) return undefined;
  return {
    caption: texts.caption(displayed.length),
    columns: [texts.group, texts.outcomes, texts.mean],
    rows: displayed.map(({ group }, index) => ({
      cells: [texts.name(index, group.step), texts.rewardCounts(counted(group)), plain(meanOf(group))],
      isQuestion: false,
    })),
    given: [],
    questions: [
      {
        kind: 'pick',
        label: texts.question,
        options: displayed.map(({ group, isTied }, index) => ({ label: texts.name(index, group.step), right: isTied })),
        derivation: displayed.map(({ group, isTied }, index) =>
          texts.solutionText(texts.name(index, group.step), isTied, largest(group, rule)),
        ),
      },
    ],
  };
}

/** Returns the largest magnitude of an advantage of a group; 0 if the rule cannot read the group. */
function largest({ forest }: GroupView, rule: string): number {
  const { credit } = creditOf(forest, runChoice(rule, {}), rule);
  return credit ? Math.max(0, ...[...credit.advantage].map(Math.abs)) : 0;
}

/** Returns the newest groups of both kinds, in the order of their steps; empty if there is only one kind. */
function choose(groups: readonly GroupView[], rule: string) {
  const entries = groups.map((group) => ({ group, isTied: largest(group, rule) <= ZERO }));
  const [tiedEntries, loud] = [entries.filter((entry) => entry.isTied), entries.filter((entry) => !entry.isTied)];
  if (tiedEntries.length === 0 || loud.length === 0) return [];
  const count = Math.min(LIMIT / 2, tiedEntries.length);
  const chosen = new Set([...tiedEntries.slice(-count), ...loud.slice(count - LIMIT)]);
  return entries.filter((entry) => chosen.has(entry));
}

/** Returns the outcomes and the number of attempts with each, in descending order of the outcomes. */
function counted({ rollouts }: GroupView): readonly (readonly [paid: string, tries: number])[] {
  const sorted = rollouts.map(({ outcome }) => outcome).sort((a, b) => b - a);
  const counts = new Map<string, number>();
  for (const outcome of sorted) counts.set(plain(outcome), (counts.get(plain(outcome)) ?? 0) + 1);
  return [...counts];
}

function meanOf({ rollouts }: GroupView): number {
  return rollouts.reduce((sum, { outcome }) => sum + outcome, 0) / rollouts.length;
}
