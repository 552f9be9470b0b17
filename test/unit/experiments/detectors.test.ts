import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DETECTOR_TERMS } from '../../../src/app/glossary/terms.ts';
import { glossaryStrings } from '../../../src/app/strings/glossaryStrings.ts';
import { RULES } from '../../../src/credit/rules.ts';
import { search } from '../../../src/environments/search/index.ts';
import {
  type DetectedUpdate,
  type DetectorName,
  detect,
  detectionLine,
  HEADINGS,
} from '../../../src/experiments/detectors.ts';
import { root } from '../../files.ts';

type Point = readonly [step: number, values: object];

/** Creates updates with the values of each point up to the next point, and of the last point for ten updates. */
function curve(...points: readonly Point[]): DetectedUpdate[] {
  return points.flatMap(([from, values], index) => {
    const until = points[index + 1]?.[0] ?? from + 10;
    return Array.from({ length: until - from }, (_, offset) => ({ ...values, step: from + offset }));
  });
}

const findEvents = (...points: readonly Point[]) => detect(search.watched, curve(...points));
const named = (...points: readonly Point[]) => findEvents(...points).map(({ name, step }) => [name, step]);

describe('a skill', () => {
  test('a skill is reported as lost below .1 and as recovered above .5, once each and with its numbers', () => {
    const events = findEvents(
      [0, { toolUse: 0.55 }],
      [10, { toolUse: 0.98 }],
      [20, { toolUse: 0.3 }],
      [25, { toolUse: 0.02 }],
      [40, { toolUse: 0.9 }],
    );
    expect(events).toEqual([
      { step: 27, since: 12, name: 'collapse', text: 'Collapse: tool use fell from 0.98 to 0.02.' },
      { step: 41, name: 'recovery', text: 'Recovery: tool use is back at 0.61, from 0.02.' },
    ]);
  });

  test('a skill that varies between the bounds is neither lost nor recovered', () => {
    const scattering = Array.from({ length: 60 }, (_, step) => [step, { toolUse: step % 2 ? 0.15 : 0.48 }] as const);
    expect(named(...scattering)).toEqual([]);
    expect(named([0, { toolUse: 0.9 }], [10, { toolUse: 0 }], [11, { toolUse: 0.9 }])).toEqual([]);
  });

  test('a skill that rises for the first time is not a recovery', () => {
    expect(named([0, { toolUse: 0.3 }], [10, { toolUse: 0.97 }])).toEqual([]);
  });
});

describe('training and new questions', () => {
  const at = (answer: number, heldOut: number) => ({ answer, heldOut: { answer: heldOut } });

  test('a shortcut is reported if training accuracy rises and held-out accuracy falls in two measurements', () => {
    const events = findEvents([0, at(0.3, 0.05)], [10, at(0.66, 0.52)], [20, at(0.93, 0.06)]);
    expect(events).toEqual([
      {
        step: 22,
        since: 19,
        name: 'shortcut',
        text: 'Shortcut: training accuracy rose from 0.66 to 0.93, and held-out accuracy fell from 0.52 to 0.06.',
      },
    ]);
  });

  test('no shortcut is reported if both accuracies fall, if both rise, or without held-out measurements', () => {
    expect(named([0, at(0.6, 0.5)], [10, at(0.1, 0.1)])).toEqual([]);
    expect(named([0, at(0.1, 0.1)], [10, at(0.6, 0.5)])).toEqual([]);
    expect(named([0, { answer: 0.3 }], [10, { answer: 0.9 }])).toEqual([]);
  });

  test('a shortcut can be reported again after held-out accuracy recovers', () => {
    const twice = named([0, at(0.6, 0.5)], [10, at(0.9, 0.1)], [20, at(0.6, 0.45)], [30, at(0.9, 0.1)]);
    expect(twice.map(([name]) => name)).toEqual(['shortcut', 'shortcut']);
  });
});

