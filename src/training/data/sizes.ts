import { HELD_OUT_CONTROLS } from './controls.ts';

/** Names of the controls of measurements on held-out tasks, which do not change the course of a run. */
export const EVALUATION_NAMES: readonly string[] = HELD_OUT_CONTROLS.map(({ name }) => name);

/**
 * Controls for the size of an update and of its measurements. Their values are selected to fit a device, independent of
 * the purpose of the run.
 */
export const SIZES: readonly string[] = [
  ...['groupSize', 'questions', 'minibatches', 'programs', 'singleSize', 'treeRoots', 'treeChildren', 'branches'],
  ...EVALUATION_NAMES,
];
