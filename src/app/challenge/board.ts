import { type ChallengeResult, readChallenge } from '../../lessons/results/challengeFile.ts';

// The board stays in this browser. The number in the key is the version of what stands behind it.
const KEY = 'turnwise-challenge-1';
const MOST = 20;

/** What the visitor kept, the oldest first; what cannot be read is left out. */
export function boardEntries(): readonly ChallengeResult[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(list) ? list.flatMap(readable) : [];
  } catch {
    return [];
  }
}

function readable(value: unknown): ChallengeResult[] {
  try {
    return [readChallenge(value)];
  } catch {
    return [];
  }
}

/** Keeps a result, in the place of an earlier one of the same rule. @returns false where the browser does not keep it */
export function keepEntry(result: ChallengeResult): boolean {
  const same = JSON.stringify(result.rule);
  const others = boardEntries().filter(({ rule }) => JSON.stringify(rule) !== same);
  // Nothing of the visitor's is thrown away: where there are too many, this one is refused.
  return others.length < MOST && keepAll([...others, result]);
}

/** Takes a result from the board. */
export function dropEntry(at: number): boolean {
  return keepAll(boardEntries().filter((_, index) => index !== at));
}

function keepAll(entries: readonly ChallengeResult[]): boolean {
  try {
    localStorage.setItem(KEY, JSON.stringify(entries));
    return true;
  } catch {
    return false;
  }
}
