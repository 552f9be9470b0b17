import { html } from 'lit';
import type { TestResult } from '../../../src/app/python/drafts.ts';
import '../../../src/app/python/pythonPanel.ts';
import '../../../src/app/python/pythonEditor.ts';
import type { UnitTestResult } from '@turnwise/python-sandbox/types';
import { LONG_NAME } from '../runs.ts';
import type { Specimens } from '../specimen.ts';

const PROGRAM = 'def f(values):\n    """Sorts."""\n    return sorted(values)\n';

function row(testResult: Partial<UnitTestResult>, text = 'assert f([3, 1, 2]) == [1, 2, 3]') {
  const result: TestResult = { line: 2, text, testResult: { status: 'passed', output: '', fuel: 120, ...testResult } };
  return html`<tw-python-test .result=${result} .number=${2}></tw-python-test>`;
}

const failed = (message: string) => ({ type: 'AssertionError', message });
const error = { type: 'IndexError', message: `list index out of range in ${LONG_NAME}`, line: 2 };
const output = Array.from({ length: 40 }, (_, line) => `${line}: ${LONG_NAME}`).join('\n');

const LARGE = 'It loads the Python interpreter.';

/** Renders the Python editor. Editor and bench are separate modules that load on request, as in the page. */
function editor(name: string, program: string) {
  void import('../../../src/app/python/editor.ts');
  return html`<tw-python-editor .name=${name} .program=${program}></tw-python-editor>`;
}

function renderPanel() {
  void import('../../../src/app/python/pythonEditor.ts');
  return html`<tw-python-bench .since=${performance.now()}></tw-python-bench>`;
}

export const PYTHON: Specimens = {
  'tw-python': [{ state: 'usual', note: 'closed', content: () => html`<tw-python></tw-python>` }],
  'tw-python-bench': [{ state: 'usual', onDemand: LARGE, content: renderPanel }],
  'tw-python-editor': [
    { state: 'usual', content: () => editor('a', PROGRAM) },
    { state: 'full', content: () => editor('b', PROGRAM + `# ${LONG_NAME}\n`.repeat(60)) },
    { state: 'empty', content: () => editor('c', '') },
  ],
  'tw-python-test': [
    { state: 'usual', note: 'passed', content: () => row({ status: 'passed' }) },
    { state: 'usual', note: 'failed', content: () => row({ status: 'failed', error: failed('returned None') }) },
    {
      state: 'full',
      content: () =>
        row({ status: 'failed', error: failed(`returned [${LONG_NAME}]`), output }, `assert ${LONG_NAME}()`),
    },
    { state: 'error', note: 'an exception', content: () => row({ status: 'error', error }) },
    {
      state: 'error',
      note: 'a limit',
      content: () => row({ status: 'limit', error: { type: 'fuel limit', message: '' } }),
    },
  ],
};
