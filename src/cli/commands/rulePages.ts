import { creditText } from '../../credit/explanation/creditText.ts';
import {
  deriveGroup,
  describeRuleFields,
  fieldTable,
  type GroupDerivation,
  kernelTable,
  parameterEffects,
  parameterTable,
  profileTable,
  type TextTable,
} from '../../credit/explanation/ruleText.ts';
import type { CreditRule } from '../../credit/rule.ts';
import { ENVIRONMENT_NAMES, ENVIRONMENTS, type EnvironmentName } from '../../environments/registry.ts';
import { writeGroups } from '../../rollouts/jsonLines.ts';
import { OFFERED } from '../../training/data/configurationTables.ts';
import { PROGRAM } from '../framework/installation.ts';
import { markdownTable } from '../framework/terminal.ts';

/** Folder of the pages about rules. */
export const PAGES = 'docs/reference/rules';

/** Command that writes these pages. */
export const RULE_PAGES_COMMAND = `${PROGRAM} rules --docs ${PAGES}`;

/** Returns the files of the documentation by name: an index, and a page and an example per rule. */
export function rulePages(rules: readonly CreditRule[]): Map<string, string> {
  const files = new Map([['README.md', index(rules)]]);
  for (const rule of rules) {
    files.set(`${rule.name}.md`, rulePage(rule));
    files.set(`${rule.name}.jsonl`, writeGroups([rule.example]));
  }
  return files;
}

/** Returns the page of one rule in Markdown. */
export function rulePage(rule: CreditRule): string {
  const { paper, parameters } = rule;
  const example = deriveGroup(rule, rule.example);
  const effects = parameterEffects(rule, rule.example);
  const normalises = parameters.some(({ name }) => name === 'profile');
  return document([
    GENERATED,
    `# ${rule.title}`,
    `\`${rule.name}\` · [all rules](README.md)`,
    rule.idea,
    `Paper: *${paper.title}*, ${linked(paper.reference)}.`,
    block([paper.equation]),
    '## Formulas',
    block(rule.formula),
    '## Rollouts',
    describeRuleFields(rule),
    offeredIn(rule),
    table(fieldTable(rule), ['field']),
    '## Parameters',
    parameters.length > 0 ? table(parameterTable(rule), ['name', 'default']) : 'None.',
    ...(normalises ? ['### Normalisation profiles', table(profileTable(), ['profile'])] : []),
    '## Example',
    ...exampleParts(rule, example),
    ...(effects.rows.length > 1 ? ['### The same group with other parameters', table(effects, ['parameters'])] : []),
    '## Kernels',
    'Kernels that compute the rule for a batch of groups on the GPU, in 32-bit floats:',
    kernels(rule),
  ]);
}

function exampleParts(rule: CreditRule, { turns, tests, group, derivations }: GroupDerivation): string[] {
  const line = [...creditText(rule, rule.example, rule.credit(rule.example, {}))].join('').trimEnd();
  return [
    `The group "${rule.example.id}" ([${rule.name}.jsonl](${rule.name}.jsonl)) with the default parameters, numbers to five digits:`,
    table(turns),
    ...(tests ? [table(tests)] : []),
    ...(group.length > 0
      ? [`Values of the whole group: ${group.map(([name, value]) => `${name} ${value}`).join(', ')}.`]
      : []),
    ...derivations.flatMap((example) => [`Calculation for turn ${example.turn}:`, block(example.lines)]),
    'The command prints the same values with all digits, in 64-bit floats:',
    block([`${PROGRAM} credit --rule ${rule.name} --device cpu ${PAGES}/${rule.name}.jsonl`, '', line]),
  ];
}

function kernels(rule: CreditRule): string {
  const { head, rows } = kernelTable(rule);
  const link = (kernel: string) => `[${kernel}](../../../shaders/${kernel}.wgsl)`;
  return table({ head, rows: rows.map(([kernel, ...rest]) => [link(kernel), ...rest]) });
}

function index(rules: readonly CreditRule[]): string {
  const rows = rules.map((rule) => [
    `[${rule.title}](${rule.name}.md)`,
    `\`${rule.name}\``,
    rule.idea,
    rule.input,
    rule.unit,
    environmentsOf(rule).join(', '),
    linked(rule.paper.reference),
  ]);
  return document([
    GENERATED,
    '# Credit rules',
    'A rule maps a group of rollouts, everything that was sampled for one prompt, to one advantage per turn or per token. Each page has the formulas, ' +
      'the parameters, an example calculated in numbers, and the kernels that compute the rule on the GPU.',
    table({ head: ['rule', 'name', 'idea', 'reads', 'credit unit', 'offered in', 'paper'], rows }),
    '## Files of rollouts',
    'JSON Lines, one group per line; unknown fields are ignored and retained. Every rule needs `parent` and `reward`; the page of a rule lists the other fields that it needs.',
    block([
      '{"id": "a", "turns": [{"parent": -1, "reward": 0.5}, {"parent": 0, "reward": 0, "outcome": 1}, {"parent": -1, "reward": 0, "outcome": 0}]}',
    ]),
    table(fieldTable(), ['field']),
    '## Normalisation profiles',
    'Trainers normalise the rewards of a group in different ways. Rules with the parameter `profile` take `--profile NAME`, and single constants: `--set epsilon=0`.',
    table(profileTable(), ['profile']),
    `These pages are made from the rules by \`${RULE_PAGES_COMMAND}\`.`,
  ]);
}

/** Returns the names of the environments that offer a rule. */
function environmentsOf({ name }: CreditRule): readonly EnvironmentName[] {
  return ENVIRONMENT_NAMES.filter((environment) => OFFERED[environment].includes(name));
}

function offeredIn(rule: CreditRule): string {
  const names = environmentsOf(rule).map((name) => `[${ENVIRONMENTS[name].title}](../${name}.md)`);
  return names.length > 0
    ? `Offered in ${names.join(', ')}.`
    : 'No environment offers this rule; `credit` applies it to files.';
}

const GENERATED = `<!-- Made from the rule's file in src/credit by \`${RULE_PAGES_COMMAND}\`; change it there. -->`;

function document(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}

function block(lines: readonly string[]): string {
  return lines.map((line) => (line === '' ? '' : `    ${line}`)).join('\n');
}

/**
 * Formats a table in Markdown.
 * @param code headings of the columns whose cells are code
 */
function table({ head, rows }: TextTable, code: readonly string[] = []): string {
  const cell = (text: string, column: number) => {
    const plain = text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
    return code.includes(head[column]) && text !== '' ? `\`${plain}\`` : plain;
  };
  return markdownTable(
    head,
    rows.map((row) => row.map(cell)),
  );
}

/** Adds links to references such as "arXiv 2505.11821". */
function linked(reference: string): string {
  return reference.replace(/arXiv (\d{4}\.\d{4,5})/g, '[arXiv $1](https://arxiv.org/abs/$1)');
}
