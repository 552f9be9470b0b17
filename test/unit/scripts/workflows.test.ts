import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ENGINES } from '../../../scripts/engines.mjs';
import { smokeOptions } from '../../../scripts/smokePage.mjs';
import { filesUnder, root } from '../../files.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly 'runs-on': string;
  readonly 'timeout-minutes'?: number;
  readonly 'continue-on-error'?: boolean;
  readonly needs?: string;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly name: string;
  readonly on: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
const workflows = filesUnder('.github/workflows', '.yml').map((path) => ({ path, ...(parse(read(path)) as Workflow) }));
const jobs = workflows.flatMap(({ path, jobs }) => Object.entries(jobs).map(([id, job]) => ({ path, id, ...job })));

/** Names of the npm scripts that a line of shell calls. */
function scriptsIn(line: string): string[] {
  const named = [...line.matchAll(/\bnpm (?:run(?:-script)?|test|start)\b((?: +-\S+)*)(?: +([\w:-]+))?/g)];
  return named.map(([call, , name = '']) => (/^npm run/.test(call) ? name : call.split(' ')[1]) ?? '');
}

/** A line of shell once for every value of the matrix. */
function spelledOut(line: string, matrix: Readonly<Record<string, readonly string[]>> = {}): string[] {
  return Object.entries(matrix).reduce(
    (lines, [key, values]) =>
      lines.flatMap((text) => [...new Set(values.map((value) => text.replaceAll(`\${{ matrix.${key} }}`, value)))]),
    [line],
  );
}

describe('scriptsIn', () => {
  test.each([
    ['npm run check', ['check']],
    ['npm run -s test:unit -- credit && npm test', ['test:unit', 'test']],
    ['npm start', ['start']],
    ['npm ci', []],
  ])('%s', (line, expected) => expect(scriptsIn(line)).toEqual(expected));
});

describe('the workflows', () => {
  test('are those that check, run at night and publish', () => {
    expect(workflows.map(({ path }) => path)).toEqual(
      ['checks', 'nightly', 'pages'].map((name) => `.github/workflows/${name}.yml`),
    );
  });

  test('have a name, an occasion and jobs, each with steps and a limit of time', () => {
    for (const { path, name, on, jobs } of workflows) {
      expect([typeof name, typeof on, Object.keys(jobs).length > 0], path).toEqual(['string', 'object', true]);
    }
    for (const job of jobs) {
      expect(job['runs-on'], job.id).toMatch(/^(ubuntu|macos)-latest$/);
      expect(job['timeout-minutes'], job.id).toBeGreaterThan(0);
      expect(job.steps.length, job.id).toBeGreaterThan(0);
      for (const step of job.steps) expect([step.uses, step.run].filter(Boolean), job.id).toHaveLength(1);
    }
  });

  test('wait for jobs that are there', () => {
    for (const { path, jobs } of workflows) {
      for (const { needs } of Object.values(jobs)) if (needs) expect(Object.keys(jobs), path).toContain(needs);
    }
  });

  test('run only npm scripts that package.json has', () => {
    const lines = jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => run?.trim().split('\n') ?? []));
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) {
      expect(scriptsIn(line), line).toHaveLength(1);
      expect(Object.keys(scripts), line).toEqual(expect.arrayContaining(scriptsIn(line)));
    }
  });

  test('run all tests every night and report a failure', () => {
    const nightly = workflows.find(({ path }) => path.endsWith('nightly.yml'));
    expect(nightly?.on).toHaveProperty('schedule');
    const steps = nightly?.jobs.all?.steps ?? [];
    expect(steps.flatMap(({ run = '' }) => scriptsIn(run))).toEqual(['test:all']);
    expect(steps.at(-1)).toMatchObject({ uses: 'actions/github-script@v8', if: expect.stringContaining('failure()') });
  });

  test('run every part of npm test', () => {
    const called = jobs.flatMap(({ steps }) => steps.flatMap(({ run = '' }) => scriptsIn(run)));
    const suites = ['check', 'test:unit', 'test:sandbox', 'test:gpu', 'test:browser'];
    expect(called).toEqual(expect.arrayContaining(suites));
  });

  test('open the page in every engine, with options that the script knows', () => {
    const calls = jobs.flatMap(({ steps, strategy }) =>
      steps
        .flatMap(({ run = '' }) => (scriptsIn(run).includes('smoke') ? run : []))
        .flatMap((line) => spelledOut(line, strategy?.matrix)),
    );
    const engines = calls.map((line) => smokeOptions(line.split(' -- ')[1]?.split(' ') ?? []).engine);
    expect(new Set(engines)).toEqual(new Set(ENGINES));
  });

  test('take only GitHub’s own actions, by their major version', () => {
    const uses = jobs.flatMap(({ steps }) => steps.flatMap((step) => step.uses ?? []));
    expect(uses.filter((action) => !/^actions\/[\w-]+@v\d+$/.test(action))).toEqual([]);
    const publishing = ['configure-pages', 'upload-pages-artifact', 'deploy-pages'];
    for (const name of publishing) expect(uses.join()).toContain(`actions/${name}@`);
  });

  test('let a job fail only where a comment says why', () => {
    const lenient = jobs.filter((job) => job['continue-on-error']);
    expect(lenient.map(({ id }) => id)).toEqual(['macos']);
    for (const { path } of lenient)
      expect(read(path)).toMatch(/# Allowed to fail, because [^\n]+\n( *#[^\n]*\n)* *continue-on-error/);
  });

  test('publish the folder that the build writes', () => {
    expect(read('.github/workflows/pages.yml')).toMatch(/upload-pages-artifact@v\d+\n\s+with:\n\s+path: dist\n/);
    expect(read('vite.config.ts')).not.toMatch(/outDir/);
  });
});
