import { afterAll, describe, expect, it, vi } from 'vitest';
import shipped from '../../../../src/environments/repo/problems.json';
import {
  differences,
  fileText,
  occurrences,
  type ProblemSplit,
  repositoryKey,
  testedFunctions,
} from '../../../../src/environments/repo/repository.ts';
import {
  loadProblems,
  type ProblemRecords,
  readProblems,
  recordProblems,
} from '../../../../src/environments/repo/repoTasks.ts';
import { TestRunner } from '../../../../src/environments/repo/testing.ts';
import { FUNCTIONS, SITES, spell, TEMPLATES } from '../../../../src/environments/repo/vocabulary.ts';
import { startPython } from './repoWorld.ts';

// Programs run slowly if other tests use the machine.
vi.setConfig({ testTimeout: 60_000 });

const RECORDS = shipped as unknown as ProblemRecords;
const KINDS = ['one', 'two'] as const;
const splits = { one: await loadProblems('one'), two: await loadProblems('two') };
const both = ({ training, heldOut }: ProblemSplit) => [...training, ...heldOut];
const all = { one: both(splits.one), two: both(splits.two) };
const python = await startPython();
afterAll(() => python.close());

describe.each(KINDS)('the shipped problems with the setting bugs=%s', (bugs) => {
  const problems = all[bugs];

  it('the shipped problems are 600 training problems and 128 held-out problems, all of them different', () => {
    expect([splits[bugs].training.length, splits[bugs].heldOut.length]).toEqual([600, 128]);
    expect(new Set(problems.map(({ broken }) => repositoryKey(broken))).size).toBe(728);
  });

  it('shipped problems differ from the templates of their families only at sites', () => {
    for (const { right } of problems) {
      const [app, ...helpers] = right;
      expect(right.map(({ file }) => file)).toEqual(['app.py', ...helpers.map(({ file }) => file).sort()]);
      expect(app.statements[0][0]).toBe('a=');
      expect(helpers.map(({ name }) => name)).toEqual(
        expect.arrayContaining([app.statements[0][1], app.statements[1][2]]),
      );
      for (const { name, statements } of helpers) {
        TEMPLATES.get(name)?.forEach((pieces, statement) => {
          const allowed = pieces.map((piece) => (typeof piece === 'string' ? [piece] : piece));
          expect(statements[statement]).toHaveLength(allowed.length);
          statements[statement].forEach((token, index) => {
            expect(allowed[index]).toContain(token);
          });
        });
      }
    }
  });

  it('the bugs of a problem are in different files, and one edit corrects each bug', () => {
    for (const { right, broken, bugs: listed } of problems) {
      expect(differences(right, broken)).toEqual([...listed].sort((a, b) => a.at - b.at));
      expect(new Set(listed.map(({ at }) => at)).size).toBe(listed.length);
      for (const bug of listed) {
        expect([occurrences(broken[bug.at], bug.wrong), occurrences(broken[bug.at], bug.right)]).toEqual([1, 0]);
        const sites = bug.at === 0 ? [['+', '-', '*']] : SITES;
        expect(sites.some((site) => site[0] === bug.right && site.includes(bug.wrong))).toBe(true);
      }
    }
  });

  it('problems have three visible and six hidden tests per function', () => {
    for (const { right, visible, hidden, prompt, issue } of problems) {
      const names = testedFunctions(right);
      expect(visible.map(({ name }) => name)).toEqual(names.flatMap((name) => new Array(3).fill(name)));
      expect(hidden.map(({ name }) => name)).toEqual(names.flatMap((name) => new Array(6).fill(name)));
      for (const { x, k } of [...visible, ...hidden]) {
        expect(x.length >= 2 && x.length <= 5 && x.every((member) => member >= -2 && member <= 9)).toBe(true);
        expect(k >= 0 && k <= 5).toBe(true);
      }
      const files = right.map(({ file }) => file).join(' ');
      expect(spell(prompt)).toBe(`<issue> ${issue.name} ${issue.symptom} <repo> ${files} <a>`);
    }
  });
});

