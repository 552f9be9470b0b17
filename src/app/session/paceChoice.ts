import { SavedChoice } from '../look/savedChoice.ts';

/** Paces that a user can choose [updates/s]. null means no limit. */
export const PACES = [1, 2, 5, 10, 20, null] as const;
export type PaceChoice = (typeof PACES)[number];

/** Default pace [updates/s]: slow enough to change a control during a run, fast enough to see changes. */
export const STANDARD_PACE: PaceChoice = 5;

const stored = new SavedChoice('turnwise-pace', [String(STANDARD_PACE), ...PACES.map(String)]);

/** Returns the pace of a stored text or a select option, or undefined if the text is not a pace. */
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
