import { html } from 'lit';
import '../../../src/app/lab/labView.ts';
import '../../../src/app/lab/claimRunsPanel.ts';
import '../../../src/app/lab/claimView.ts';
import { outcomeRow } from '../../../src/app/lab/labFigure.ts';
import '../../../src/app/lab/labOverview.ts';
import { CLAIMS, type ListedClaim } from '../../../src/app/lab/labClaims.ts';
import type { PairedResult } from '../../../src/experiments/claims/claimResult.ts';
import { labClaim, labExperiment, labResult } from '../../unit/app/lab/labFixtures.ts';
import type { Specimens } from '../specimen.ts';

const [first] = CLAIMS;
const listed = (changes: Partial<ListedClaim> = {}): ListedClaim => ({
  claim: labClaim,
  summary: undefined,
  ...changes,
});
const paired = labResult.outcomes.flatMap((outcome): PairedResult[] => (outcome.kind === 'paired' ? [outcome] : []));
const missing = CLAIMS.find(({ claim }) => claim.missing && claim.experiments.length === 0) ?? first;

export const LAB: Specimens = {
  'tw-lab': [
    { state: 'usual', note: 'a paper', content: () => html`<tw-lab .path=${['paper=v']}></tw-lab>` },
    { state: 'full', note: 'the overview', content: () => html`<tw-lab .path=${[]}></tw-lab>` },
    {
      state: 'empty',
      note: 'no claim has this conclusion',
      content: () => html`<tw-lab .path=${['paper=v', 'conclusion=reverse']}></tw-lab>`,
    },
    { state: 'error', note: 'no such claim', content: () => html`<tw-lab .path=${['x99']}></tw-lab>` },
  ],
  'tw-claim': [
    { state: 'usual', content: () => html`<tw-claim .claim=${first?.claim}></tw-claim>` },
    { state: 'empty', note: 'it has no file', content: () => html`<tw-claim .claim=${labClaim}></tw-claim>` },
    {
      state: 'disabled',
      note: 'cannot be run yet',
      content: () => html`<tw-claim .claim=${missing?.claim}></tw-claim>`,
    },
  ],
  'tw-claim-card': [
    { state: 'usual', content: () => html`<tw-claim-card .listed=${first}></tw-claim-card>` },
    {
      state: 'empty',
      note: 'it has no file',
      content: () => html`<tw-claim-card .listed=${listed()}></tw-claim-card>`,
    },
    {
      state: 'full',
      content: () =>
        html`<tw-claim-card .listed=${listed({
          claim: { ...labClaim, paper: 'T' },
          summary: {
            ...{ state: 'running', text: 'open, 12 of 20 seeds', seeds: '12 of 20', tests: 'open 3' },
            ...{ effect: '+52.5 points [+49.7, +55.9]', missing: 6, hours: 3.5 },
          },
        })}></tw-claim-card>`,
    },
  ],
  'tw-lab-figure': [
    { state: 'usual', content: () => html`<tw-lab-figure .rows=${paired.map(outcomeRow)}></tw-lab-figure>` },
    { state: 'empty', content: () => html`<tw-lab-figure></tw-lab-figure>` },
  ],
  'tw-claim-runs': [
    {
      state: 'usual',
      content: () =>
        html`<tw-claim-runs .claim=${labClaim} .experiment=${labExperiment} .result=${labResult}></tw-claim-runs>`,
    },
    {
      state: 'empty',
      note: 'no recorded curve',
      content: () => html`<tw-claim-runs .claim=${labClaim} .experiment=${labExperiment}></tw-claim-runs>`,
    },
  ],
  'tw-lab-overview': [
    { state: 'usual', content: () => html`<tw-lab-overview></tw-lab-overview>` },
    { state: 'empty', content: () => html`<tw-lab-overview .claims=${[]}></tw-lab-overview>` },
  ],
};
