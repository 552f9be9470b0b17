import { ABLATION, beats, type Claim, type ClaimTest, keeps, side } from '../claim.ts';
import {
  ALIKE,
  ALONE,
  BETTER,
  ITER1,
  ITER3,
  MARS,
  MURPHY_LAYOUT,
  MURPHY_SMALL,
  TIMED,
  training,
} from './commonClaims.ts';

// What Murphy claims of pruning.

const EIGHT = { treeRoots: 8, treeChildren: 8 } as const;
const MARS_8 = side('murphy-mars', EIGHT);

const INTER = side('murphy-mars', { inter: true });

/** A phase takes less than a part of the time with InterP. */
const shorter = (statement: string, phase: string, part: number): ClaimTest => ({
  ...{ kind: 'paired', asks: 'more', margin: 1, unit: 'ms', statement, higher: MARS, lower: INTER },
  ...{ of: { mean: phase, scale: part }, lowerOf: { mean: phase } },
});

/** InterP keeps half of the groups, IntraP half of their members. */
export const PRUNING_CLAIMS: readonly Claim[] = [
  {
    id: 'm5',
    paper: 'M',
    place: '§4.2, Tab. 2',
    says: 'Pruning half of the groups (InterP) keeps Iter-3; pruning half within groups (IntraP) loses 2 points there and gains at Iter-1.',
    rank: 'headline',
    experiments: [
      training(
        '8 x 8',
        ['treeChildren=8:treeRoots=8', 'inter=4:treeChildren=8:treeRoots=8', 'intra=4:treeChildren=8:treeRoots=8'].map(
          (one) => `murphy-mars:${one}`,
        ),
        {
          tests: [
            keeps(
              'with InterP MaRS keeps its Iter-3, to 3 points, in trees of 8 x 8',
              side('murphy-mars', { ...EIGHT, inter: true }),
              MARS_8,
              ITER3,
              ALIKE,
            ),
            // The paper's loss is 2 to 2.3 points.
            beats(
              'IntraP costs MaRS points at Iter-3, in trees of 8 x 8',
              MARS_8,
              side('murphy-mars', { ...EIGHT, intra: true }),
              ITER3,
              BETTER,
            ),
            beats(
              'IntraP gains MaRS points at Iter-1, in trees of 8 x 8',
              side('murphy-mars', { ...EIGHT, intra: true }),
              MARS_8,
              ITER1,
              BETTER,
            ),
          ],
        },
      ),
      training('6 x 4', ['murphy-mars', 'murphy-mars:inter=2', 'murphy-mars:intra=3'], {
        ...ABLATION,
        tests: [
          keeps(
            'with InterP MaRS keeps its Iter-3, to 3 points',
            side('murphy-mars', { inter: true }),
            MARS,
            ITER3,
            ALIKE,
          ),
          beats('IntraP costs MaRS points at Iter-3', MARS, side('murphy-mars', { intra: true }), ITER3, BETTER),
          beats('IntraP gains MaRS points at Iter-1', side('murphy-mars', { intra: true }), MARS, ITER1, BETTER),
        ],
      }),
    ],
    differs: [MURPHY_SMALL, 'An update has about 174 programs: two or three trees of 8 x 8.'],
  },
  {
    id: 'm6',
    paper: 'M',
    place: '§4.2, Tab. 8',
    says: 'InterP cuts optimisation by 74 % and a step by 21 %; generation stays.',
    rank: 'ablation',
    experiments: [
      training('times', ['murphy-mars', 'murphy-mars:inter=2'], {
        ...TIMED,
        tests: [
          shorter('InterP takes less than half the time for optimisation', 'optimizeMs', 0.5),
          shorter('InterP takes less than nine tenths of the time for an update', 'stepMs', 0.9),
          shorter('InterP takes no more than eleven tenths of the time for generation', 'generateMs', 1.1),
          {
            ...{ kind: 'paired', asks: 'more', margin: 1, unit: 'ms', higher: INTER, lower: MARS },
            ...{ of: { mean: 'generateMs' }, lowerOf: { mean: 'generateMs', scale: 0.9 } },
            statement: 'InterP takes more than nine tenths of the time for generation',
          },
        ],
      }),
    ],
    differs: [MURPHY_SMALL, MURPHY_LAYOUT, ALONE],
  },
  {
    id: 'm7',
    paper: 'M',
    place: '§F.4.3, Tab. 7',
    says: 'With three turns pruning still holds.',
    rank: 'ablation',
    experiments: [
      training('three turns', ['murphy-mars', 'murphy-mars:inter=2/1'], {
        ...ABLATION,
        settings: { maxTurns: 3 },
        tests: [
          keeps(
            'with InterP MaRS keeps its Iter-3, to 3 points, over three turns',
            side('murphy-mars', { inter: true }),
            MARS,
            ITER3,
            ALIKE,
          ),
        ],
      }),
    ],
    differs: [MURPHY_SMALL, MURPHY_LAYOUT],
  },
];
