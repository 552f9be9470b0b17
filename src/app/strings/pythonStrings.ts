const count = (number: number, singular: string, many = `${singular}s`) =>
  `${number.toLocaleString('en')} ${number === 1 ? singular : many}`;

/** Texts of the panel that runs Python. */
export const pythonStrings = {
  title: 'Python',
  caption: 'Write a program and run it against your own tests: sandboxed, in this tab.',
  open: 'Open',
  close: 'Close',
  openLong: 'Open the Python panel',
  closeLong: 'Close the Python panel',
  explanation: 'Loads Python (12 MB). Programs run without access to the network, files or the page.',
  opening: 'Loading the panel.',
  notOpened: (reason: string) =>
    `The panel could not be loaded (${reason}). Is this device online? Some browsers need a reload ` +
    'of the page: the run is saved and opens paused.',
  reload: 'Reload the page',
  again: 'Try again',
  choose: 'Program',
  examples: {
    right: 'A correct answer',
    bug: 'An answer with a bug',
    endless: 'An endless loop',
    violation: 'A sandbox violation',
    own: 'Your own',
  },
  reset: 'Reset',
  resetLong: (name: string) => `Reset “${name}”`,
  resetSure: 'Really reset?',
  editor: 'Program in Python',
  leave: 'Tab indents. To leave the editor by keyboard: Esc, then Tab.',
  run: 'Run the tests',
  runKeys: 'Ctrl or ⌘ with Enter runs them from anywhere in this panel.',
  cancel: 'Cancel',
  loading: (megabytes: string, total: string | undefined) => {
    if (megabytes === '0.0') return 'Loading Python.';
    return `Loading Python: ${megabytes}${total === undefined ? '' : ` of ${total}`} MB`;
  },
  loadingLabel: 'Loading Python',
  starting: 'Python is starting.',
  ready: (seconds: string) => `Python was ready after ${seconds} s.`,
  failed: (reason: string) => `Python does not run: ${reason}`,
  waiting: 'The tests run when Python is ready.',
  running: 'The tests are running.',
  cancelled: 'Cancelled. Nothing was lost.',
  rejectedText: 'Not run: a line of the tests is not an assert statement.',
  tests: 'Tests in Python',
  testsHelp: 'One assert statement per line, for example: assert f(1) == 2. Each test runs on its own.',
  resultsTitle: 'Results of the tests',
  notAssert: (line: number) => `Line ${line} of the tests is not an assert statement.`,
  noTest: 'No test: write an assert statement.',
  maximum: (maximum: number) => `At most ${maximum} tests.`,
  /** Note that the shown results are for an earlier text. */
  stale: 'These results are for the text before your last change.',
  summary: (passed: number, tests: number, fuel: number) => {
    const steps = count(fuel, 'step');
    if (passed === tests)
      return tests === 1 ? `The test passed, in ${steps}.` : `All ${tests} tests passed, in ${steps}.`;
    return `${passed} of ${count(tests, 'test')} passed, in ${steps}.`;
  },
  results: {
    passed: 'Passed',
    failed: 'Failed',
    error: 'Exception',
    limit: 'Stopped',
    violation: 'Violation',
  },
  /** Reason of a violation: a blocked host function. Other reasons have the text of the sandbox. */
  blockedAccess: (name: string) => `the program called the host function “${name}”, which the sandbox blocks`,
  /** Prefix of the message of a failed test, before the returned value. */
  returned: 'returned ',
  none: 'A function without “return” returns None.',
  exception: (type: string, message: string) => (message === '' ? type : `${type}: ${message}`),
  goTo: (line: number) => `line ${line}`,
  goToLong: (line: number) => `Go to line ${line} of the program`,
  limits: {
    fuel: (maximum: number) => `the budget of ${count(maximum, 'step')} is used up. Check for an endless loop.`,
    time: (maximum: number) => `it took longer than ${maximum / 1000} seconds.`,
    memory: (maximum: number) => `it needed more than ${maximum / 2 ** 20} MB of memory.`,
    stack: (_limit: number) => 'its calls are nested more deeply than this browser allows.',
    source: (maximum: number) => `the program is longer than ${count(maximum, 'character')}.`,
    result: (_limit: number) => 'the result is too large or too deeply nested.',
  },
  fuel: (fuel: number) => count(fuel, 'step'),
  printed: 'Printed',
  printedBy: (number: number) => `Printed in test ${number}`,
  cut: (maximum: number) => `Only the first ${count(maximum, 'character')} are stored.`,
} as const;
