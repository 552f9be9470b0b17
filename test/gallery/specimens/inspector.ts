import { html } from 'lit';
import type { CreditChoice } from '../../../src/app/inspector/choice.ts';
import '../../../src/app/inspector/creditChoice.ts';
import '../../../src/app/inspector/creditColumns.ts';
import { type Inspected, inspect } from '../../../src/app/inspector/inspected.ts';
import '../../../src/app/inspector/rolloutFile.ts';
import '../../../src/app/inspector/inspectedGroup.ts';
import '../../../src/app/inspector/inspectorPanel.ts';
import { locatedFindings } from '../../../src/app/inspector/logFindings.ts';
import '../../../src/app/inspector/turnView.ts';
import '../../../src/app/inspector/programTree.ts';
import '../../../src/app/inspector/rolloutTables.ts';
import { rolloutGraph } from '../../../src/app/inspector/rolloutGraph.ts';
import '../../../src/app/inspector/rolloutTree.ts';
import '../../../src/app/inspector/testWeights.ts';
import '../../../src/app/inspector/derivation.ts';
import { MEETING, TESTED, TWO_TURNS } from '../../../src/credit/explanation/examples.ts';
import { CONFIDENCES, type Finding } from '../../../src/diagnosis/diagnosis.ts';
import type { Group } from '../../../src/rollouts/forest.ts';
import type { ImportSettings } from '../../../src/rollouts/import/userFiles.ts';
import type { ProgramDetail, ToolDetail } from '../../../src/rollouts/rolloutBatch.ts';
import { groupOf } from '../../unit/app/appFixtures.ts';
import { CALLS, choiceOf, meetingGroup, PROGRAMS, testedTree } from '../groups.ts';
import { LONG_NAME } from '../runs.ts';
import { dropFile, press, type Specimen, type Specimens, unfold } from '../specimen.ts';

const LOG_FINDINGS: readonly Finding[] = [
  {
    kind: 'advantages-against-rewards',
    confidence: 'high',
    title: 'Logged advantages do not follow the rewards',
    evidence: ['A rollout with a higher reward has a lower advantage than another one in 3 of 4 groups (first: a).'],
    next: 'Run `reconcile` on the same files.',
    groups: ['a'],
  },
];
const MARS = choiceOf('murphy-mars');
const RTMC = choiceOf('rtmc');
const VERPO = choiceOf('verpo');
const meeting = inspect(MEETING);
const manyMeet = meetingGroup();
const manyTests = testedTree();
/** Programs of the tree with many tests, each as a separate rollout, which is the input of VeRPO. */
const manyRows = inspect({
  id: 'many tests, in rows',
  turns: manyTests.group.turns.map((groupTurn) => ({ ...groupTurn, parent: -1, outcome: Number(groupTurn.solved) })),
});
const nothing: Inspected = inspect({ id: 'nothing', turns: [] });

const rolloutsOf = ({ group }: Inspected) => rolloutGraph(group, {}).rollouts;
const program = (detail: ProgramDetail | undefined) => html`<tw-program .detail=${detail}></tw-program>`;
const createFailure = (detail: ProgramDetail | undefined): ProgramDetail | undefined =>
  detail && { ...detail, tests: detail.tests.map((test) => ({ ...test, passed: false })), modelReward: 0.97 };
const tool = (detail: ToolDetail | undefined) => html`<tw-tool-call .tool=${detail}></tw-tool-call>`;
const turn = (inspected: Inspected, choice: CreditChoice, at: number) =>
  html`<tw-turn .inspected=${inspected} .choice=${choice} .turn=${at}></tw-turn>`;
const IMPORT_SETTINGS: ImportSettings = {
  from: 'verl',
  turnRewards: 'turn_scores',
  cut: '</search>..<information>',
  outcome: 'apart',
};
const derivations = (group: Group, choice: CreditChoice, at: number) =>
  html`<tw-worked .group=${group} .choice=${choice} .turn=${at}></tw-worked>`;
const rules = (group: Group, choice: CreditChoice) =>
  html`<tw-credit-choice .group=${group} .choice=${choice}></tw-credit-choice>`;
const columns = (inspected: Inspected, choice: CreditChoice, at?: number) =>
  html`<tw-credit-columns .inspected=${inspected} .choice=${choice} .turn=${at}></tw-credit-columns>`;
const renderGroup = (inspected: Inspected, at?: number) =>
  html`<tw-inspected-group .inspected=${inspected} .turn=${at}></tw-inspected-group>`;
const tree = (inspected: Inspected, at?: number, choice = MARS) =>
  html`<tw-program-tree .inspected=${inspected} .choice=${choice} .turn=${at}></tw-program-tree>`;
