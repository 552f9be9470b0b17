import { HELD_OUT_CONTROLS } from './controls.ts';

/** Names of the controls of measurements on held-out tasks, which do not change the course of a run. */
export const EVALUATION_NAMES: readonly string[] = HELD_OUT_CONTROLS.map(({ name }) => name);

/** How much an update takes and measures: chosen to fit a device, whatever is to be seen. */
export const SIZES: readonly string[] = [
  ...['groupSize', 'questions', 'minibatches', 'programs', 'singleSize', 'treeRoots', 'treeChildren', 'branches'],
  ...EVALUATION_NAMES,
];
