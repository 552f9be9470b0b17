/**
 * How long tests wait before they say that something does not come. No test takes this long: it is for machines that do
 * something else as well, and a wait ends as soon as its state is there.
 */

/** Milliseconds for one state of the page. */
export const STATE_MS = 120_000;

/** Milliseconds for a test, or for what a file does before its tests: several waits in a row. */
export const TEST_MS = 600_000;
