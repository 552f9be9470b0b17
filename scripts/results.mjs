// Turns vitest's JSON report into two numbers.

/**
 * What we read of vitest's JSON report.
 * @typedef {object} Report
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests skipped
 * @property {number} numTodoTests
 * @property {{ status: string, assertionResults: { status: string }[] }[]} testResults one a file
 */

/**
 * Counts a skipped test as failed: a run that looks away must not look green. A file that could not be loaded counts
 * as one failure, and so does a run that failed in another way (a crash, an unhandled error, no tests at all).
 * @param {Report | undefined} report undefined where vitest wrote none
 * @param {number | null} status vitest's exit status
 * @returns {{ passed: number, failed: number }}
 */
export function countResults(report, status) {
  if (!report) return { passed: 0, failed: 1 };
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const failed = report.numFailedTests + report.numPendingTests + report.numTodoTests + broken.length;
  return { passed: report.numPassedTests, failed: status === 0 ? failed : Math.max(failed, 1) };
}
