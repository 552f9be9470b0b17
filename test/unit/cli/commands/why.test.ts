import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SEARCH_TURNS } from '../../../../src/environments/search/searchFacts.ts';
import { casesOf } from '../../../../src/environments/watchedTurns.ts';
import { writeRunFile } from '../../../../src/storage/runFile.ts';
import { metricsOf, savedRun } from '../../app/appFixtures.ts';
import { expectRejected, temporaryFolder, turnwise } from '../cliTerminal.ts';

const { folder, file: fileOf } = temporaryFolder();

const ZEROS = Object.fromEntries(
  casesOf(SEARCH_TURNS).flatMap(({ name }) => ['Count', 'Credit', 'Compared'].map((suffix) => [`${name}${suffix}`, 0])),
);
const rows = [0.5, 0.6, 0.75].map((searchProbability, step) => {
  const rewards = {
    retrievedCount: 60,
    retrievedCredit: 30,
    retrievedCompared: -15,
    skippedWrongCount: 20,
    skippedWrongCredit: -20,
  };
  const decision = { ...ZEROS, ...rewards, tiedCount: 0, push: 0.2, pushNoise: 0.01, probabilityNoise: 0.01 };
  return metricsOf(step, { rule: 'mt-grpo', searchProbability, decision });
});

const lines = fileOf('run.jsonl', `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`);

describe('turnwise why', () => {
  test('why reports the credit of the deciding token in sentences and in a table', async () => {
    const { code, out, err } = await turnwise(['why', lines]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(
      'Updates 0 to 2 under MT-GRPO: executed searches had a mean advantage of +0.50 and skipped searches −1.00;',
    );
    expect(out).toContain('The updates made searching more likely; its probability went from 0.50 to 0.75.');
    expect(out).toContain('the same sign in 2 of 2 updates');
    expect(out).toMatch(/^Executed searches +180 +0\.750 +0\.50 +-0\.25$/m);
    expect(out).toMatch(/^ +the answer was incorrect +60 +0\.250 +-1\.00 +0\.00$/m);
  });

  test('why prints the same report for a saved run as for its lines of metrics', async () => {
    const saved = fileOf('kept.json', writeRunFile(savedRun({ step: 3, metrics: rows })));
    expect((await turnwise(['why', saved])).out).toBe((await turnwise(['why', lines])).out);
  });

  test.each([
    ['nothing.jsonl', '', 'has no line'],
    ['broken.jsonl', `${JSON.stringify(rows[0])}\n{"step":`, 'line 2: '],
    ['other.jsonl', `${JSON.stringify(rows[0])}\n{"id": "a"}\n`, 'line 2: not an update'],
    ['group.json', '{"id": "a"}', 'is neither the metrics of a run nor a saved run'],
    ['earlier.jsonl', `${JSON.stringify({ ...rows[0], decision: null })}\n`, 'has no advantages by kind of turn'],
  ])('why rejects %s with the reason', async (name, text, message) => {
    const { code, out, err } = await turnwise(['why', fileOf(name, text)]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(name);
    expect(err).toContain(message);
  });

  test('why reports a missing file', async () => {
    await expectRejected(['why', join(folder, 'missing.jsonl')], 'missing.jsonl');
  });
});
