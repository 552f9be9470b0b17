import { RULES } from '../../credit/rules.ts';
import {
  CONFIDENCES,
  type Diagnosis,
  FINDING_KINDS,
  type Finding,
  type StepRow,
  three,
} from '../../diagnosis/diagnosis.ts';
import { DEFAULT_RULE, RunDiagnosis } from '../../diagnosis/runDiagnosis.ts';
import type { LogPath } from '../../rollouts/import/logPaths.ts';
import { defineCommand } from '../framework/command.ts';
import { EXIT } from '../framework/errors.ts';
import { choice, choiceListFlag, type FlagValues, text } from '../framework/flags.ts';
import { inputsOf, logFiles, readLogs } from '../framework/logs.ts';
import { alignedTable, type Terminal } from '../framework/terminal.ts';
import { withOutputs } from '../output/outputs.ts';
import { importContext, LOG_FLAGS, LOGS } from './import.ts';

/** Flags of the commands that diagnose a log. */
export const DIAGNOSIS_FLAGS = {
  ...LOG_FLAGS,
  rule: choice(
    'Credit rule for the rollouts of a log without advantages.',
    RULES.map(({ name }) => name),
    DEFAULT_RULE,
  ),
};

/** Position of a group: its file, and its index among the groups of the file. */
export interface GroupPosition {
  readonly id: string;
  readonly file: LogPath;
  readonly number: number;
}

/**
 * Diagnoses logs.
 * @param operands files and folders
 * @returns the diagnosis, the report, and the position of the first group with each id
 */
export async function diagnose(
  flags: FlagValues<typeof DIAGNOSIS_FLAGS>,
  operands: readonly string[],
  terminal: Terminal,
) {
  const diagnosis = new RunDiagnosis(flags.rule);
  const context = { ...importContext(flags), groups: true };
  const positions = new Map<string, GroupPosition>();
  let last: GroupPosition | undefined;
  await readLogs(logFiles(operands), flags.from, context, terminal, (group, file) => {
    diagnosis.see(group);
    const number = file === last?.file ? last.number + 1 : 0;
    last = { id: group.id, file, number };
    if (!positions.has(group.id)) positions.set(group.id, last);
  });
  diagnosis.addUnscored(context.counts.unscored);
  return { diagnosis: diagnosis.result(), report: context.counts.lines(), positions };
}

const LEVELS = [...CONFIDENCES, ...FINDING_KINDS];

/** Command that diagnoses a run from its logs. */
export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'diagnose a run from its logs',
  description:
    'Reads logs as `import` does, or files of groups. Prints a line for each training step (reward, share of rollouts that ' +
    'call a tool, ties, truncated rollouts, credit with and without a call), the mean credit of each kind of turn under every ' +
    'rule that reads the log, and findings with evidence, confidence and a next step. Advantages of the log count as the rule ' +
    'in use. Findings describe the rollouts; they do not say how training with another rule continues. Entropy, KL and ' +
    'clipping are not in rollouts: the metrics of the trainer have them.',
  operands: { ...LOGS, help: 'Logs, files of groups, and folders of them.' },
  flags: {
    ...DIAGNOSIS_FLAGS,
    json: text('FILE', 'Write all numbers and findings to this file as JSON.'),
    'fail-on': choiceListFlag(
      'Findings that end the command with exit code 1: of this confidence or a higher one, or of this kind.',
      LEVELS,
      [],
    ),
  },
  parameters: [],
  examples: ['rollouts', '--fail-on high rollouts', '--rule mt-grpo --turn-rewards turn_scores rollouts'],
  async run({ flags, operands }, terminal) {
    const inputs = inputsOf(logFiles(operands));
    return withOutputs(terminal, { json: flags.json }, { inputs }, async ({ json }) => {
      const { diagnosis, report } = await diagnose(flags, operands, terminal);
      terminal.out(doctorText(diagnosis));
      for (const line of report) terminal.err(`${line}\n`);
      await json?.write(`${JSON.stringify(diagnosis, null, 2)}\n`);
      return diagnosis.findings.some((finding) => isListed(finding, flags['fail-on'])) ? EXIT.failed : EXIT.done;
    });
  },
});

function isListed({ kind, confidence }: Finding, listed: readonly string[]): boolean {
  const levels = CONFIDENCES.slice(CONFIDENCES.indexOf(confidence));
  return listed.includes(kind) || levels.some((level) => listed.includes(level));
}

/** Maximum number of lines in the table of steps. */
const STEPS_LIMIT = 40;
/** Maximum number of tools with a column. */
const TOOLS_LIMIT = 4;
/** Maximum number of rules with a column. */
const RULES_LIMIT = 7;

/** Formats a diagnosis for the terminal. */
function doctorText(diagnosis: Diagnosis): string {
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
