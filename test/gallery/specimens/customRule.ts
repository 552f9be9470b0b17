import { html } from 'lit';
import { TWO_TURNS } from '../../../src/credit/explanation/examples.ts';
import { encodeCustomRule, saveResult, storeDerivation } from '../../../src/credit/rules/custom/customRule.ts';
import { mtGrpo } from '../../../src/credit/rules/grpo/mtGrpo.ts';
import '../../../src/app/customRule/customRuleCredit.ts';
import type { Evaluated } from '../../../src/app/customRule/customRuleController.ts';
import '../../../src/app/customRule/customRulePanel.ts';
import { LONG_NAME } from '../runs.ts';
import type { Specimens } from '../specimen.ts';

const name = encodeCustomRule({ file: 'my_rule.py', values: {}, source: 'def credit(group): ...' });
const group = { ...TWO_TURNS };
saveResult(name, group, {
  advantage: group.turns.map((_, turn) => (turn === 1 ? null : turn / 4 - 0.5)),
  intermediate: {},
});
const description = { line: 1, doc: '', parameters: mtGrpo.parameters.slice(0, 1), explains: true };
storeDerivation(
  name,
  group,
  group.turns.map(({ reward }, turn) => [`R = ${reward}`, `A = ${turn} / 4 − 0.5`]),
);
const evaluated: Evaluated = { name, description, group, milliseconds: 42 };

const credit = (result: Evaluated | undefined, working = false) =>
  html`<tw-own-rule-credit .evaluated=${result} ?working=${working}></tw-own-rule-credit>`;

/** Renders the panel of custom rules. The editor and the elements next to it load on request, as in the page. */
function renderPanel() {
  void import('../../../src/app/customRule/customRuleEditor.ts');
  return html`<tw-own-rule-bench></tw-own-rule-bench>`;
}

export const CUSTOM_RULE: Specimens = {
  'tw-own-rule': [{ state: 'usual', note: 'closed', content: () => html`<tw-own-rule></tw-own-rule>` }],
  'tw-own-rule-bench': [{ state: 'usual', onDemand: 'It loads the Python interpreter.', content: renderPanel }],
  'tw-own-rule-credit': [
    { state: 'usual', content: () => credit(evaluated) },
    { state: 'empty', content: () => credit(undefined, true) },
    {
      state: 'error',
      content: () => credit({ ...evaluated, line: 2, problem: `my_rule.py, line 2: ${LONG_NAME}` }),
    },
  ],
};
