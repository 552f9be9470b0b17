import { HELD_OUT_CONTROLS } from './controls.ts';

/** Names of the controls for measurements on held-out tasks. They do not affect the training. */
export const EVALUATION_NAMES: readonly string[] = HELD_OUT_CONTROLS.map(({ name }) => name);

/**
 * Names of the controls for the size of an update and of its measurements. Their values depend on the device, not on
 * the purpose of the run.
 */
export const SIZES: readonly string[] = [
  ...['groupSize', 'questions', 'minibatches', 'programs', 'singleSize', 'treeRoots', 'treeChildren', 'branches'],
  ...EVALUATION_NAMES,
];