describe('kinds of problems', () => {
  it('problems of kind "one" have one bug, and about 70 % of the problems of kind "two" have two bugs', () => {
    const two = (bugs: 'one' | 'two') => all[bugs].filter((problem) => problem.bugs.length === 2).length / 728;
    expect(two('one')).toBe(0);
    expect(two('two')).toBeGreaterThan(0.63);
    expect(two('two')).toBeLessThan(0.73);
  });

  it('problems use each family, and unusual options at about a tenth of the sites', () => {
    const helpers = all.two.flatMap(({ right }) => right.slice(1));
    expect(new Set(helpers.map(({ name }) => name))).toEqual(new Set(FUNCTIONS));
    const sites = helpers.flatMap(({ name, statements }) =>
      (TEMPLATES.get(name) ?? []).flatMap((pieces, statement) =>
        pieces.flatMap((piece, token) =>
          typeof piece === 'string' ? [] : [statements[statement][token] === piece[0]],
        ),
      ),
    );
    // With probability .15 an option is drawn from all options, a third of which are canonical.
    const unusual = sites.filter((canonical) => !canonical).length / sites.length;
    expect(unusual).toBeGreaterThan(0.08);
    expect(unusual).toBeLessThan(0.12);
  });
});

describe('shipped problems in real Python', () => {
  it('right files pass all tests, and each broken function alone fails a test as in the issue', async () => {
    const runner = new TestRunner(python.execute);
    const problems = [...all.one.slice(0, 24), ...all.two.slice(0, 24), ...all.two.slice(-24)];
    await Promise.all(
      problems.map(async (problem) => {
        const { right, broken, bugs, issue } = problem;
        expect((await runner.run(problem, right)).solved).toBe(true);
        expect((await runner.run(problem, broken)).visible).toBeDefined();
        for (const { at } of bugs) {
          const mixed = right.map((file, index) => (index === at ? broken[index] : file));
          const { visible } = await runner.run(problem, mixed);
          expect(visible?.test.name).toBe(right[at].name);
          // If the issue is about a helper, the first visible failure has its symptom, regardless of other bugs.
          if (at > 0 && issue.name === right[at].name) expect(visible?.symptom).toBe(issue.symptom);
        }
      }),
    );
    expect(problems).toHaveLength(72);
  });

  it('equal seeds record equal problems, and different seeds record different problems', async () => {
    const first = await recordProblems(python.execute, 'two', { count: 40 });
    expect(first).toEqual(RECORDS.two.slice(0, 40));
    const second = await recordProblems(python.execute, 'two', { count: 40, seed: 12 });
    expect(second.map(([, , , expected]) => expected)).not.toEqual(first.map(([, , , expected]) => expected));
  });
});

describe('records of problems', () => {
  it('records of other families throw an error', () => {
    const [draw, issue, helpers, expected] = RECORDS.one[0];
    expect(() => readProblems('one', [[draw, issue, 'top top top', expected]])).toThrow(
      `recorded problem "one 0" has top top top, the families give ${helpers}: record them again`,
    );
    expect(() => readProblems('one', [[draw, issue, helpers, '1 2 3']])).toThrow('has other tests than the families');
    expect(() => readProblems('one', RECORDS.one.slice(0, 1), 12)).toThrow('record them again');
  });
});

describe('the Python of a file', () => {
  it('the Python text of a file is generated from its tokens', () => {
    const file = {
      file: 'core.py',
      name: 'count',
      statements: [
        ['t=', '0'],
        ['return_t+sum(v', '>', 'k_for_v_in_x)'],
      ],
    };
    expect(fileText(file as unknown as Parameters<typeof fileText>[0])).toBe(
      'def count(x, k):\n    t= 0\n    return t+sum(v > k for v in x)\n',
    );
    const app = {
      file: 'app.py',
      name: 'app',
      statements: [
        ['a=', 'top'],
        ['return_a', '+', 'clip'],
      ],
    };
    expect(fileText(app as unknown as Parameters<typeof fileText>[0])).toBe(
      'def app(x, k):\n    a= top(x,k)\n    return a + clip(x,k)\n',
    );
  });
});
