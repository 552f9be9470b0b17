/**
 * Time limits after which tests report that something does not arrive. No test takes this long. The limits are for
 * machines with other load, and a wait ends as soon as its state is reached.
 */

/** Milliseconds for one state of the page. */
export const STATE_MS = 120_000;

/** Milliseconds for a test, or for what a file does before its tests: several waits in a row. */
export const TEST_MS = 600_000;
