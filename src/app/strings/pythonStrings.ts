const count = (number: number, singular: string, many = `${singular}s`) =>
  `${number.toLocaleString('en')} ${number === 1 ? singular : many}`;

/** Texts of the panel that runs Python; strings.ts puts them into the catalogue. */
export const pythonStrings = {
  title: 'Python',
  caption: 'Write a program and run it against your own tests: sandboxed, in this tab.',
  open: 'Open',
  close: 'Close',
  openLong: 'Open the Python panel',
  closeLong: 'Close the Python panel',
  what: 'Loads Python (12 MB). Programs run without access to network, files or page.',
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
    endless: 'A loop without an end',
    cheat: 'An attempt to cheat',
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
  refused: 'Not run: a line of the tests is not a test.',
  tests: 'Tests in Python',
  testsHelp: 'One assert statement on a line, for example: assert f(1) == 2. Each test runs on its own.',
  results: 'Results of the tests',
  notAssert: (line: number) => `Line ${line} of the tests is not an assert statement.`,
  noTest: 'No test: write an assert statement.',
  most: (most: number) => `At most ${most} tests.`,
  /** The shown result belongs to an earlier text, not to the present one. */
  stale: 'Of the program or test as it was before your last change.',
  summary: (passed: number, tests: number, fuel: number) => {
    const steps = count(fuel, 'step');
    if (passed === tests)
      return tests === 1 ? `The test passed, in ${steps}.` : `All ${tests} tests passed, in ${steps}.`;
    return `${passed} of ${count(tests, 'test')} passed, in ${steps}.`;
  },
  verdicts: {
    passed: 'Passed',
    failed: 'Failed',
    error: 'Exception',
    limit: 'Stopped',
    violation: 'Tried to cheat',
  },
  /** Action of a program that no solution needs. Other reasons have the sandbox's text. */
  closedDoor: (name: string) => `the program reached for the machine that Python runs on (“${name}”), which is closed`,
  /** Begins the message of a failed test, before the value. */
  returned: 'returned ',
  none: 'A function without “return” gives None.',
  exception: (type: string, message: string) => (message === '' ? type : `${type}: ${message}`),
  goTo: (line: number) => `line ${line}`,
  goToLong: (line: number) => `Go to line ${line} of the program`,
  limits: {
    fuel: (most: number) => `the budget of ${count(most, 'step')} is spent. Does a loop never end?`,
    time: (most: number) => `it took longer than ${most / 1000} seconds.`,
    memory: (most: number) => `it wanted more memory than ${most / 2 ** 20} MB.`,
    stack: (_limit: number) => 'it nests deeper than this browser can.',
    source: (most: number) => `the program is longer than ${count(most, 'character')}.`,
    result: (_limit: number) => 'the result is too large or too deep.',
  },
  fuel: (fuel: number) => count(fuel, 'step'),
  printed: 'Printed',
  printedBy: (number: number) => `Printed in test ${number}`,
  cut: (most: number) => `Only the first ${count(most, 'character')} are kept.`,
} as const;
