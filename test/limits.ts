// Time limits after which tests report that a state is not reached. No test takes this long on an idle machine; the
// limits are for busy machines. A wait ends as soon as its state is reached.

/** Time limit of one state of the page [ms]. */
export const STATE_MS = 120_000;

/** Time limit of a test, or of the setup of a file, with several consecutive waits [ms]. */
export const TEST_MS = 600_000;
