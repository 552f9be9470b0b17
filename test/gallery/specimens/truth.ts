import { html } from 'lit';
import { defaultConfiguration } from '../../../src/app/address/pageTables.ts';
import type { RunModel } from '../../../src/app/session/runModel.ts';
import '../../../src/app/truth/truthFile.ts';
import '../../../src/app/truth/truthForm.ts';
import '../../../src/app/truth/truthPanel.ts';
import '../../../src/app/truth/truthResult.ts';
import '../../../src/app/truth/truthScatter.ts';
import type { GroupView } from '../../../src/training/data/protocol.ts';
import type { TruthReport } from '../../../src/training/data/truthReport.ts';
import { groupOf } from '../../unit/app/appFixtures.ts';
import { reportOf, TURNS, turn } from '../../unit/app/truthFixtures.ts';
import { tiedGroup } from '../groups.ts';
import { LONG_NAME, runOf } from '../runs.ts';
import { dropFile, press, type Specimens } from '../specimen.ts';

const SMALL = reportOf(TURNS);
/** Report with more turns than the chart draws error bars for. */
const MANY = reportOf(
  Array.from({ length: 260 }, (_, index) => {
    const truth = Math.sin(index * 1.7) * 1.5;
    const entry = turn(index, truth, 0.05 + (index % 5) / 20, [
      truth + Math.cos(index) / 2,
      index % 4 ? -truth / 3 : null,
    ]);
    return { ...entry, rollout: index % 16, summary: index % 9 ? entry.summary : LONG_NAME };
  }),
);
/** Report with exactly known advantages and the gradients of the rules. */
const EXACT = reportOf(
  TURNS.map((entry) => ({ ...entry, advantage: { ...entry.advantage, error: 0 } })),
  {
    gradients: {
      ...{ groups: 32, halves: 0.9 },
      rules: ['grpo-or', 'mt-grpo', 'truth'].map((rule, index) => ({
        ...{
          rule,
          cosine: { value: 0.4 + 0.3 * index, low: NaN, high: NaN },
          summed: 0.4,
          error: 1 - index / 2,
          cosines: [0.4],
        },
      })),
    },
  },
);
const SOME = reportOf(MANY.groups.flatMap(({ turns: all }) => all.slice(0, 60)));
const NONE = reportOf([]);

const form = (group: GroupView | undefined, disabled = false) =>
  html`<tw-truth-form environment="search" .controls=${defaultConfiguration('search').controls} .group=${group}
    ?disabled=${disabled}></tw-truth-form>`;
const result = (report: TruthReport) =>
  html`<tw-truth-result .report=${report} from="Measured on a group of the gallery."></tw-truth-result>`;
const scatter = (report: TruthReport) => html`<tw-truth-scatter .report=${report}></tw-truth-scatter>`;
const turns = (report: TruthReport) => html`<tw-truth-turns .report=${report}></tw-truth-turns>`;
const panel = (run: RunModel) => html`<tw-truth .run=${run} .revision=${run.revision}></tw-truth>`;

/** Creates a run with a running, completed or failed measurement. */
function measuring(end?: 'complete' | 'failed'): RunModel {
  const run = runOf('search', { group: groupOf() });
  run.expectTruth();
  const progress = { stage: 'continuations', done: 3, total: 16 } as const;
  if (end === 'complete') run.apply({ type: 'truth', ended: end, report: SMALL });
  else if (end === 'failed') run.apply({ type: 'truth', ended: end, problem: `The device was lost at ${LONG_NAME}.` });
  else run.apply({ type: 'truth-progress', ...progress });
  return run;
}

export const TRUTH: Specimens = {
  'tw-truth': [
    { state: 'usual', note: 'measured', content: () => panel(measuring('complete')) },
    { state: 'usual', note: 'it measures', content: () => panel(measuring()) },
    { state: 'empty', note: 'no group yet', content: () => panel(runOf('search')) },
    { state: 'error', content: () => panel(measuring('failed')) },
  ],
  'tw-truth-file': [
    { state: 'usual', content: () => html`<tw-truth-file></tw-truth-file>` },
    {
      state: 'error',
      note: 'an invalid file',
      content: () => html`<tw-truth-file hasresult></tw-truth-file>`,
      act: dropFile(`${LONG_NAME}.json`, '{"report": 1}'),
    },
  ],
  'tw-truth-form': [
    { state: 'usual', content: () => form(groupOf()) },
    { state: 'empty', note: 'no group yet', content: () => form(undefined) },
    { state: 'error', note: 'a group without differences', content: () => form(tiedGroup()) },
    { state: 'disabled', note: 'it measures', content: () => form(groupOf(), true) },
  ],
  'tw-truth-result': [
    { state: 'usual', content: () => result(SMALL) },
    { state: 'usual', note: 'exact advantages', content: () => result(EXACT) },
    { state: 'full', content: () => result(MANY) },
    { state: 'empty', content: () => result(NONE) },
  ],
  'tw-truth-scatter': [
    { state: 'usual', content: () => scatter(SMALL), act: press('button[aria-expanded="false"]') },
    { state: 'full', content: () => scatter(MANY) },
    { state: 'empty', content: () => scatter(NONE) },
  ],
  'tw-truth-turns': [
    { state: 'usual', content: () => turns(SMALL) },
    { state: 'full', content: () => turns(SOME) },
    { state: 'empty', content: () => turns(NONE) },
  ],
};
