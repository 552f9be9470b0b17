import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { METRIC_PAGE_COMMAND, metricPage, PAGE } from '../../../../src/cli/commands/metrics.ts';
import { PAGES, RULE_PAGES_COMMAND, rulePages } from '../../../../src/cli/commands/rulePages.ts';
import { deriveGroup, parameterEffects, rulesHelp } from '../../../../src/credit/explanation/ruleText.ts';
import { findRule, RULES } from '../../../../src/credit/rules.ts';
import { ENVIRONMENTS } from '../../../../src/environments/registry.ts';
import { METRICS } from '../../../../src/metrics/metricTable.ts';
import { root } from '../../../files.ts';
import { expectRejected, turnwise } from '../cliTerminal.ts';

const pages = rulePages(RULES);
const STALE = `${PAGES} is not what the rules say now; after any change of a rule run\n  ${RULE_PAGES_COMMAND}\nand commit the folder`;

describe(PAGES, () => {
  test('the folder of rule pages has a page and an example for each rule, and no other file', () => {
    const expected = ['README.md', ...RULES.flatMap(({ name }) => [`${name}.md`, `${name}.jsonl`])];
    expect(readdirSync(join(root, PAGES)).sort(), STALE).toEqual(expected.sort());
  });

  test.each([...pages.keys()])('the rule page %s equals the text of the rules', (name) => {
    const file = join(root, PAGES, name);
    expect(existsSync(file), STALE).toBe(true);
    expect(readFileSync(file, 'utf8').replaceAll('\r\n', '\n'), STALE).toBe(pages.get(name));
  });

  test('the rule pages have no broken links', () => {
    for (const [name, text] of pages) {
      for (const [, link] of text.matchAll(/\]\((?!https:)([^)]+)\)/g)) {
        expect(existsSync(join(dirname(join(root, PAGES, name)), link)), `${name}: ${link}`).toBe(true);
      }
    }
  });
});

describe.each(RULES.map((rule) => [rule.name, rule] as const))('the page of %s', (name, rule) => {
  const page = pages.get(`${name}.md`) ?? '';

  test('a rule page has the command that prints the line below the command', async () => {
    const [, command, line] = /npm run turnwise -- (credit .*)\n\n {4}(\{.*\})\n/.exec(page) ?? [];
    const args = command.replace(PAGES, join(root, PAGES));
    const { code, out, err } = await turnwise(args);
    expect([code, err]).toEqual([0, '1 group\n']);
    expect(out).toBe(`${line}\n`);
  });

  test('a rule page has the paper, formulas, fields, parameters and kernels, and derives an advantage', () => {
    for (const formula of rule.formula) expect(page).toContain(`\n    ${formula}\n`);
    for (const field of ['parent', 'reward', ...rule.reads]) expect(page).toContain(`\n| \`${field}\` | `);
    for (const { name, help } of rule.parameters)
      expect(page).toMatch(new RegExp(`\\| \`${name}\` \\|.*\\| ${escaped(help)} \\|`));
    for (const { kernel } of rule.stages) expect(page).toContain(`](../../../shaders/${kernel}.wgsl)`);
    expect(page).toContain(rule.paper.title);
    expect(page).toMatch(/\nCalculation for turn \d+:\n\n {4}\S/);
  });

  test('the tables of a rule page have as many cells as headings in every row', () => {
    const { turns, tests } = deriveGroup(rule, rule.example);
    for (const { head, rows } of [turns, ...(tests ? [tests] : []), parameterEffects(rule, rule.example)]) {
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) expect(row).toHaveLength(head.length);
    }
    expect(turns.rows).toHaveLength(rule.example.turns.length);
  });
});

describe('a worked example of a rule', () => {
  test('a worked example has fields, values and advantages, and derives two different turns', () => {
    const { turns, tests, group, derivations } = deriveGroup(findRule('verpo'), findRule('verpo').example);
    const head = ['turn', 'parent', 'reward', 'passed', 'turnReward', 'turnAdvantage', 'trajectoryReward'];
    expect(turns.head).toEqual([...head, 'trajectoryAdvantage', 'advantage']);
    expect(turns.rows[1].slice(0, 4)).toEqual(['1', '0', '1', '1 1 1']);
    expect(tests?.head).toEqual(['test', 'passRate', 'weights']);
    // Pass rates 1, 1/2, 1/4: mean 7/12, deviation sqrt((25 + 1 + 16) / 144 / 3) = 0.3118. The bandwidth is half.
    expect(group).toEqual([['bandwidth', '0.1559']]);
    expect(derivations.map(({ turn }) => turn)).toEqual([0, 1]);
  });

  test('a worked example marks pruned turns and derives none of them', () => {
    const rule = findRule('murphy-mars');
    const { turns, derivations } = deriveGroup(rule, rule.example, { intra: '1' });
    const pruned = turns.rows.filter((row) => row.at(-1) === 'pruned').map(([turn]) => Number(turn));
    expect(pruned.length).toBeGreaterThan(0);
    for (const { turn } of derivations) expect(pruned).not.toContain(turn);
  });

  test('a worked example of a group without turns is empty', () => {
    const { turns, derivations } = deriveGroup(findRule('mt-grpo'), { id: 'empty', turns: [] });
    expect([turns.rows, derivations]).toEqual([[], []]);
  });

  test('the table of parameter effects has rows only for values that change the advantages', () => {
    const rule = findRule('mt-grpo');
    const [first, ...rest] = parameterEffects(rule, rule.example).rows;
    expect(first[0]).toBe('defaults');
    expect(rest.map(([label]) => label)).toContain('alpha=0');
    for (const [, values] of rest) expect(values).not.toBe(first[1]);
  });
});

describe('the command rules', () => {
  test('the command rules lists the rules and prints the page of one rule', async () => {
    const { code, out } = await turnwise('rules');
    expect(code).toBe(0);
    for (const { name } of RULES) expect(out).toMatch(new RegExp(`^${name} `, 'm'));
    expect((await turnwise('rules rtmc')).out).toBe(pages.get('rtmc.md'));
  });

  test('the command rules rejects an unknown rule and lists the known names', async () => {
    await expectRejected('rules gspo', `unknown rule "gspo"; known: ${RULES.map(({ name }) => name).join(', ')}`);
    expect((await turnwise('rules rtmc --docs nowhere')).err).toContain('--docs writes all rules');
  });

  test('the help of credit describes all parameters of all rules', () => {
    const help = rulesHelp(RULES);
    for (const { name, title, idea, parameters } of RULES) {
      expect(help).toContain(`  ${name}: ${title}. ${idea}`);
      for (const parameter of parameters) expect(help).toContain(`${parameter.help}`);
    }
  });
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

const page = metricPage(Object.values(ENVIRONMENTS));
const METRICS_STALE = `${PAGE} is not what the tables say now; after any change of a metric run\n  ${METRIC_PAGE_COMMAND}\nand commit the file`;

test(`${PAGE} equals the text of the tables`, () => {
  expect(readFileSync(join(root, PAGE), 'utf8').replaceAll('\r\n', '\n'), METRICS_STALE).toBe(page);
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
