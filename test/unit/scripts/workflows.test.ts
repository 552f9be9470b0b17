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

/** Returns the names of the npm scripts that a line of shell calls. */
function scriptsIn(line: string): string[] {
  const named = [...line.matchAll(/\bnpm (?:run(?:-script)?|test|start)\b((?: +-\S+)*)(?: +([\w:-]+))?/g)];
  return named.map(([call, , name = '']) => (/^npm run/.test(call) ? name : call.split(' ')[1]) ?? '');
}

/** Returns a line of shell for each value of the matrix. */
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
  ])('scriptsIn finds the npm scripts of "%s"', (line, expected) => expect(scriptsIn(line)).toEqual(expected));
});

describe('the workflows', () => {
  test('the workflows are checks, nightly and pages', () => {
    expect(workflows.map(({ path }) => path)).toEqual(
      ['checks', 'nightly', 'pages'].map((name) => `.github/workflows/${name}.yml`),
    );
  });

  test('every workflow has a name, a trigger, and jobs with steps and a time limit', () => {
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

  test('jobs of the workflows need only existing jobs', () => {
    for (const { path, jobs } of workflows) {
      for (const { needs } of Object.values(jobs)) if (needs) expect(Object.keys(jobs), path).toContain(needs);
    }
  });

  test('the workflows run only npm scripts of package.json', () => {
    const lines = jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => run?.trim().split('\n') ?? []));
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) {
      expect(scriptsIn(line), line).toHaveLength(1);
      expect(Object.keys(scripts), line).toEqual(expect.arrayContaining(scriptsIn(line)));
    }
  });

  test('the nightly workflow runs all tests and reports a failure', () => {
    const nightly = workflows.find(({ path }) => path.endsWith('nightly.yml'));
    expect(nightly?.on).toHaveProperty('schedule');
    const steps = nightly?.jobs.all?.steps ?? [];
    expect(steps.flatMap(({ run = '' }) => scriptsIn(run))).toEqual(['test:all']);
    expect(steps.at(-1)).toMatchObject({ uses: 'actions/github-script@v8', if: expect.stringContaining('failure()') });
  });

  test('the workflows run every suite of npm test', () => {
    const called = jobs.flatMap(({ steps }) => steps.flatMap(({ run = '' }) => scriptsIn(run)));
    const suites = ['check', 'test:unit', 'test:sandbox', 'test:gpu', 'test:browser'];
    expect(called).toEqual(expect.arrayContaining(suites));
  });

  test('the workflows run the smoke test in every browser engine, with valid options', () => {
    const calls = jobs.flatMap(({ steps, strategy }) =>
      steps
        .flatMap(({ run = '' }) => (scriptsIn(run).includes('smoke') ? run : []))
        .flatMap((line) => spelledOut(line, strategy?.matrix)),
    );
    const engines = calls.map((line) => smokeOptions(line.split(' -- ')[1]?.split(' ') ?? []).engine);
    expect(new Set(engines)).toEqual(new Set(ENGINES));
  });

  test('the workflows use only actions of GitHub, by major version', () => {
    const uses = jobs.flatMap(({ steps }) => steps.flatMap((step) => step.uses ?? []));
    expect(uses.filter((action) => !/^actions\/[\w-]+@v\d+$/.test(action))).toEqual([]);
    const publishing = ['configure-pages', 'upload-pages-artifact', 'deploy-pages'];
    for (const name of publishing) expect(uses.join()).toContain(`actions/${name}@`);
  });

  test('only the macos job may fail, and a comment gives the reason', () => {
    const lenient = jobs.filter((job) => job['continue-on-error']);
    expect(lenient.map(({ id }) => id)).toEqual(['macos']);
    for (const { path } of lenient)
      expect(read(path)).toMatch(/# Allowed to fail, because [^\n]+\n( *#[^\n]*\n)* *continue-on-error/);
  });

  test('the pages workflow publishes the folder of the build', () => {
    expect(read('.github/workflows/pages.yml')).toMatch(/upload-pages-artifact@v\d+\n\s+with:\n\s+path: dist\n/);
    expect(read('vite.config.ts')).not.toMatch(/outDir/);
  });
});
