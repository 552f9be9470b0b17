import { html } from 'lit';
import type { ShownVerdict } from '../../../src/app/python/draft.ts';
import type { TestDraft } from '../../../src/app/python/pythonJob.ts';
import '../../../src/app/python/pythonPanel.ts';
import '../../../src/app/python/testRow.ts';
import type { TestVerdict } from '../../../src/sandbox/types.ts';
import { LONG_NAME } from '../runs.ts';
import type { Specimens } from '../specimen.ts';

const draft: TestDraft = { id: 1, args: '[3, 1, 2]', expected: '[1, 2, 3]' };
const PROGRAM = 'def f(values):\n    """Sorts."""\n    return sorted(values)\n';

function row(verdict?: Partial<TestVerdict>, wrong?: string) {
  const shown: ShownVerdict | undefined = verdict && {
    verdict: { status: 'passed', output: '', fuel: 120, ...verdict },
    ...{ expected: draft.expected, stale: verdict.status === 'failed' },
  };
  return html`<tw-python-test .test=${draft} .number=${2} entry=${wrong === undefined ? 'f' : LONG_NAME} .shown=${shown}
    .badArgs=${wrong} .badExpected=${wrong}></tw-python-test>`;
}

const error = { type: 'IndexError', message: `list index out of range in ${LONG_NAME}`, line: 2 };
const output = Array.from({ length: 40 }, (_, line) => `${line}: ${LONG_NAME}`).join('\n');

const LARGE = 'It loads the Python interpreter.';

/** The editor and the bench are parts of their own, which the page too loads only when they are wanted. */
function editor(name: string, program: string) {
  void import('../../../src/app/python/editor.ts');
  return html`<tw-python-editor .name=${name} .program=${program}></tw-python-editor>`;
}

function bench() {
  void import('../../../src/app/python/pythonBench.ts');
  return html`<tw-python-bench .since=${performance.now()}></tw-python-bench>`;
}

export const PYTHON: Specimens = {
  'tw-python': [{ state: 'usual', note: 'closed', content: () => html`<tw-python></tw-python>` }],
  'tw-python-bench': [{ state: 'usual', onDemand: LARGE, content: bench }],
  'tw-python-editor': [
    { state: 'usual', content: () => editor('a', PROGRAM) },
    { state: 'full', content: () => editor('b', PROGRAM + `# ${LONG_NAME}\n`.repeat(60)) },
    { state: 'empty', content: () => editor('c', '') },
  ],
  'tw-python-test': [
    { state: 'usual', note: 'not run yet', content: () => row() },
    { state: 'usual', note: 'passed', content: () => row({ status: 'passed' }) },
    { state: 'usual', note: 'failed', content: () => row({ status: 'failed', actual: 'None' }) },
    { state: 'full', content: () => row({ status: 'failed', actual: `[${LONG_NAME}]`, output }) },
    { state: 'error', note: 'an exception', content: () => row({ status: 'error', error }) },
    {
      state: 'error',
      note: 'a limit',
      content: () => row({ status: 'limit', error: { type: 'fuel limit', message: '' } }),
    },
    { state: 'error', note: 'fields that cannot be read', content: () => row(undefined, `${LONG_NAME} is no value`) },
  ],
};
