import { SavedChoice } from '../look/savedChoice.ts';

/** Paces that a user can choose, updates a second; null: as fast as it goes. */
export const PACES = [1, 2, 5, 10, 20, null] as const;
export type PaceChoice = (typeof PACES)[number];

/** Slow enough to press a button before all is over, fast enough to see something happen. */
export const STANDARD_PACE: PaceChoice = 5;

const stored = new SavedChoice('turnwise-pace', [String(STANDARD_PACE), ...PACES.map(String)]);

/** Returns a pace from its stored text or its text in a select; undefined for a text that is not a pace. */
export function readPace(text: string): PaceChoice | undefined {
  return PACES.find((pace) => String(pace) === text);
}

/** Returns the pace that the user chose last. */
export function chosenPace(): PaceChoice {
  return readPace(stored.value) as PaceChoice;
}

export function choosePace(pace: PaceChoice): void {
  stored.choose(String(pace));
}
