import { html } from 'lit';
import '../../../src/app/challenge/challengeRace.ts';
import '../../../src/app/challenge/challengeScores.ts';
import { encodeCustomRule } from '../../../src/credit/rules/custom/customRule.ts';
import { loadTask } from '../../../src/experiments/challenge/challengeTask.ts';
import { judgeRule } from '../../../src/experiments/challenge/judgeRule.ts';
import { LONG_NAME } from '../runs.ts';
import type { Specimens } from '../specimen.ts';

const [ties, tree] = await Promise.all([loadTask('ties'), loadTask('tree')]);
const customRule = { file: 'my_rule.py', ...judgeRule(ties, 'gigpo') };

/** Renders the challenge. It loads the editor and the data of all tasks. */
function renderChallenge() {
  void import('../../../src/app/challenge/challengeView.ts');
  return html`<tw-challenge .path=${['tree']} embed></tw-challenge>`;
}

const rule = { file: 'my_rule.py', values: {}, source: 'def credit(group): ...' };

export const CHALLENGE: Specimens = {
  'tw-challenge': [{ state: 'usual', onDemand: 'It loads the Python interpreter.', content: renderChallenge }],
  'tw-challenge-race': [
    { state: 'usual', content: () => html`<tw-challenge-race .rule=${encodeCustomRule(rule)}></tw-challenge-race>` },
    { state: 'disabled', content: () => html`<tw-challenge-race></tw-challenge-race>` },
  ],
  'tw-challenge-scores': [
    {
      state: 'usual',
      content: () => html`<tw-challenge-scores .task=${ties} .userResult=${customRule}></tw-challenge-scores>`,
    },
    {
      state: 'usual',
      note: 'the text has changed since',
      content: () => html`<tw-challenge-scores .task=${ties} .userResult=${customRule} stale></tw-challenge-scores>`,
    },
    { state: 'empty', content: () => html`<tw-challenge-scores .task=${ties}></tw-challenge-scores>` },
    {
      state: 'error',
      content: () =>
        html`<tw-challenge-scores .task=${tree} .userResult=${{ file: LONG_NAME, ...judgeRule(tree, 'grpo-or') }}></tw-challenge-scores>`,
    },
  ],
};
