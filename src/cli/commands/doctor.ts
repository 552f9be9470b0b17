import { RULES } from '../../credit/rules.ts';
import { CONFIDENCES, FINDING_KINDS, type Finding } from '../../diagnosis/finding.ts';
import { DEFAULT_RULE, RunDiagnosis } from '../../diagnosis/runDiagnosis.ts';
import type { LogPath } from '../../rollouts/import/logPaths.ts';
import { defineCommand } from '../framework/command.ts';
import { EXIT } from '../framework/errors.ts';
import { choice, choiceListFlag, type FlagValues, text } from '../framework/flags.ts';
import { inputsOf, logFiles } from '../framework/logFiles.ts';
import { readLogs } from '../framework/readLogs.ts';
import type { Terminal } from '../framework/terminal.ts';
import { withOutputs } from '../output/outputs.ts';
import { doctorText } from './doctorText.ts';
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
