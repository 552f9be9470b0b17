import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { masked } from '../../../../src/diagnosis/reportHtml.ts';
import { root } from '../../../files.ts';
import { syntheticGroup } from '../../diagnosis/synthetic.ts';
import { expectRejected, temporaryFolder, turnwise } from '../cliTerminal.ts';

const CASE = join(root, 'test/fixtures/field/11-the-tool-dies');
const { folder } = temporaryFolder();

async function report(path: string): Promise<string> {
  const file = join(folder, 'report.html');
  const { code, err } = await turnwise(['report', '--html', file, path]);
  expect([code, err]).toEqual([0, '']);
  return readFileSync(file, 'utf8');
}

test('the report of case 11 has the finding, charts and transcripts with credit, and no script', async () => {
  const html = await report(CASE);
  expect(html).toContain('<h3>The tool is given up: calc</h3>');
  expect(html.match(/<svg /g)).toHaveLength(2);
  expect(html).toContain('<summary>step-8/prompt-0</summary>');
  expect(html).toContain('<strong class="blame">-1.208</strong>');
  expect(html).not.toMatch(/<script|javascript:|https?:\/\//);
});

test('a report escapes markup of a log, and masks keys and mail addresses', async () => {
  const text = '<script>alert(1)</script> sk-abcdefghijklmnopqrstuv ada@example.org';
  const group = syntheticGroup('<b>', 1, [
    { turns: [{ text }], last: { outcome: 1 } },
    { turns: [{ text: 'b', observation: [{ role: 'tool', content: text }] }], last: { outcome: 0 } },
  ]);
  const file = join(folder, 'groups.jsonl');
  writeFileSync(file, `${JSON.stringify(group)}\n`);
  const html = await report(file);
  expect(html).not.toMatch(/<script|<b>|sk-abc|ada@/);
  expect(html.match(/&lt;script>alert\(1\)&lt;\/script> \[key\] \[mail\]/g)).toHaveLength(2);
});

test('groups of two files with the same step and prompt have separate transcripts in a report', async () => {
  const log = join(folder, 'two-runs');
  for (const run of ['a', 'b']) {
    mkdirSync(join(log, run), { recursive: true });
    const rows = [0, 1].map((score) => ({ input: 'q', output: `text ${score} of ${run}`, score, step: 1 }));
    writeFileSync(join(log, run, '1.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
  const html = await report(log);
  const second = html.slice(html.indexOf('<summary>step-1/prompt-0-2</summary>'));
  expect(html.indexOf('<summary>step-1/prompt-0</summary>')).toBeGreaterThan(0);
  expect(html.slice(0, -second.length)).toContain('text 1 of a');
  expect(second).toContain('text 1 of b');
  expect(second).not.toContain('of a<');
});

test('a report of long texts is below 3 MB', async () => {
  const text = '<&"'.repeat(1_300);
  const rollouts = Array.from({ length: 8 }, (_, at) => ({
    turns: Array.from({ length: 60 }, () => ({ text, observation: text })),
    last: { outcome: at % 2 },
  }));
  const file = join(folder, 'long.jsonl');
  writeFileSync(
    file,
    Array.from({ length: 2 }, (_, at) => JSON.stringify(syntheticGroup(`g${at}`, at, rollouts))).join('\n'),
  );
  const { length } = await report(file);
  expect(length).toBeGreaterThan(1e6);
  expect(length).toBeLessThan(3e6);
});

test.each([
  ['key = ghp_abcdefghij0123456789', 'key = [key]'],
  ['AKIAABCDEFGHIJKLMNOP', '[key]'],
  ['Authorization: Bearer abc.def-ghi_jkl', 'Authorization: Bearer [key]'],
  ['{"api_key": "0123456789"}', '{"api_key": "[key]"}'],
  ['-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----', '[key]'],
  ['write to a.b+c@mail.example.org now', 'write to [mail] now'],
  ['the token is 5 and sk-8 skis', 'the token is 5 and sk-8 skis'],
])('only keys and mail addresses are masked in %s', (text, expected) => {
  expect(masked(text)).toBe(expected);
});

test('report without --html is rejected', async () => {
  await expectRejected(['report', CASE], '--html is missing');
});

/**
 * Loads the page.
 * @param host value of the Host header
 */
function load(url: string, host?: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    get(url, { headers: host ? { host } : {}, agent: false }, (response) => {
      let body = '';
      response.on('data', (part) => (body += part));
      response.on('end', () => resolve({ status: response.statusCode, body }));
    }).on('error', reject);
  });
}

test('watch serves the report on localhost, reads new files and stops on Ctrl-C', async () => {
  const run = join(folder, 'run');
  mkdirSync(run);
  for (const step of [1, 2]) copyFileSync(join(CASE, `${step}.jsonl`), join(run, `${step}.jsonl`));
  const stop = new AbortController();
  const written: string[] = [];
  const done = turnwise(['watch', '--port', '0', '--every', '1', run], {
    signal: stop.signal,
    out: (text) => void written.push(text),
  });
  await expect.poll(() => written.length).toBe(1);
  const url = written[0].trim();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  const page = () => load(url).then(({ body }) => body);
  await expect.poll(page, { timeout: 10_000 }).toContain('2 groups, 16 rollouts');
  for (const step of [3, 4, 5, 6, 7, 8, 9, 10]) copyFileSync(join(CASE, `${step}.jsonl`), join(run, `${step}.jsonl`));
  await expect.poll(page, { timeout: 10_000 }).toContain('The tool is given up: calc');
  writeFileSync(join(run, '11.jsonl'), '{"input": "half');
  expect((await load(url, 'example.org')).status).toBe(403);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(await page()).toContain('The tool is given up: calc');
  stop.abort();
  const { code, err } = await done;
  expect(code).toBe(130);
  expect(err).toMatch(/11\.jsonl/);
});
