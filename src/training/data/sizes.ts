/** How much an update takes and measures: chosen to fit a device, whatever is to be seen. */
export const SIZES: readonly string[] = [
  ...['groupSize', 'questions', 'minibatches', 'programs', 'singleSize', 'treeRoots', 'treeChildren', 'branches'],
  ...['heldOutMode', 'heldOutEvery', 'heldOutTasks'],
];
