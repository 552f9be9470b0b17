import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import { type Finding, three } from '../../diagnosis/finding.ts';
import type { StepRow } from '../../diagnosis/stepNumbers.ts';
import { alignedTable } from '../framework/text.ts';

/** Maximum number of lines in the table of steps. */
const STEPS_LIMIT = 40;
/** Maximum number of tools with a column. */
const TOOLS_LIMIT = 4;
/** Maximum number of rules with a column. */
const RULES_LIMIT = 7;

/** Formats a diagnosis for the terminal. */
export function doctorText(diagnosis: Diagnosis): string {
  const { findings, ruleInUse, sharedStates, steps } = diagnosis;
  const rows = evenly(steps, STEPS_LIMIT);
  const used =
    ruleInUse === 'logged'
      ? 'credit: the advantages of the log'
      : `credit: ${ruleInUse}, because the log has no advantages; --rule names another rule`;
  if (steps.length === 0) return `${['no group with a reward', '', ...findings.flatMap(findingLines)].join('\n')}\n`;
  const parts = [
    headline(diagnosis),
    '',
    used,
    stepTable(rows),
    ...(rows.length < steps.length ? [`${rows.length} of ${steps.length} steps; --json has all of them`] : []),
    '',
    'mean credit by kind of turn',
    kindTable(diagnosis),
    ...ruleLines(diagnosis),
    ...(diagnosis.comparedGroups < diagnosis.totals.groups
      ? [`every rule was computed for ${diagnosis.comparedGroups} of ${diagnosis.totals.groups} groups`]
      : []),
    ...(sharedStates === null
      ? []
      : [`${(100 * sharedStates).toFixed(1)} % of the turns are in a state that another rollout of the group shares`]),
    '',
    ...(findings.length === 0 ? ['no finding'] : findings.flatMap(findingLines)),
    '',
    `groups to read: ${diagnosis.groupsToRead.map(({ id }) => id).join(', ')}`,
  ];
  return `${parts.join('\n')}\n`;
}

/** Formats the size of the log and the titles of the findings. */
function headline({ totals: { groups, rollouts, turns }, findings }: Diagnosis): string {
  const size = `${groups} groups, ${rollouts} rollouts, ${turns} turns`;
  if (findings.length === 0) return `${size}: no finding`;
  return [`${size}:`, ...findings.map(({ title }, index) => `  ${index + 1}. ${title}`)].join('\n');
}

/** Formats the table of steps. */
function stepTable(steps: readonly StepRow[]): string {
  const tools = [...new Set(steps.flatMap((row) => Object.keys(row.tools)))].slice(0, TOOLS_LIMIT);
  const columns = tools.length > 1 ? tools : [];
  const head = ['step', 'groups', 'rollouts', 'turns', 'reward', 'with a call', ...columns];
  const rows = steps.map((row) => [
    ...[row.step === null ? '–' : String(row.step), String(row.groups), String(row.rollouts), String(row.turns)],
    ...[three(row.reward), three(row.calls), ...columns.map((tool) => three(row.tools[tool] ?? 0))],
    ...[three(row.creditOfCall), three(row.creditOfAnswer), three(row.truncated), tiesText(row)],
  ]);
  return alignedTable([...head, 'credit with a call', 'credit without', 'truncated', 'groups without signal'], rows);
}

function tiesText({ ties }: StepRow): string {
  const reasons = Object.entries(ties).map(([reason, count]) => `${count} ${reason}`);
  return reasons.length === 0 ? '0' : reasons.join(', ');
}

function kindTable({ kinds, rules, ruleInUse }: Diagnosis): string {
  const names = [...new Set([ruleInUse, ...rules.map(([name]) => name)])].filter((name) =>
    kinds.some(({ credit }) => credit[name] !== undefined),
  );
  const columns = names.slice(0, RULES_LIMIT);
  const rows = kinds.map(({ kind, turns, credit }) => [
    ...[kind, String(turns)],
    ...columns.map((name) => three(credit[name] ?? null)),
  ]);
  return alignedTable(['kind of turn', 'turns', ...columns], rows);
}

function ruleLines({ rules, opposed, ruleInUse }: Diagnosis): readonly string[] {
  const equal = rules.filter(({ length }) => length > 1).map((names) => `equal on this log: ${names.join(', ')}`);
  const maximum = rules
    .map(([name]) => ({ name, turns: opposed[name] ?? 0 }))
    .filter(({ name, turns }) => turns > 0 && name !== ruleInUse)
    .sort((a, b) => b.turns - a.turns)
    .slice(0, 3)
    .map(({ name, turns }) => `${name} and ${ruleInUse} have opposite signs for ${turns} turns`);
  return [...equal, ...maximum];
}

function findingLines({ confidence, title, evidence, next, groups }: Finding, index: number): readonly string[] {
  return [
    `finding ${index + 1} (${confidence} confidence): ${title}`,
    ...evidence.map((line) => `  ${line}`),
    `  next: ${next}`,
    ...(groups.length > 0 ? [`  groups to read: ${groups.join(', ')}`] : []),
  ];
}

/** Returns up to `maximum` entries at equal intervals, including the first and the last entry. */
function evenly<Entry>(list: readonly Entry[], maximum: number): readonly Entry[] {
  if (list.length <= maximum) return list;
  return Array.from({ length: maximum }, (_, at) => list[Math.round((at * (list.length - 1)) / (maximum - 1))]);
}
