import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { markdownTable } from '../../../src/cli/framework/text.ts';
import { prepared } from '../../../src/cli/lab/prepared.ts';
import { readResult, resultTexts } from '../../../src/cli/lab/resultFiles.ts';
import { askedOf } from '../../../src/cli/lab/results.ts';
import type { Claim } from '../../../src/environments/claim.ts';
import type { ClaimResult } from '../../../src/experiments/claims/claimResult.ts';
import { ALL_CLAIMS } from '../../../src/experiments/claims/claims.ts';
import { correctedTogether } from '../../../src/experiments/claims/corrections.ts';
import { REASONS } from '../../../src/experiments/claims/reasons.ts';
import { FIRST_EDITION } from '../../../src/experiments/claims/verdictWords.ts';
import { root } from '../../files.ts';

const folder = join(root, 'docs/lab');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const pairs = ALL_CLAIMS.map((claim): readonly [Claim, ClaimResult] => {
  const result = readResult(folder, claim.id);
  if (!result) throw new Error(`docs/lab has nothing of ${claim.id}: npm run turnwise -- lab report --docs docs/lab`);
  return [claim, result];
});

describe('docs/lab', () => {
  test('has the pages that its data gives, and nothing else', () => {
    const texts = resultTexts(pairs);
    for (const [name, text] of texts) expect(read(`docs/lab/${name}`), name).toBe(text);
    expect(readdirSync(folder).sort()).toEqual([...texts.keys()].sort());
  });

  test('corrects every test with all others of its paper, whichever reports wrote their pages', () => {
    const told = (results: readonly (readonly [Claim, ClaimResult])[]) =>
      results.flatMap(([{ id }, { experiments }]) =>
        experiments.flatMap(({ name, outcomes }) =>
          outcomes.map(
            ({ test: { statement }, corrected: { probability, status } }) =>
              `${id}, ${name}, ${statement}: ${probability.toFixed(6)} ${status}`,
          ),
        ),
      );
    expect(told(pairs).length).toBeGreaterThan(0);
    expect(told(pairs)).toEqual(told(correctedTogether(pairs)));
  });

  test('says of every curve how far its seeds go, where there are several: the mean lies between', () => {
    const curves = pairs.flatMap(([, { experiments }]) => experiments.map((one) => one.curves));
    const ranged = curves.filter(({ least }) => least);
    expect(ranged.length).toBeGreaterThan(0);
    const outside = ranged.flatMap(({ of, least, most }) =>
      Object.entries(of).flatMap(([arm, own]) =>
        Object.entries(own).flatMap(([name, mean]) =>
          mean.filter((value, at) => {
            const [low, high] = [least?.[arm]?.[name]?.[at], most?.[arm]?.[name]?.[at]];
            // Each is rounded to four digits.
            return value !== null && !(Number(low) <= value * 1.001 && value <= Number(high) * 1.001);
          }),
        ),
      ),
    );
    expect(outside).toEqual([]);
  });

  test.each(pairs.map(([claim, result]) => [claim.id, claim, result] as const))(
    '%s was measured as the claim now asks: arms, updates, seeds, margins',
    (_, claim, result) => {
      expect(result.experiments.map(({ name }) => name)).toEqual(claim.experiments.map(({ name }) => name));
      for (const { name, edition, asked, outcomes } of result.experiments) {
        if (edition === 1) continue;
        const experiment = claim.experiments.find((one) => one.name === name);
        if (!experiment) throw new Error(`${claim.id} has no experiment ${name}`);
        expect(asked).toEqual(JSON.parse(JSON.stringify(askedOf(prepared(claim, experiment)))));
        const statements = experiment.tests.map(({ statement }) => statement);
        for (const { test } of outcomes) expect(statements).toContain(test.statement);
      }
    },
  );
});

describe('the first edition', () => {
  const first = pairs.flatMap(([, { experiments }]) => experiments.filter(({ edition }) => edition === 1));

  test('has no verdict, and says so on every page', () => {
    for (const { outcomes } of first) {
      for (const one of outcomes) expect([one.judgement.status, one.corrected.status]).toEqual(['open', 'open']);
    }
    const marked = pairs.reduce(
      (sum, [{ id }]) => sum + read(`docs/lab/${id}.md`).split(`**${FIRST_EDITION}**`).length - 1,
      0,
    );
    expect(marked).toBe(first.length);
  });
});

describe('a reason', () => {
  test('is given for every "no such gain" and "reverse", and for experiments that there are', () => {
    const named = Object.entries(REASONS).flatMap(([id, own]) => Object.keys(own).map((name) => `${id}, ${name}`));
    const all = pairs.flatMap(([{ id }, { experiments }]) => experiments.map(({ name }) => `${id}, ${name}`));
    expect(all).toEqual(expect.arrayContaining(named));
    const failed = pairs.flatMap(([{ id, paper }, { experiments }]) =>
      experiments
        .filter(
          ({ edition, outcomes }) =>
            paper &&
            !edition &&
            outcomes.some(({ test, corrected: { status } }) => test.primary && status !== 'holds' && status !== 'open'),
        )
        .map(({ name }) => `${id}, ${name}`),
    );
    expect(named).toEqual(expect.arrayContaining(failed));
  });
});

/** Tables of other documents that stand in docs/lab. */
const TABLES = [
  ['docs/results.md', 't1', 'shortcut'],
  ['docs/results.md', 't1', 'open'],
] as const;

describe.each(TABLES)('%s', (file, id, name) => {
  test(`has the table of ${id}, ${name}, as docs/lab has it`, () => {
    const table = readResult(folder, id)?.experiments.find((one) => one.name === name)?.table;
    expect(table).toBeDefined();
    if (table) expect(read(file)).toContain(markdownTable(table.head, table.rows));
  });
});

describe('README.md', () => {
  test('has the figures of the shortcut world as docs/lab has them', () => {
    const table = readResult(folder, 't1')?.experiments.find(({ name }) => name === 'shortcut')?.table;
    const row = (arm: string) => {
      const [, seeds, tool, , fresh, collapsed] = table?.rows.find(([name]) => name === arm) ?? [];
      if (!seeds || !tool || !fresh || !collapsed) throw new Error(`docs/lab/t1.json has no row of ${arm}`);
      const ends = (points: string) => points.split('/').at(-1);
      return {
        start: tool.split('/')[0],
        tool: ends(tool),
        fresh,
        collapsed,
      };
    };
    const [grpo, turns] = [row('grpo-or'), row('mt-grpo')];
    const readme = read('README.md');
    for (const sentence of [
      `tool use starts at ${grpo.start}.`,
      `(GRPO-OR) it ends at ${grpo.tool}, in ${grpo.collapsed} seeds.`,
      `(MT-GRPO) it ends at ${turns.tool}.`,
      `The first agent answers ${grpo.fresh} of the new questions, the second one ${turns.fresh}.`,
    ]) {
      expect(readme).toContain(sentence);
    }
  });
});
