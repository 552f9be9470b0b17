import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { creditTables } from '../../../../src/cli/commands/credit.ts';
import { withTotals } from '../../../../src/credit/arithmetic/chains.ts';
import { findRule, RULES } from '../../../../src/credit/rules.ts';
import { readGroups, writeGroups } from '../../../../src/rollouts/jsonLines.ts';
import { root } from '../../../files.ts';
import { outcomesOnly } from '../../../groups.ts';
import { temporaryFolder, turnwise } from '../cliTerminal.ts';

const FILE = 'src/app/inspector/same-groups.jsonl';
const PAGE = 'docs/reference/same-groups.md';
const read = (file: string) => readFileSync(join(root, file), 'utf8').replaceAll('\r\n', '\n');
const groups = readGroups(read(FILE));

/** Returns the advantages of a group of the file under a rule with its default parameters. */
function credit(id: string, rule: string): readonly number[] {
  const group = groups.find((each) => each.id === id);
  if (!group) throw new Error(`${FILE} has no group "${id}"`);
  const creditRule = findRule(rule);
  return [...creditRule.credit(withTotals(creditRule, group), {}).advantage];
}

/** Returns the advantages of turns of a group under a rule. */
const at = (id: string, rule: string, ...turns: readonly number[]) => turns.map((turn) => credit(id, rule)[turn]);

/** Checks of the statements in the notes, by group. */
const STATEMENTS: Readonly<Record<string, (id: string) => void>> = {
  'search-memory-pays': (id) => {
    for (const A of at(id, 'grpo-or', 0, 4)) expect(A).toBeCloseTo(-0.866, 3);
    for (const A of at(id, 'grpo-or', 2, 6)) expect(A).toBeCloseTo(0.866, 3);
    for (const A of at(id, 'mt-grpo', 0, 2, 4, 6)) expect(A).toBeCloseTo(0, 3);
    expect(Math.min(...credit(id, 'mt-grpo'))).toBeLessThan(-0.5);
  },
  'search-equal-outcomes': (id) => {
    expect(credit(id, 'grpo-or').every((A) => Math.abs(A) < 1e-9)).toBe(true);
    expect(at(id, 'mt-grpo', 2)[0]).toBeCloseTo(1.25, 2);
    for (const A of at(id, 'mt-grpo', 4, 6)) expect(A).toBeCloseTo(-0.808, 3);
  },
  'search-tool-lost': (id) => {
    const group = groups.find((each) => each.id === id);
    expect(group?.turns.some(({ action }) => action?.startsWith('search'))).toBe(false);
    expect(new Set(group?.turns.filter(({ parent }) => parent < 0).map(({ reward }) => reward)).size).toBe(1);
    expect(credit(id, 'mt-grpo')).toEqual(credit(id, 'grpo-or'));
    expect(credit(id, 'grpo-or').some((A) => A < -1)).toBe(true);
  },
  'repair-fixed': (id) => {
    const rewards = groups.find((each) => each.id === id)?.turns.map(({ reward }) => reward);
    expect(rewards).toEqual([1, 0.1, 1, 0, 0, 0.1, 1]);
    for (const A of at(id, 'mt-grpo', 1, 5)) expect(A).toBeGreaterThan(credit(id, 'mt-grpo')[0] + 0.5);
    for (const A of at(id, 'verpo', 1, 5)) expect(A).toBeLessThan(credit(id, 'verpo')[0] - 0.4);
  },
  'repair-tree': (id) => {
    for (const A of at(id, 'murphy-mars', 0, 5, 6, 7, 8, 9)) expect(A).toBeCloseTo(0, 9);
    const [parent, ...children] = at(id, 'tree-grpo', 0, 1, 2, 3, 4);
    expect(parent).toBeCloseTo(-0.526, 3);
    expect(parent).toBeGreaterThan(Math.min(...children));
    expect(parent).toBeLessThan(Math.max(...children));
  },
  'repository-states': (id) => {
    const A = credit(id, 'gdpo');
    const turns = groups.find((each) => each.id === id)?.turns ?? [];
    expect([turns.length, turns[20].parent, turns[31].outcome]).toEqual([32, -1, 0]);
    expect(Math.min(...A.slice(20))).toBeGreaterThan(Math.max(...A.slice(0, 20)));
    expect([turns[6].state, turns[6].action]).toEqual([turns[13].state, turns[13].action]);
    const [first, second] = at(id, 'rtmc', 6, 13);
    expect(first).toBeCloseTo(second, 9);
  },
  'bandit-bait': (id) => {
    const same = at(id, 'rtmc', 0, 2, 6, 10, 14);
    for (const A of same) expect(A).toBeCloseTo(0.312, 3);
    for (const A of at(id, 'grpo-or', 0, 2, 6)) expect(A).toBeCloseTo(1.19, 2);
    for (const A of at(id, 'grpo-or', 10, 14)) expect(A).toBeCloseTo(-0.879, 3);
  },
  'delayed-effect': (id) => {
    const exact = at(id, 'vineppo', 0, 1, 2, 3, 4, 5, 6);
    expect(exact[0]).toBeCloseTo(0.3, 6);
    for (const A of exact.slice(1)) expect(A).toBeCloseTo(0, 6);
    for (const A of credit(id, 'grpo-or').slice(0, 8)) expect(A).toBeCloseTo(-1.5, 2);
  },
  'error-recovery': (id) => {
    expect(at(id, 'vineppo', 0)[0]).toBeCloseTo(-0.25, 6);
    for (const A of at(id, 'grpo-or', 0, 1)) expect(A).toBeCloseTo(0.866, 3);
  },
  'when-to-stop': (id) => {
    const [right, ...errors] = at(id, 'vineppo', 4, 5, 6);
    expect(right).toBeCloseTo(0.8125, 6);
    expect(errors[0]).toBeCloseTo(-0.375, 6);
    expect(errors[1]).toBeCloseTo(-0.25, 6);
    for (const A of at(id, 'grpo-or', 4, 5, 6)) expect(A).toBeCloseTo(-0.387, 3);
  },
};

