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
