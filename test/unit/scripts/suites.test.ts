import { writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runLists } from '../../../scripts/suites.mjs';

test('runLists runs lists in parallel, and writes the messages of each suite in one piece', async () => {
  const events: string[] = [];
  const written: string[] = [];
  let checked: (() => void) | undefined;
  const check = new Promise<void>((resolve) => {
    checked = resolve;
  });
  const run = async (name: string, output: number) => {
    events.push(name);
    writeSync(output, `${name} begins\n`);
    // The first suite ends only after the other list has begun, so lists in sequence never end.
    if (name === 'gpu') await check;
    if (name === 'check') checked?.();
    writeSync(output, `${name} ends\n`);
    const failures = name === 'unit' ? [{ name: 'a.test.ts: fails', line: 'expected 3' }] : [];
    return { passed: 2, failed: failures.length, failures };
  };
  const total = await runLists(
    [
      ['gpu', 'browser'],
      ['check', 'unit'],
    ],
    run,
    (text) => written.push(text),
  );
  expect(total).toEqual({ passed: 8, failed: 1, failures: [{ name: 'a.test.ts: fails', line: 'expected 3' }] });
  expect(events.slice(0, 2)).toEqual(['gpu', 'check']);
  for (const name of ['gpu', 'browser', 'check', 'unit']) {
    expect(written).toContainEqual(`\n== ${name} ==\n${name} begins\n${name} ends\n`);
  }
});