test.each([
  [
    'over-use',
    { searches: 1, answer: 0.2 },
    { searches: 2.6, answer: 0.25 },
    'Over-use: 2.3 searches a rollout, with 0.25 of the answers right.',
  ],
  [
    'ties',
    { degenerate: 0.3 },
    { degenerate: 1 },
    'Ties everywhere: 100 % of the groups have equal rewards and give no gradient.',
  ],
  [
    'entropy collapse',
    { entropy: 0.9 },
    { entropy: 0.01 },
    'Entropy collapse: 0.01 nats per token. The policy no longer explores.',
  ],
  [
    'diverging',
    { klReferenceK1: 0.4 },
    { klReferenceK1: 6 },
    'Diverging: 4.9 nats per token from the starting policy.',
  ],
] as const)('the event "%s" is reported if it persists, and again after it ended', (name, usual, then, text) => {
  const events = findEvents([0, usual], [10, then], [20, usual], [30, then]);
  expect(events.map((entry) => entry.name)).toEqual([name, name]);
  expect(events[0]?.text).toBe(text);
  // A spike of one update is not an event.
  expect(named([0, usual], [10, { ...usual, ...then }], [11, usual])).toEqual([]);
});

test('a policy with low initial entropy has an entropy collapse only far below its initial entropy', () => {
  expect(named([0, { entropy: 0.05 }], [20, { entropy: 0.04 }])).toEqual([]);
  expect(named([0, { entropy: 0.05 }], [20, { entropy: 0.01 }]).map(([name]) => name)).toEqual(['entropy collapse']);
});

test('an environment without watched lines has the common detectors', () => {
  expect(
    detect(undefined, curve([0, { toolUse: 1, degenerate: 0 }], [10, { toolUse: 0, degenerate: 1 }])).map(
      ({ name }) => name,
    ),
  ).toEqual(['ties']);
});

const page = readFileSync(join(root, 'docs/learn/why.md'), 'utf8');
const names = Object.keys(HEADINGS) as DetectorName[];

/** Updates of a run with all events that the detectors report. */
const ALL_ROWS = Array.from({ length: 80 }, (_, step) => ({
  step,
  rule: step < 40 ? 'grpo-or' : 'mt-grpo',
  toolUse: step < 10 || step > 40 ? 0.9 : 0.02,
  answer: step < 20 ? 0.3 : 0.9,
  heldOut: { answer: step < 20 ? 0.6 : 0.1 },
  searches: 3,
  degenerate: 0.95,
  entropy: step < 10 ? 1 : 0.01,
  klReferenceK1: step < 10 ? 0 : 9,
}));

describe('a reported event', () => {
  test('each reported event has a section of the documentation and a glossary term', () => {
    for (const name of names) {
      expect(page).toContain(`\n### ${HEADINGS[name]}\n`);
      expect(glossaryStrings.meanings[DETECTOR_TERMS[name]]).toHaveLength(2);
    }
    expect(Object.keys(DETECTOR_TERMS)).toEqual(names);
  });

  test('the terminal line of an event has the section of the documentation and the active rule', () => {
    const events = detect(search.watched, ALL_ROWS);
    expect(new Set(events.map(({ name }) => name))).toEqual(new Set(names));
    const sections = [...page.matchAll(/^### (.+)$/gm)].map(([, heading]) =>
      heading.toLowerCase().replaceAll(' ', '-'),
    );
    for (const line of events.map(detectionLine)) {
      const [, section, rule] =
        /^step \d+(?: \(since step \d+\))?: .+ \(docs\/learn\/why\.md#([a-z-]+), turnwise rules ([a-z-]+)\)$/.exec(
          line,
        ) ?? [];
      expect(sections).toContain(section);
      expect(RULES.map(({ name }) => name)).toContain(rule);
    }
    expect(events.map(detectionLine)[0]).toContain('Over-use');
    expect(events.find(({ name }) => name === 'collapse')?.rule).toBe('grpo-or');
    expect(events.find(({ name }) => name === 'recovery')?.rule).toBe('mt-grpo');
  });

  test('the terminal line of an event has no rule if the updates do not contain the rule', () => {
    const [collapse] = detect(
      search.watched,
      ALL_ROWS.map(({ rule: _, ...update }) => update),
    ).filter(({ name }) => name === 'collapse');
    expect(detectionLine(collapse)).toMatch(/0\.02\. \(docs\/learn\/why\.md#collapse-and-recovery\)$/);
  });
});