describe(PAGE, () => {
  test('the page of recorded groups is the output of its command', () => {
    expect(read(PAGE), `run npm run turnwise -- credit --rule all --out ${PAGE} ${FILE}`).toBe(
      creditTables(FILE, groups, PAGE),
    );
  });

  test('the page of recorded groups links to the file of its groups', () => {
    const [, link = ''] = /\[same-groups\.jsonl\]\((.*?)\)/.exec(read(PAGE)) ?? [];
    expect(read(join('docs/reference', link))).toBe(read(FILE));
  });

  test('the page of recorded groups has ten groups, each with a checked statement', () => {
    expect(groups.map(({ id }) => id)).toEqual(Object.keys(STATEMENTS));
    expect(groups).toHaveLength(10);
  });

  test.each(Object.entries(STATEMENTS))('the statement about the group %s is true', (id, holds) => holds(id));

  test.each(groups.map(({ id }) => id))('the note on %s quotes only advantages of its table', (id) => {
    const [, section = ''] = read(PAGE).split(`\n## ${id}\n`);
    const [note, table] = section.split('\n## ')[0].split('\n| turn |');
    const numbers = note.match(/[+−]\d\.\d+/g) ?? [];
    for (const number of numbers) expect(table).toContain(`| ${number} |`);
  });

  test.each(groups.map(({ id }) => id))('the section on %s has each rule once, in a column or with a reason', (id) => {
    const [, section = ''] = read(PAGE).split(`\n## ${id}\n`);
    const lines = section.split('\n## ')[0].split('\n');
    const head =
      lines
        .find((line) => line.startsWith('| turn |'))
        ?.split(' | ')
        .slice(5) ?? [];
    const rejected = lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(2).split(': ')[0]);
    const titles = [...head, ...rejected].flatMap((cell) => cell.replace(' |', '').split(', '));
    expect(titles.sort()).toEqual(RULES.map(({ title }) => title).sort());
  });
});

describe('credit --rule all', () => {
  const { folder } = temporaryFolder();
  const file = join(folder, 'groups.jsonl');

  test('credit --rule all prints a table of the rules that support the group', async () => {
    writeFileSync(file, writeGroups([outcomesOnly([1, 0], 'g')]));
    const { code, out, err } = await turnwise(['credit', '--rule', 'all', file]);
    expect([code, err]).toEqual([0, '1 group\n']);
    // Outcomes 1 and 0: the advantages of RLOO are 1 - 0 and 0 - 1.
    const rows = out.split('\n').filter((line) => line.startsWith('|'));
    const column = rows[0].split(' | ').findIndex((cell) => cell.split(', ').includes('RLOO'));
    expect(rows.slice(2).map((row) => row.split(' | ')[column])).toEqual(['+1.00', '−1.00']);
  });

  test.each([
    ['--set alpha=1', '--rule all: rules have different parameters; leave --set and --profile out'],
    ['--profile trl', '--rule all: rules have different parameters; leave --set and --profile out'],
    ['--device gpu', '--device gpu: --rule all computes in 64-bit floats'],
  ])('credit --rule all rejects %s', async (flags, message) => {
    const { code, err } = await turnwise(['credit', '--rule', 'all', ...flags.split(' '), file]);
    expect(code).not.toBe(0);
    expect(err).toContain(message);
  });

  test('credit --rule all reports the line of an invalid group, and a file without groups', async () => {
    writeFileSync(file, `${writeGroups([outcomesOnly([1, 0], 'g')])}{"id": 1, "turns": []}\n`);
    const wrong = await turnwise(['credit', '--rule', 'all', file]);
    expect([wrong.out, wrong.err]).toEqual(['', expect.stringContaining('line 2, field "id": 1 is not a text')]);
    writeFileSync(file, '\n');
    expect((await turnwise(['credit', '--rule', 'all', file])).err).toContain('has no groups');
  });
});
