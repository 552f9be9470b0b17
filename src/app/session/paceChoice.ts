import { KeptChoice } from '../look/keptChoice.ts';

/** Paces that a visitor can choose, updates a second; null: as fast as it goes. */
export const PACES = [1, 2, 5, 10, 20, null] as const;
export type PaceChoice = (typeof PACES)[number];

/** Slow enough to press a button before all is over, fast enough to see something happen. */
const STANDARD: PaceChoice = 5;

const kept = new KeptChoice('turnwise-pace', [String(STANDARD), ...PACES.map(String)]);

/** The pace that the visitor chose last. */
export function chosenPace(): PaceChoice {
  return PACES[PACES.map(String).indexOf(kept.value)] as PaceChoice;
}

export function choosePace(pace: PaceChoice): void {
  kept.choose(String(pace));
}
