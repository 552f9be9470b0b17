import { KeptChoice } from '../look/keptChoice.ts';

/** Paces that a visitor can choose, updates a second; null: as fast as it goes. */
export const PACES = [1, 2, 5, 10, 20, null] as const;
export type PaceChoice = (typeof PACES)[number];

/** Slow enough to press a button before all is over, fast enough to see something happen. */
export const STANDARD_PACE: PaceChoice = 5;

const kept = new KeptChoice('turnwise-pace', [String(STANDARD_PACE), ...PACES.map(String)]);

/** A pace as it is kept, and as a select has it; undefined for a text that is none. */
export function readPace(text: string): PaceChoice | undefined {
  return PACES.find((pace) => String(pace) === text);
}

/** The pace that the visitor chose last. */
export function chosenPace(): PaceChoice {
  return readPace(kept.value) as PaceChoice;
}

export function choosePace(pace: PaceChoice): void {
  kept.choose(String(pace));
}
