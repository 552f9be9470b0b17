import type { Reliability } from '../environment.ts';

/** A model that learned from the truth. */
export const RELIABLE: Reliability = { noise: 0, bias: 0 };

/** What is wrong with the labels of an unreliable model, where nobody says otherwise. */
export const UNRELIABLE: Reliability = { noise: 0.2, bias: 0.6 };
