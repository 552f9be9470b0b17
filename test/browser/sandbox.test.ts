import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import type { Job, Outcome, Program, ProgramResult } from '@turnwise/python-sandbox/types';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pythonWorker } from '../../packages/python-sandbox/src/host/vitePlugin.ts';
import { ALL_ATTACKS } from '../../packages/python-sandbox/test/allAttacks.ts';
import { ATTACKS_SIZES } from '../../packages/python-sandbox/test/attacksSizes.ts';
import { ATTACKS_STACK } from '../../packages/python-sandbox/test/attacksStack.ts';
import { DEEP_SOURCE } from '../../packages/python-sandbox/test/deepSource.ts';
import { CustomRules, type RuleSandbox } from '../../src/customRules/customRules.ts';
import { root } from '../files.ts';
import { IS_LONG } from '../isLong.ts';
import { STATE_MS } from '../limits.ts';
import { ATTACK_FUEL, RULE_ATTACKS, readAttackMessage, small } from '../sandbox/attacksCustomRules.ts';
import { launchChromium } from './chromium.ts';
import { SITE_PATH, serveSite } from './siteServer.ts';

let folder: string;
let server: Server;
let page: Page;
const errors: string[] = [];
const requests: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'turnwise-sandbox-'));
  await build({
    root: join(root, 'test/browser/sandboxPage'),
    configFile: false,
    base: './',
    plugins: [pythonWorker()],
    mode: 'production',
    logLevel: 'warn',
    build: { outDir: folder, emptyOutDir: true, target: 'es2022' },
  });
  const site = await serveSite(folder);
  server = site.server;
  page = await (await launchChromium()).newPage();
  page.setDefaultTimeout(STATE_MS);
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(new URL(SITE_PATH, site.origin).href);
  await page.evaluate(() => (globalThis as unknown as { sandbox: Sandbox }).sandbox.ready());
});

afterAll(() => {
  server?.closeAllConnections();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs jobs in the sandbox of the page. `unknown` avoids a type of Playwright that is too deep for the compiler. */
const run = (jobs: readonly Job[]): Promise<ProgramResult[]> =>
  page.evaluate<unknown, unknown>(
    (given) => (globalThis as unknown as { sandbox: Sandbox }).sandbox.run(given as Job[]),
    jobs,
  ) as Promise<ProgramResult[]>;

const createJob = (program: string, limits = {}): Job => ({
  program,
  entry: 'f',
  limits: { fuel: 100_000, time: 20_000, ...limits },
  tests: [{ args: [20, 22], expected: 42 }],
});

test('the sandbox of a page runs Python programs and returns their test results', async () => {
  const [right, wrong] = await run([
    createJob('def f(a, b): return a + b'),
    createJob('def f(a, b):\n  print(a)\n  return a - b'),
  ]);
  expect(right).toMatchObject({ status: 'passed', tests: [{ actual: '42' }] });
  expect(wrong).toMatchObject({ status: 'failed', tests: [{ actual: '-2', output: '20\n' }] });
  expect(errors).toEqual([]);
});

test('the frame of the sandbox has an opaque origin and no network access', async () => {
  const frames = await page.$$eval('iframe', (all) =>
    all.map((frame) => ({
      sandbox: frame.getAttribute('sandbox'),
      policy: frame.srcdoc,
      open: frame.contentDocument !== null,
    })),
  );
  expect(frames.length).toBeGreaterThan(0);
  for (const { sandbox, policy, open } of frames) {
    expect(sandbox).toBe('allow-scripts');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe-inline');
    expect(open).toBe(false);
  }
  const inside = page.frames().filter((frame) => frame !== page.mainFrame());
  const has = await inside[0].evaluate(() => [origin, typeof fetch]);
  expect(has).toEqual(['null', 'function']);
  const blocked = await inside[0].evaluate((to) => fetch(to).then(() => 'through', String), `${page.url()}index.html`);
  expect(blocked).toContain('Failed to fetch');
});

test('all requests of the page with the sandbox go to its origin', () => {
  const siteOrigin = new URL(page.url()).origin;
  expect(requests.filter((url) => !url.startsWith(siteOrigin) && !/^(blob|data|about):/.test(url))).toEqual([]);
});

describe('attacks', () => {
  // The gate runs all attacks on Node, and the first two of each kind in Chromium.
  const all = Object.entries(ALL_ATTACKS).flatMap(([kind, attacks]) =>
    attacks.slice(0, IS_LONG ? attacks.length : 2).map((attack) => ({ kind, ...attack })),
  );
  test('attacks have the same status in Chromium as on Node', async () => {
    const results = await run(all.map(({ program }) => createJob(program)));
    const differing = all.flatMap(({ kind, name, status }, i) =>
      status === results[i].status
        ? []
        : [`${kind}, ${name}: ${results[i].status}, ${JSON.stringify(results[i].tests)}`],
    );
    expect(differing).toEqual([]);
    const [healthy] = await run([createJob('def f(a, b): return a + b')]);
    expect(healthy.status).toBe('passed');
  });

  test('deep recursion has the same results, steps and output in Chromium as on Node', async () => {
    const jobs = Object.values({ ...ATTACKS_STACK, ...ATTACKS_SIZES })
      .flat()
      .filter((_, i) => IS_LONG || i % 4 === 0)
      .map(({ program }) => createJob(program));
    const node = new Sandbox(createNodeSource(), { workers: 1, spare: false });
    try {
      const [inPage, onNode] = [await run(jobs), await node.run(jobs)];
      expect(inPage).toEqual(onNode);
    } finally {
      node.close();
    }
  });
});

test.each(Object.entries(DEEP_SOURCE))('deeply nested source runs in Chromium: %s', async (_, program) => {
  const [result] = await run([{ program, entry: 'f', tests: [{ args: [2], expected: 5 }] }]);
  expect(result.tests[0]).toMatchObject({ status: 'passed' });
});

describe('custom rules', () => {
  /** Executes programs in the sandbox of the page. */
  const execute: RuleSandbox['execute'] = (programs) =>
    page.evaluate<unknown, unknown>(
      (given) => (globalThis as unknown as { sandbox: Sandbox }).sandbox.execute(given as Program[]),
      programs,
    ) as Promise<Outcome[][]>;
  const library = async () => readFileSync(join(root, 'python/turnwise_rl/core.py'), 'utf8');
  const rules = new CustomRules({ sandbox: () => ({ execute }), library }, ATTACK_FUEL);

  test('attacks by custom rules have the same errors in Chromium as on Node', async () => {
    const differing: string[] = [];
    for (const { name, source, message: pattern } of RULE_ATTACKS.slice(0, IS_LONG ? RULE_ATTACKS.length : 10)) {
      const message = await readAttackMessage(rules, source, [small('a'), small('b')]);
      if (pattern ? !pattern.test(message) : message !== 'a credit') differing.push(`${name}: ${message}`);
    }
    expect(differing).toEqual([]);
    const healthy = await readAttackMessage(rules, 'def credit(group):\n    return [0.5] * len(group.turns)', [
      small('c'),
    ]);
    expect(healthy).toBe('a credit');
  });
});

test('a program uses the same fuel in Chromium as on Node', async () => {
  const [result] = await run([
    createJob('import re\ndef f(a, b):\n  return sum(len(re.findall("a", "a" * i)) for i in range(9)) + 6'),
  ]);
  expect(result).toMatchObject({ status: 'passed', fuel: 198 });
});
