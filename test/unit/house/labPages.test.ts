import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { markdownFiles, readResult, resultTexts, withResults } from '../../../src/cli/lab/resultFiles.ts';
import { extractDefinition } from '../../../src/cli/lab/results.ts';
import { prepared } from '../../../src/cli/lab/work.ts';
import type { Claim } from '../../../src/environments/claim.ts';
import type { ClaimResult } from '../../../src/experiments/claims/claimResult.ts';
import { correctedTogether } from '../../../src/experiments/claims/corrections.ts';
import { ALL_CLAIMS } from '../../../src/experiments/claims/readClaims.ts';
import { PRESETS } from '../../../src/training/data/worlds.ts';
import { root } from '../../files.ts';

const folder = join(root, 'docs/reference/lab');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const pairs = ALL_CLAIMS.map((claim): readonly [Claim, ClaimResult] => {
  const result = readResult(folder, claim.id);
  if (!result)
    throw new Error(
      `docs/reference/lab has no result of ${claim.id}: npm run turnwise -- lab report --docs docs/reference/lab`,
    );
  return [claim, result];
});

describe('docs/reference/lab', () => {
  test('docs/reference/lab has exactly the pages that resultTexts creates from its data', () => {
    const texts = resultTexts(pairs);
    for (const [name, text] of texts) expect(read(`docs/reference/lab/${name}`), name).toBe(text);
    expect(readdirSync(folder).sort()).toEqual([...texts.keys()].sort());
  });

  test('the stored results correct each test for all tests of its paper, regardless of the report that wrote the page', () => {
    const describeOutcomes = (results: readonly (readonly [Claim, ClaimResult])[]) =>
      results.flatMap(([{ id }, { experiments }]) =>
        experiments.flatMap(({ name, outcomes }) =>
          outcomes.map(
            ({ test: { statement }, corrected: { probability, status } }) =>
              `${id}, ${name}, ${statement}: ${probability.toFixed(6)} ${status}`,
          ),
        ),
      );
    expect(describeOutcomes(pairs).length).toBeGreaterThan(0);
    expect(describeOutcomes(pairs)).toEqual(describeOutcomes(correctedTogether(pairs)));
  });

  test('the mean of each stored curve is between the minimum and the maximum of its seeds', () => {
    const curves = pairs.flatMap(([, { experiments }]) => experiments.map((experiment) => experiment.curves));
    const ranged = curves.filter(({ least }) => least);
    expect(ranged.length).toBeGreaterThan(0);
    const outside = ranged.flatMap(({ of, least, maximum }) =>
      Object.entries(of).flatMap(([arm, means]) =>
        Object.entries(means).flatMap(([name, mean]) =>
          mean.filter((value, at) => {
            const [low, high] = [least?.[arm]?.[name]?.[at], maximum?.[arm]?.[name]?.[at]];
            // Mean, minimum and maximum are rounded to four digits.
            return value !== null && !(Number(low) <= value * 1.001 && value <= Number(high) * 1.001);
          }),
        ),
      ),
    );
    expect(outside).toEqual([]);
  });

  test.each(pairs.map(([claim, result]) => [claim.id, claim, result] as const))(
    'the result of %s has the current definition of the claim: arms, updates, seeds and margins',
    (_, claim, result) => {
      expect(result.experiments.map(({ name }) => name)).toEqual(claim.experiments.map(({ name }) => name));
      for (const { name, definition, outcomes } of result.experiments) {
        const experiment = claim.experiments.find((candidate) => candidate.name === name);
        if (!experiment) throw new Error(`${claim.id} has no experiment ${name}`);
        expect(definition).toEqual(JSON.parse(JSON.stringify(extractDefinition(prepared(claim, experiment)))));
        const statements = experiment.tests.map(({ statement }) => statement);
        for (const { test } of outcomes) expect(statements).toContain(test.statement);
      }
    },
  );
});

describe('reasons', () => {
  test('each reason belongs to an existing experiment and contains no numbers of results', () => {
    for (const { experiments, reasons = {} } of ALL_CLAIMS)
      expect(experiments.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(reasons)));
    const texts = ALL_CLAIMS.flatMap(({ reasons = {} }) => Object.values(reasons));
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter((text) => /(?:^|[ (])[−+]?\d*\.\d|%|seeds/.test(text))).toEqual([]);
  });
});

/** Documents for readers. Their results of claims come from docs/reference/lab. */
const texts = ['README.md', 'docs', 'lessons'].flatMap((name) =>
  name.endsWith('.md') ? [join(root, name)] : markdownFiles(join(root, name)),
);
const ofReaders = texts.filter((file) => !relative(root, file).startsWith(join('docs', 'reference', 'lab') + sep));