const states = (inspected: Inspected, at?: number) =>
  html`<tw-rollout-tree .inspected=${inspected} .choice=${RTMC} .turn=${at}></tw-rollout-tree>`;
const strips = (inspected: Inspected, at?: number) =>
  html`<tw-rollout-strips .inspected=${inspected} .choice=${RTMC} .rollouts=${rolloutsOf(inspected)} .turn=${at}></tw-rollout-strips>`;
const signs = (group: Group, rollouts = rolloutsOf(inspect(group))) =>
  html`<tw-quadrants .group=${group} .choice=${RTMC} .rollouts=${rollouts}></tw-quadrants>`;
const stateRows = ({ group }: Inspected) => html`<tw-state-table .graph=${rolloutGraph(group, {})}></tw-state-table>`;
const weights = (group: Group, values: CreditChoice['values'] = {}) =>
  html`<tw-test-weights .group=${group} .choice=${choiceOf('verpo', values)}></tw-test-weights>`;
const granularity = (group: Group) => html`<tw-states-choice .group=${group} .choice=${RTMC}></tw-states-choice>`;

const table = press('button[aria-expanded="false"]');
const long: ToolDetail = {
  call: `view("${LONG_NAME}")`,
  answer: Array.from({ length: 30 }, (_, line) => [
    { text: `    value_${line} = ` },
    { text: LONG_NAME, ...(line % 3 ? {} : { mark: line % 2 ? ('changed' as const) : ('wrong' as const) }) },
  ]),
};
const dropped: Specimen['act'] = dropFile(
  'run.jsonl',
  `${JSON.stringify({ id: 'g', turns: [{ parent: 3, reward: 0 }] })}\n`,
);

