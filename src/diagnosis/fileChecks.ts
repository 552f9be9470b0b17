import type { Group, Turn } from '../rollouts/forest.ts';
import { hash64 } from '../rollouts/signatures.ts';

/** Number of occurrences of a problem, with labels of the first three. */
export class Occurrences {
  count = 0;
  readonly examples: string[] = [];

  add(label: string): void {
    this.count++;
    if (this.examples.length < 3) this.examples.push(label);
  }
}

/** Tags of text of the environment inside the text of a turn. */
const ANSWER_TAGS = /<(?:tool_response|information|observation|tool_result)>|<\|im_start\|>(?:user|tool)/;
/** Minimum length of rollouts that count as copies, because shorter rollouts can be equal by chance [characters]. */
const SHORTEST_COPY = 400;
/** Maximum number of rollout digests in memory. */
const DIGESTS_LIMIT = 1 << 20;

/** Checks of the file itself: turn boundaries, masks, rows and copies. Memory is bounded. */
export class FileChecks {
  /** Rollouts of a single turn whose text contains replies of the environment. */
  readonly uncut = new Occurrences();
  /** Groups whose rollouts have different prompts, and number of these in which one prompt begins with another. */
  readonly prompts = new Occurrences();
  prefixed = 0;
  /**
   * Turns whose token lists have different lengths, turns whose mask excludes all tokens, and turns with credit outside
   * the mask.
   */
  readonly lengths = new Occurrences();
  readonly masked = new Occurrences();
  readonly outside = new Occurrences();
  /** Turns with text but without tokens. */
  readonly empty = new Occurrences();
  /**
   * Rollouts that equal another rollout of their group, and rollouts that equal a rollout of another group of the same
   * step.
   */
  readonly copies = new Occurrences();
  readonly repeats = new Occurrences();
  private readonly digests = new Set<string>();
  private readonly digest = new Uint32Array(2);

  see(group: Group, paths: readonly (readonly number[])[]): void {
    const { turns } = group;
    const inGroup = new Set<string>();
    paths.forEach((path, index) => {
      const label = `${group.id}, rollout ${index + 1}`;
      const [first] = path;
      if (path.length === 1 && ANSWER_TAGS.test(textOf(turns[first]))) this.uncut.add(label);
      this.seeCopy(group, path, label, inGroup);
    });
    for (const [index, turn] of turns.entries()) this.seeTokens(turn, `${group.id}, turn ${index + 1}`);
    this.seePrompts(group, paths);
  }

  private seeCopy(group: Group, path: readonly number[], label: string, inGroup: Set<string>): void {
    const text = path.map((turn) => textOf(group.turns[turn])).join('\n');
    if (text.length < SHORTEST_COPY) return;
    hash64(`${group.step ?? ''}\n${text}`, 0, this.digest);
    const digest = `${this.digest[0]},${this.digest[1]}`;
    if (inGroup.has(digest)) this.copies.add(label);
    else if (this.digests.has(digest)) this.repeats.add(label);
    inGroup.add(digest);
    if (this.digests.size < DIGESTS_LIMIT) this.digests.add(digest);
  }

  private seeTokens(turn: Turn, label: string): void {
    const { mask, token_ids: ids, logprobs, advantages, tokens, text } = turn;
    const lists = [mask, ids].filter((list) => Array.isArray(list));
    const sampled = Array.isArray(mask) ? mask.filter((value) => value === true || value === 1).length : undefined;
    if (lists.length === 2 && lists[0].length !== lists[1].length) this.lengths.add(label);
    for (const list of [logprobs, advantages]) {
      if (!Array.isArray(list) || !Array.isArray(mask)) continue;
      if (list.length !== mask.length && list.length !== sampled) this.lengths.add(label);
    }
    if (sampled === 0) this.masked.add(label);
    if (Array.isArray(mask) && Array.isArray(advantages) && advantages.length === mask.length) {
      const wrong = advantages.some(
        (value, at) => mask[at] !== true && mask[at] !== 1 && value !== 0 && value !== null,
      );
      if (wrong) this.outside.add(label);
    }
    if (tokens === 0 && typeof text === 'string' && text.trim() !== '' && sampled !== 0) this.empty.add(label);
  }

  /**
   * Compares the prompts of a group. Importers store the prompt as the context of the first turn if the prompts differ.
   */
  private seePrompts(group: Group, paths: readonly (readonly number[])[]): void {
    if (group.prompt !== undefined || paths.length < 2) return;
    const contexts = paths.map(([first]) => {
      const { context } = group.turns[first];
      return typeof context === 'string' ? context : JSON.stringify(context ?? null).replace(/\]$/, '');
    });
    const distinct = [...new Set(contexts)];
    if (distinct.length < 2 || distinct.includes('null')) return;
    this.prompts.add(group.id);
    if (distinct.some((text) => distinct.some((prompt) => prompt !== text && prompt.startsWith(text)))) this.prefixed++;
  }
}

function textOf({ text }: Turn): string {
  return typeof text === 'string' ? text : '';
}