describe('documents', () => {
  test('documents that refer to a result contain the current result of docs/reference/lab', () => {
    const find = (id: string) => pairs.find(([claim]) => claim.id === id)?.[1];
    for (const file of ofReaders) {
      const text = readFileSync(file, 'utf8');
      expect(
        withResults(text, file, find),
        `${relative(root, file)}: lab report --docs docs/reference/lab --texts .`,
      ).toBe(text);
    }
  });

  test('documents state no conclusion and no interval of a claim without a reference to its result', () => {
    const matches = ofReaders.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, index) => {
          const plain = line.replace(/\[(?:[^[\]]|\[[^\]]*\])*\]\([^)]* "[^"]*"\)/g, '');
          const claims = /\blab(?:\/|:)(?:[tmvr]\d|own-)/.test(line);
          const resultPattern =
            /\[[−+-]?[\d.]+, [−+-]?[\d.]+\]|\b(?:reproduced|contradicted|inconclusive|undecided|appears)\b/i;
          return claims && resultPattern.test(plain) ? [`${relative(root, file)}:${index + 1}: ${line}`] : [];
        }),
    );
    expect(matches).toEqual([]);
  });

  test('numbers and counts of seeds in a paragraph that cites docs/*.md are in the cited document', () => {
    const paragraphs = ofReaders.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split(/\n\s*\n/)
        .map((paragraph) => ({ paragraph, cited: [...paragraph.matchAll(/`(docs\/[\w/-]+\.md)`/g)] }))
        .filter(({ cited }) => cited.length > 0),
    );
    const cited = paragraphs.map(({ paragraph, cited }) => {
      const numbers = numbersOf(paragraph.replace(/\[[^\]]*\]\([^)]*\)|`[^`]*`/g, ''));
      const known = new Set(cited.flatMap(([, name = '']) => numbersOf(read(name))));
      return { paragraph, numbers, missing: numbers.filter((number) => !known.has(number)) };
    });
    expect(cited.flatMap(({ numbers }) => numbers).length).toBeGreaterThan(0);
    expect(cited.filter(({ missing }) => missing.length > 0)).toEqual([]);
  });

  test('rows that begin with an arm cite only claims with this arm', () => {
    const armsOf = ({ experiments }: Claim) => experiments.flatMap(({ arms }) => arms.map((arm) => arm.split(':')));
    const rules = new Set(ALL_CLAIMS.flatMap(armsOf).map(([rule]) => rule));
    const cells = ofReaders
      .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/^\| `([\w:=./-]+)` \|.*$/gm)])
      .map(([row, name = '']) => ({ parts: name.split(':'), ids: [...row.matchAll(/\blab\/([\w-]+)\.md\)/g)] }))
      .filter(({ parts: [rule] }) => rules.has(rule))
      .flatMap(({ parts, ids }) => ids.map(([, id]) => ({ parts, id })));
    expect(cells.length).toBeGreaterThan(0);
    const wrong = cells.filter(({ parts, id }) => {
      const arms = ALL_CLAIMS.filter((claim) => claim.id === id).flatMap(armsOf);
      return !arms.some((arm) => parts.every((part) => arm.some((candidate) => candidate.startsWith(part))));
    });
    expect(wrong).toEqual([]);
  });

  test('documents link only to existing claims', () => {
    const ids = new Set(ALL_CLAIMS.map(({ id }) => id));
    const linked = ofReaders.flatMap((file) =>
      [
        ...readFileSync(file, 'utf8').matchAll(
          /\((?:[./\w-]*\blab\/|lab:)((?:[tmvr]\d+|own-)[a-z0-9-]*)(?:\.md)?[ )]/g,
        ),
      ].map(([, id]) => id),
    );
    expect(linked.length).toBeGreaterThan(0);
    expect(linked.filter((id) => !ids.has(id ?? ''))).toEqual([]);
  });
});

/** Returns the decimal numbers and the counts of seeds or runs of a text, without signs and leading zeros. */
function numbersOf(text: string): readonly string[] {
  const pattern =
    /(?<![\w.])\d*\.\d+(?![\w.])|\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twenty) (?:seeds|runs)\b/gi;
  return [...text.matchAll(pattern)].map(([number]) => number.toLowerCase().replace(/^0+(?=\.)/, ''));
}

describe('presets', () => {
  test('a preset that states an effect of training names a claim or a seed', () => {
    const effect =
      /\b(?:rises?|falls?|drops?|climbs?|stays?|improves?|lowers?|loses?|lost|learns?|learned|prefers|collapse|tie)\b/;
    const effects = PRESETS.filter(({ shows }) => effect.test(shows));
    expect(effects.length).toBeGreaterThan(0);
    const ids = new Set(ALL_CLAIMS.map(({ id }) => id));
    const cited = (text: string) => (text.match(/\b(?:[TMVR]\d+|own-[a-z-]+)\b/g) ?? []).map((id) => id.toLowerCase());
    const unsupported = effects.filter(({ shows }) => !/\bseeds?\b/.test(shows) && cited(shows).length === 0);
    expect(unsupported.map(({ name }) => name)).toEqual([]);
    expect(PRESETS.flatMap(({ shows }) => cited(shows)).filter((id) => !ids.has(id))).toEqual([]);
  });
});
