import { MAX_SOURCE_LENGTH } from '../../credit/rules/custom/customRule.ts';
import { TurnScores } from '../../customRules/turnScores.ts';
import type { Group } from '../../rollouts/forest.ts';
import { createNodeSource } from '../../sandbox/host/node.ts';
import { Sandbox } from '../../sandbox/sandbox.ts';
import { UsageError } from './errors.ts';
import { readTextFile } from './inputs.ts';

/** Maximum number of groups and characters that one call of the sandbox scores. */
const BATCH = { groups: 64, characters: 4 << 20 };

/** Scorer of turns, which calls the Python file of `--score` for batches of groups. Close it after use. */
export class Scoring {
  private readonly sandbox = new Sandbox(createNodeSource(), { workers: 1, spare: false });
  private readonly scores: TurnScores;
  private waiting: Group[] = [];
  private characters = 0;

  /**
   * @param file path of the Python file
   * @param outcomeIsTotal true if the outcome of a rollout includes the rewards of its turns
   * @throws {UsageError} for a file that cannot be read or is too long
   */
  constructor(
    private readonly file: string,
    private readonly outcomeIsTotal: boolean,
  ) {
    const source = readTextFile('score', file);
    if (source.length > MAX_SOURCE_LENGTH)
      throw new UsageError(`--score: ${file} has ${source.length} characters; the maximum is ${MAX_SOURCE_LENGTH}`);
    this.scores = new TurnScores(this.sandbox, { file, source }, outcomeIsTotal);
  }

  /**
   * Adds a group. Scores and writes the batch when it is full.
   * @throws {CustomRuleError}
   */
  async add(group: Group, write: (groups: readonly Group[]) => void): Promise<void> {
    this.waiting.push(group);
    for (const { text } of group.turns) this.characters += typeof text === 'string' ? text.length : 0;
    if (this.waiting.length >= BATCH.groups || this.characters >= BATCH.characters) await this.finish(write);
  }

  /**
   * Scores and writes the remaining groups.
   * @throws {CustomRuleError}
   */
  async finish(write: (groups: readonly Group[]) => void): Promise<void> {
    const groups = this.waiting.splice(0);
    this.characters = 0;
    if (groups.length > 0) write(await this.scores.score(groups));
  }

  /** Returns the lines of the report. */
  lines(): readonly string[] {
    const { counts, turns, replaced } = this.scores;
    const parts = Object.entries(counts).map(([field, count]) => `${count} ${field}${count === 1 ? '' : 's'}`);
    const line = `${this.file}: ${parts.join(', ')} of ${turns} turn${turns === 1 ? '' : 's'}`;
    if (counts.reward === 0) return [line];
    const meaning = this.outcomeIsTotal
      ? 'parts of the reward of a rollout'
      : 'added to the reward of a rollout; with --outcome total they are its parts';
    const before = replaced > 0 ? `, and replace ${replaced} of the log` : '';
    return [`${line}; rewards are ${meaning}${before}`];
  }

  close(): void {
    this.sandbox.close();
  }
}
