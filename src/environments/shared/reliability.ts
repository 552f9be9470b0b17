import type { Reliability } from '../environment.ts';

/** Reliability of a model that is trained on correct labels. */
export const RELIABLE: Reliability = { noise: 0, bias: 0 };

/** Default errors in the labels of an unreliable model. */
export const UNRELIABLE: Reliability = { noise: 0.2, bias: 0.6 };
