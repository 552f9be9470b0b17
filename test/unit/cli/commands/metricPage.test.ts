import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { METRIC_PAGE_COMMAND, metricPage, PAGE } from '../../../../src/cli/commands/metrics.ts';
import { ENVIRONMENTS } from '../../../../src/environments/registry.ts';
import { METRICS } from '../../../../src/metrics/metricTable.ts';
import { root } from '../../../files.ts';
import { turnwise } from '../cliTerminal.ts';

const page = metricPage(Object.values(ENVIRONMENTS));
const STALE = `${PAGE} is not what the tables say now; after any change of a metric run\n  ${METRIC_PAGE_COMMAND}\nand commit the file`;

test(`${PAGE} equals the text of the tables`, () => {
  expect(readFileSync(join(root, PAGE), 'utf8').replaceAll('\r\n', '\n'), STALE).toBe(page);
});

test('the metric page lists every metric once, and the metrics of each environment', () => {
  const lines = page.split('\n');
  for (const { name, help } of METRICS) {
    const matches = lines.filter((line) => line.startsWith(`| \`${name}\` |`));
    expect(matches, name).toHaveLength(1);
    expect(matches[0]).toContain(help);
  }
  for (const { title, facts, heldOut } of Object.values(ENVIRONMENTS)) {
    const [, section = ''] = page.split(`\n### ${title} `);
    const [content = ''] = section.split('\n#');
    for (const { name } of facts) expect(content).toContain(`| \`facts.${name}\` |`);
    for (const { name } of heldOut) expect(content).toContain(`| \`heldOut.${name}\` |`);
    for (const { help } of [...facts, ...heldOut]) expect(content).toContain(help);
  }
});

test('the command metrics lists the metrics and writes the metric page', async () => {
  const listed = await turnwise('metrics');
  expect([listed.code, listed.err]).toEqual([0, '']);
  for (const { name } of METRICS) expect(listed.out).toMatch(new RegExp(`^${name} `, 'm'));
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-metrics-'));
  const file = join(folder, 'metrics.md');
  const written = await turnwise(`metrics --docs ${file}`);
  expect([written.code, written.out]).toEqual([0, '']);
  expect(readFileSync(file, 'utf8')).toBe(page);
  rmSync(folder, { recursive: true });
});
