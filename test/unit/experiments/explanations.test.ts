import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DETECTOR_TERMS } from '../../../src/app/glossary/terms.ts';
import { glossaryStrings } from '../../../src/app/strings/glossaryStrings.ts';
import { RULES } from '../../../src/credit/rules.ts';
import { search } from '../../../src/environments/search/index.ts';
import { type DetectorName, detect, detectionLine, HEADINGS } from '../../../src/experiments/detectors.ts';
import { root } from '../../files.ts';

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
