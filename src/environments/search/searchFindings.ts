import { type Claim, HEADLINE } from '../claim.ts';
import { falls, inWorld, learnsToRead, takesTheShortcut } from './searchClaimTests.ts';

/** What we ask ourselves here. */
export const FINDINGS: readonly Claim[] = [
  {
    id: 'own-merging',
    place: 'The papers compare at one difficulty',
    says: 'Whether merged rewards keep the tool hangs on the world: they lose it where memory pays more, and keep it where reading does.',
    rank: 'headline',
    experiments: [
      inWorld('shortcut', [takesTheShortcut('grpo-mr', 'GRPO-MR'), falls('ppo-mr', 'PPO-MR')]),
      inWorld('open', [learnsToRead('grpo-mr', 'GRPO-MR'), learnsToRead('ppo-mr', 'PPO-MR')]),
    ],
    differs: [],
  },
  {
    id: 'own-toggle',
    place: 'The switch of the page',
    says: 'The rule decides at any moment: the tool dies under GRPO-OR and comes back under MT-GRPO.',
    rank: 'headline',
    experiments: [
      {
        ...{ name: 'switches', environment: 'search', world: 'shortcut', arms: ['mt-grpo', 'grpo-or'], steps: 80 },
        switch: { at: [20, 40, 60, 100, 150] },
        ...HEADLINE,
        tests: [
          {
            ...{ kind: 'switch', from: 'mt-grpo', to: 'grpo-or', since: 20, metric: 'toolUse', within: 80 },
            statement: 'From MT-GRPO to GRPO-OR, at 20 or later: tool use falls below 0.10 within 80 updates',
            bounds: { below: 0.1 },
            share: 9 / 10,
          },
          {
            ...{ kind: 'switch', from: 'grpo-or', to: 'mt-grpo', since: 60, metric: 'toolUse', within: 80 },
            statement: 'From GRPO-OR to MT-GRPO, at 60 or later, never trained to search: above 0.90 within 80 updates',
            bounds: { above: 0.9 },
            share: 9 / 10,
          },
        ],
      },
      {
        ...{ name: 'and back', environment: 'search', world: 'shortcut', arms: ['mt-grpo', 'grpo-or'], steps: 60 },
        switch: { at: [60, 100], habit: 40 },
        ...HEADLINE,
        tests: [
          {
            ...{
              kind: 'switch',
              from: 'grpo-or',
              to: 'mt-grpo',
              habit: true,
              since: 60,
              metric: 'toolUse',
              within: 40,
            },
            statement: 'Back from GRPO-OR to MT-GRPO, at 60 or later: tool use rises above 0.90 within 40 updates',
            bounds: { above: 0.9 },
            share: 9 / 10,
          },
        ],
      },
    ],
    differs: [],
  },
];