export const INSPECTOR: Specimens = {
  'tw-rule-parameters': [
    {
      state: 'usual',
      content: () => html`<tw-rule-parameters rule="rtmc" .choice=${choiceOf('rtmc')}></tw-rule-parameters>`,
    },
    {
      state: 'full',
      content: () => html`<tw-rule-parameters rule="verpo" .choice=${choiceOf('verpo')}></tw-rule-parameters>`,
      act: unfold,
    },
    {
      state: 'empty',
      note: 'no rule',
      content: () => html`<tw-rule-parameters .choice=${choiceOf('')}></tw-rule-parameters>`,
    },
  ],
  'tw-inspector': [
    {
      state: 'usual',
      note: 'the examples of the rules',
      content: () => html`<tw-inspector .live=${groupOf()}></tw-inspector>`,
      act: openExamples,
    },
    { state: 'empty', content: () => html`<tw-inspector></tw-inspector>` },
  ],
  'tw-inspected-group': [
    { state: 'usual', note: 'rows of turns', content: () => renderGroup(inspect(TWO_TURNS), 1) },
    { state: 'usual', note: 'programs', content: () => renderGroup(PROGRAMS) },
    { state: 'usual', note: 'shared states', content: () => renderGroup(meeting, 1) },
    { state: 'empty', content: () => renderGroup(nothing) },
  ],
  'tw-credit-choice': [
    { state: 'usual', content: () => rules(TWO_TURNS, choiceOf('mt-grpo')), act: unfold },
    { state: 'full', content: () => rules(manyRows.group, VERPO), act: unfold },
    { state: 'error', note: 'readable by no rule', content: () => rules(nothing.group, choiceOf('')), act: unfold },
  ],
  'tw-import-form': [
    { state: 'usual', content: () => html`<tw-import-form></tw-import-form>` },
    { state: 'full', content: () => html`<tw-import-form .settings=${IMPORT_SETTINGS}></tw-import-form>` },
  ],
  'tw-credit-columns': [
    { state: 'usual', content: () => columns(inspect(TWO_TURNS), choiceOf('mt-grpo'), 1) },
    { state: 'full', content: () => columns(manyMeet, RTMC) },
  ],
  'tw-program-tree': [
    { state: 'usual', content: () => tree(PROGRAMS, 1) },
    { state: 'full', note: 'its table open', content: () => tree(manyTests), act: table },
    {
      state: 'error',
      note: 'a group that the rule cannot read',
      content: () => tree(inspect(TWO_TURNS), undefined, VERPO),
    },
  ],
  'tw-test-weights': [
    { state: 'usual', content: () => weights(TESTED), act: table },
    { state: 'usual', note: 'by failure rate', content: () => weights(TESTED, { verpo: { turn: 'failure-rate' } }) },
    { state: 'full', content: () => weights(manyRows.group) },
    { state: 'error', note: 'a group without tests', content: () => weights(TWO_TURNS) },
  ],
  'tw-rollout-tree': [
    { state: 'usual', content: () => states(meeting, 1) },
    { state: 'usual', note: 'of a run', content: () => states(CALLS) },
    { state: 'full', note: 'its table open', content: () => states(manyMeet), act: table },
    { state: 'error', note: 'turns without states', content: () => states(inspect(TWO_TURNS)) },
  ],
  'tw-rollout-strips': [
    { state: 'usual', content: () => strips(meeting, 1) },
    { state: 'full', content: () => strips(manyMeet) },
  ],
  'tw-quadrants': [
    { state: 'usual', content: () => signs(MEETING) },
    { state: 'full', content: () => signs(manyMeet.group) },
    { state: 'error', note: 'turns without states', content: () => signs(TWO_TURNS, []) },
  ],
  'tw-state-table': [
    { state: 'usual', content: () => stateRows(meeting) },
    { state: 'full', content: () => stateRows(manyMeet) },
  ],
  'tw-states-choice': [
    { state: 'usual', content: () => granularity(CALLS.group) },
    { state: 'empty', note: 'states of one granularity', content: () => granularity(MEETING) },
  ],
  'tw-turn': [
    { state: 'usual', note: 'a program', content: () => turn(PROGRAMS, MARS, 1) },
    { state: 'usual', note: 'a tool call', content: () => turn(CALLS, RTMC, 0) },
    { state: 'full', content: () => turn(manyRows, VERPO, 5), act: unfold },
    { state: 'empty', note: 'rewards only', content: () => turn(inspect(TWO_TURNS), choiceOf('mt-grpo'), 0) },
    { state: 'error', note: 'the rule cannot read it', content: () => turn(inspect(TWO_TURNS), VERPO, 0) },
  ],
  'tw-program': [
    { state: 'usual', content: () => program(PROGRAMS.details[1]?.detail) },
    {
      state: 'usual',
      note: 'high score of a reward model, failed tests',
      content: () => program(createFailure(PROGRAMS.details[1]?.detail)),
    },
    { state: 'full', content: () => program(manyTests.details[4]?.detail) },
    { state: 'empty', content: () => program({ program: '', tests: [] }) },
  ],
  'tw-tool-call': [
    { state: 'usual', content: () => tool(CALLS.details[0]?.tool) },
    { state: 'full', content: () => tool(long) },
    { state: 'empty', content: () => tool({ call: 'finish()', answer: [] }) },
  ],
  'tw-worked': [
    { state: 'usual', content: () => derivations(TWO_TURNS, choiceOf('mt-grpo'), 1) },
    { state: 'full', content: () => derivations(manyRows.group, VERPO, 4) },
    { state: 'empty', note: 'no rule', content: () => derivations(TWO_TURNS, choiceOf(''), 0) },
    { state: 'error', note: 'the rule cannot read it', content: () => derivations(TWO_TURNS, VERPO, 0) },
  ],
  'tw-log-findings': [
    {
      state: 'usual',
      content: () =>
        html`<tw-log-findings .findings=${locatedFindings(LOG_FINDINGS, ['a'])} sort="ties"></tw-log-findings>`,
    },
    { state: 'empty', content: () => html`<tw-log-findings></tw-log-findings>` },
    {
      state: 'full',
      note: 'long names, and every confidence',
      content: () =>
        html`<tw-log-findings .findings=${locatedFindings(
          CONFIDENCES.map((confidence) => ({ ...LOG_FINDINGS[0], confidence, title: LONG_NAME, groups: [LONG_NAME] })),
          [LONG_NAME],
        )}></tw-log-findings>`,
    },
  ],
  'tw-rollout-file': [
    { state: 'usual', content: () => html`<tw-rollout-file live></tw-rollout-file>` },
    {
      state: 'full',
      note: 'the format unfolded',
      content: () => html`<tw-rollout-file></tw-rollout-file>`,
      act: unfold,
    },
    {
      state: 'error',
      note: 'an invalid file',
      content: () => html`<tw-rollout-file open=${`${LONG_NAME}.jsonl`}></tw-rollout-file>`,
      act: dropped,
    },
  ],
};

/** Clicks the button of the inspector that opens the examples. */
function openExamples(inspector: Parameters<NonNullable<Specimen['act']>>[0]): void {
  const file = inspector.renderRoot.querySelector<typeof inspector>('tw-rollout-file');
  void file?.updateComplete.then(() => [...file.renderRoot.querySelectorAll('button')].at(1)?.click());
}
