import { describe, expect, test } from 'vitest';
import { measureName, readClaims, readMeasures } from '../../../../src/experiments/claims/readClaims.ts';

const MEASURES = readMeasures({ 'measured:answer': { margin: 0.02 }, 'end:toolUse': { margin: 0.1 } }, 'measures.json');
const tested = {
  says: 'a beats b',
  hypothesis: 'more',
  higher: 'mt-grpo',
  lower: 'grpo-mr',
  of: { measured: 'answer' },
};
const experiment = { name: 'open', environment: 'search', world: 'open', arms: ['mt-grpo', 'grpo-mr'], steps: 9 };
const claim = { id: 't1', place: '§1', compared: 'a with b', says: 'A.' };
const primary = { ...tested, primary: true };
const read = (
  parts: { test?: object; experiment?: object; claim?: object; tests?: readonly object[] },
  paper: 'T' | 'own' = 'T',
) =>
  readClaims(
    {
      differs: ['It is small.'],
      claims: [
        {
          ...claim,
          experiments: [{ ...experiment, tests: parts.tests ?? [{ ...primary, ...parts.test }], ...parts.experiment }],
          ...parts.claim,
        },
      ],
    },
    't.json',
    paper === 'own' ? undefined : paper,
    MEASURES,
  );

describe('a file of claims', () => {
  test('a file of claims is read with complete arms, seeds and margins', () => {
    const [claimRead] = read({ tests: [primary, { ...tested, lower: 0.5, of: { start: 'toolUse' }, margin: 0 }] });
    expect(claimRead).toMatchObject({ id: 't1', paper: 'T', differs: ['It is small.'] });
    const [{ seeds, worlds, tests }] = claimRead.experiments;
    expect([seeds, worlds]).toEqual([20, 20]);
    expect(tests).toMatchObject([
      { kind: 'paired', statement: 'a beats b', margin: 0.02, higher: { rule: 'mt-grpo', changes: {} } },
      { lower: 0.5, margin: 0 },
    ]);
    const [question] = read({ tests: [tested] }, 'own');
    expect([question.paper, question.experiments[0].seeds]).toEqual([undefined, 10]);
  });

  test('an experiment has the seeds of the primary test in which it is compared', () => {
    const less = { higher: 'mt-grpo', lower: 'grpo-mr', in: 'open' };
    const [{ experiments }] = read({
      claim: {
        experiments: [
          { ...experiment, tests: [tested] },
          { ...experiment, name: 'second', tests: [{ ...primary, less }] },
          { ...experiment, name: 'third', tests: [tested] },
        ],
      },
    });
    expect(experiments.map(({ seeds }) => seeds)).toEqual([20, 20, 10]);
  });

  const place = 't.json: claims[t1].experiments[open]';
  test.each<[string, Parameters<typeof read>[0], string]>([
    ['a missing field', { claim: { says: undefined } }, 't.json: claims[t1].says is missing'],
    ['an unknown field', { claim: { rank: 'headline' } }, 't.json: claims[t1].rank is unknown; fields: id, place,'],
    ['a field of another type', { experiment: { steps: '9' } }, `${place}.steps is "9", not a whole number from 0`],
    [
      'an unknown hypothesis',
      { test: { hypothesis: 'beats' } },
      `${place}.tests[a beats b].hypothesis is "beats", not one of more, keeps`,
    ],
    [
      'an unknown kind of test',
      { test: { kind: 'pair' } },
      `${place}.tests[a beats b].kind is "pair", not one of paired, seeds, switch, pooled`,
    ],
    [
      'an unknown arm',
      { test: { lower: 'grpo-or' } },
      `${place}.tests[a beats b].lower: "grpo-or" is no arm of the experiment; arms: mt-grpo, grpo-mr`,
    ],
    [
      'an unknown experiment',
      { test: { less: { higher: 0, lower: 0, in: 'x' } } },
      `${place}.tests[a beats b].less.in: "x" is no experiment`,
    ],
    [
      'a measure without a margin',
      { test: { of: { measured: 'format' } } },
      `${place}.tests[a beats b].of: measures.json has no "measured:format"`,
    ],
    [
      'a margin in a test of two arms',
      { test: { margin: 0.5 } },
      `${place}.tests[a beats b].margin: tests of two arms have the margin of their measure`,
    ],
    ['a claim without a primary test', { tests: [tested] }, 't.json: claims[t1] has 0 primary tests'],
    ['a claim with two primary tests', { tests: [primary, primary] }, 't.json: claims[t1] has 2 primary tests'],
    ['a claim without a comparison', { claim: { compared: undefined } }, 't.json: claims[t1].compared is missing'],
  ])('a file of claims with %s throws an error with its location', (_, parts, message) => {
    expect(() => read(parts)).toThrow(message);
  });

  test('a file of claims that is not an object throws an error', () => {
    expect(() => readClaims([], 't.json', 'T', MEASURES)).toThrow('t.json is []');
    expect(() => readMeasures({ x: { margin: 'wide' } }, 'measures.json')).toThrow('measures.json.x');
  });
});

test('a start value has the margin of the end value', () => {
  expect([measureName({ start: 'toolUse' }), measureName({ curve: 'answer', within: 0.5 })]).toEqual([
    'end:toolUse',
    'within:answer',
  ]);
});
