// Counts the tests in reports of vitest and pytest, and lists the failed tests.
import { stripVTControlCharacters } from 'node:util';

/**
 * Fields that this script reads from vitest's JSON report.
 * @typedef {object} Report
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests skipped
 * @property {number} numTodoTests
 * @property {FileResult[]} testResults one per file
 *
 * @typedef {object} FileResult
 * @property {string} status
 * @property {TestResult[]} assertionResults
 * @property {string} [name] path of the file
 * @property {string} [message] reason why the file could not be loaded
 *
 * @typedef {{ status: string, fullName?: string, failureMessages?: string[] }} TestResult
 */

/**
 * Counts passed and failed tests. A skipped test counts as failed. A file that could not be loaded counts as one
 * failure, and also a run that failed in another way: a crash, an unhandled error, or no tests.
 * @param {Report | undefined} report undefined if vitest wrote no report
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

/**
 * Returns the tests that did not pass and the files that failed outside of tests, each with the first line of its
 * reason.
 * @param {Report | undefined} report
 * @returns {{ name: string, line: string }[]}
 */
export function failures(report) {
  return (report?.testResults ?? []).flatMap(({ name = '', status, message, assertionResults }) => {
    const file = name.replaceAll('\\', '/').replace(/^.*\/(?=test\/)/, '');
    const tests = assertionResults
      .filter((test) => test.status !== 'passed')
      .map((test) => ({
        name: `${file}: ${test.fullName}`,
        line: firstLine(test.failureMessages?.[0] ?? test.status),
      }));
    return status === 'failed' && tests.length === 0 ? [{ name: file, line: firstLine(message ?? status) }] : tests;
  });
}

/** @param {string} text message, possibly with terminal colors */
function firstLine(text) {
  return stripVTControlCharacters(text).trim().split('\n')[0] ?? '';
}

/**
 * Counts the tests of pytest's JUnit report as `countResults` does: a skipped test and a run that failed in another way
 * count as failures.
 * @param {string | undefined} report undefined if pytest wrote no report
 * @param {number | null} status pytest's exit status
 * @returns {{ passed: number, failed: number }}
 */
export function junitCounts(report, status) {
  const suite = /<testsuite\b[^>]*>/.exec(report ?? '')?.[0] ?? '';
  const [tests, ...rest] = ['tests', 'failures', 'errors', 'skipped'].map((name) =>
    Number(new RegExp(` ${name}="(\\d+)"`).exec(suite)?.[1] ?? 0),
  );
  const failed = rest.reduce((sum, count) => sum + count, 0);
  return { passed: Math.max(0, tests - failed), failed: status === 0 ? failed : Math.max(failed, 1) };
}
