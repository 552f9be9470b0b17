import { endsOf, type FlatReason, flatGroupReason, reasonsText } from '../flatGroups.ts';
import type { Group, Turn } from '../forest.ts';
import { printable } from '../quoting.ts';

/** Maximum number of columns in a line, and maximum length of a name [characters]. */
const MAX_NAMES = 60;
const LONGEST = 80;

/**
 * Counts of the data that an import read, created and retained, for a report. An import drops no data of a log without
 * a line in the report.
 */
export class ImportCounts {
  rows = 0;
  groups = 0;
  turns = 0;
  /** Number of groups with one rollout. Rules that compare rollouts assign no credit in them. */
  lone = 0;
  /** Log columns that turns and groups retain, with the number of turns or groups that have them. */
  readonly inTurns = new Map<string, number>();
  readonly inGroups = new Map<string, number>();
  /** Number of groups in which a rule cannot compare rollouts, by reason. */
  readonly reasons = new Map<FlatReason, number>();
  /** Groups without a scored rollout. They are not written. */
  readonly unscored: { readonly reason: FlatReason; readonly rollouts: number }[] = [];
  private imported = 0;
  private all = 0;
  private total = 0;
  private inFiles = 0;
  private flatRollouts = 0;
  private readonly apart = new Map<string, number>();
  private readonly notes = new Map<string, number>();
  private readonly empty: string[] = [];
  private readonly extraLines: string[] = [];
  /** Steps from the paths of files whose rows have no step. */
  private readonly steps = new Map<string, number>();

  rollouts(count: number): void {
    this.imported += count;
    this.all += count;
  }

  /** Counts a written group. @param standardFields fields of turns that the importer sets */
  group(rollouts: number, turns: readonly Turn[], standardFields: ReadonlySet<string>, columns: object): void {
    this.groups++;
    this.turns += turns.length;
    if (rollouts === 1) this.lone++;
    for (const turn of turns) {
      for (const name of Object.keys(turn)) if (!standardFields.has(name)) count(this.inTurns, name);
      for (const name of Object.keys(turn.logged ?? {})) count(this.inTurns, `logged.${name}`);
    }
    for (const name of Object.keys(columns)) count(this.inGroups, name);
  }

  /** Counts a group, written or not. @param reason reason for which its rollouts cannot be compared, if any */
  flat(reason: FlatReason | undefined, rollouts: number): void {
    this.total++;
    if (!reason) return;
    count(this.reasons as Map<string, number>, reason);
    this.flatRollouts += rollouts;
  }

  /** Counts a group of a file of groups. */
  read(group: Group): void {
    const { length } = endsOf(group);
    this.inFiles++;
    this.all += length;
    this.flat(flatGroupReason(group), length);
  }

  /** Records a file whose rows use the step of its path. */
  stepOfPath(file: string, step: number): void {
    this.steps.set(file, step);
  }

  leftOut(rollouts: number, why: string): void {
    if (rollouts > 0) count(this.apart, why, rollouts);
  }

  /** Records a group without a scored rollout. */
  emptyGroup(id: string, reason: FlatReason | undefined, rollouts: number): void {
    this.empty.push(id);
    if (reason) this.unscored.push({ reason, rollouts });
  }

  /** Counts occurrences of a message. */
  note(message: string, times = 1): void {
    if (times > 0) count(this.notes, message, times);
  }

  /** Adds a line to the report, unless it is present. */
  addNote(line: string): void {
    if (!this.extraLines.includes(line)) this.extraLines.push(line);
  }

  /** Returns the lines of the report. */
  lines(): string[] {
    const describeFields = (where: string, names: ReadonlyMap<string, number>) => {
      if (names.size === 0) return [];
      const labels = [...names].slice(0, MAX_NAMES).map(([name, times]) => `${name.slice(0, LONGEST)} (${times})`);
      const rest = names.size - labels.length;
      return [`kept in ${where}: ${labels.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`];
    };
    const [[file, step] = [], ...files] = this.steps;
    return [
      ...(this.rows > 0 || this.inFiles === 0
        ? [
            `${amount(this.rows, 'row')} read; ${amount(this.groups, 'group')}, ${amount(this.imported, 'rollout')} and ${amount(this.turns, 'turn')} made`,
          ]
        : []),
      ...(this.inFiles > 0 ? [`${amount(this.inFiles, 'group')} read from files of groups`] : []),
      ...(file === undefined
        ? []
        : [
            `step ${step} is the number in the path ${file}${files.length > 0 ? `; likewise in ${amount(files.length, 'more file')}` : ''}`,
          ]),
      ...describeFields('turns', this.inTurns),
      ...describeFields('groups', this.inGroups),
      ...(this.lone > 0
        ? [`${amount(this.lone, 'group')} with a lone rollout: rules that compare rollouts give no credit there`]
        : []),
      ...(this.reasons.size > 0
        ? [
            `${sum(this.reasons)} of ${amount(this.total, 'group')} give no credit under rules that compare outcomes: ` +
              `${reasonsText(this.reasons)}; ${this.flatRollouts} of ${amount(this.all, 'rollout')}`,
          ]
        : []),
      ...[...this.apart].map(([why, times]) => `${amount(times, 'rollout')} ${why}: kept apart, in "leftOut"`),
      ...(this.empty.length > 0
        ? [`${amount(this.empty.length, 'group')} without a scored rollout, not written: ${some(this.empty)}`]
        : []),
      ...[...this.notes].map(([message, times]) => `${message}: ${times}`),
      ...this.extraLines,
    ].map(printable);
  }
}

function count(counts: Map<string, number>, name: string, times = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + times);
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

/** "1 row", "2 rows". */
function amount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function some(names: readonly string[]): string {
  return `${names
    .slice(0, 5)
    .map((name) => name.slice(0, LONGEST))
    .join(', ')}${names.length > 5 ? ', …' : ''}`;
}
