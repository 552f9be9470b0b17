import { describe, expect, test } from 'vitest';
import { challengeStrings } from '../../../../src/app/strings/challengeStrings.ts';
import { customRuleStrings } from '../../../../src/app/strings/customRuleStrings.ts';
import { inspectorStrings } from '../../../../src/app/strings/inspectorStrings.ts';
import { laneStrings, paceStrings, savedRunStrings } from '../../../../src/app/strings/runStrings.ts';
import { viewStrings } from '../../../../src/app/strings/shellStrings.ts';
import { slowStrings } from '../../../../src/app/strings/slowStrings.ts';
import { whyStrings } from '../../../../src/app/strings/storyStrings.ts';
import { strings } from '../../../../src/app/strings/strings.ts';
import { truthStrings } from '../../../../src/app/strings/truthStrings.ts';
import { ENVIRONMENT_LIST } from '../../../../src/environments/registry.ts';

/**
 * Private phrases. The glossary (docs/learn/glossary.md) has terms for them: reward, advantage, held-out, continue,
 * resume.
 */
const PRIVATE =
  // cspell:disable-next-line
  /\b(is|are|was|were) (told|paid|kept)\b|\bcomes? of it\b|\bgo(es)? on\b|\bmakes? of\b|\bhow hard\b|\bby heart\b|\bright answers?\b|\bnew questions\b|\bthe truth itself\b|\bover again\b|\banew\b|\bin sight\b/i;

/** Returns all texts of a catalogue with their paths. The text of a function is its source. */
function textsOf(value: unknown, path = ''): readonly (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return [[path, value]];
  // The source has the text of every branch.
  if (typeof value === 'function') return [[path, String(value)]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => textsOf(part, `${path}.${name}`));
}

const CATALOGUES = {
  ...{
    challengeStrings,
    inspectorStrings,
    savedStrings: savedRunStrings,
    laneStrings,
    customRuleTexts: customRuleStrings,
    paceStrings,
    viewTexts: viewStrings,
  },
  ...{ slowStrings, truthStrings, whyStrings },
  strings: { ...strings, environments: {} },
};

describe('texts of the page', () => {
  test.each(Object.entries(CATALOGUES))('the texts of %s have standard terms', (name, catalogue) => {
    const matches = textsOf(catalogue, name).filter(([, text]) => PRIVATE.test(text));
    expect(matches).toEqual([]);
  });

  test.each(ENVIRONMENT_LIST.map(({ name, charts }) => [name, charts] as const))(
    'the charts of %s have standard terms',
    (name, charts) => {
      expect(textsOf(charts, name).filter(([, text]) => PRIVATE.test(text))).toEqual([]);
    },
  );
});
