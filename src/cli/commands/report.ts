import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import { reportHtml } from '../../diagnosis/reportHtml.ts';
import type { Group } from '../../rollouts/forest.ts';
import { defineCommand } from '../framework/command.ts';
import { EXIT, UsageError } from '../framework/errors.ts';
import { type FlagValues, text } from '../framework/flags.ts';
import { inputsOf, logFiles } from '../framework/logFiles.ts';
import { readLogs } from '../framework/readLogs.ts';
import type { Terminal } from '../framework/terminal.ts';
import { withOutputs } from '../output/outputs.ts';
import { DIAGNOSIS_FLAGS, diagnose, type GroupPosition } from './doctor.ts';
import { importContext, LOGS } from './import.ts';

/** Maximum number of groups with a transcript. */
const TRANSCRIPT_LIMIT = 8;

/** Command that writes a diagnosis as an HTML file. */
export const reportCommand = defineCommand({
  name: 'report',
  summary: 'write the diagnosis of a run as an HTML file',
  description:
    'Diagnoses logs as `doctor` does and writes one HTML file without scripts, below 3 MB: findings, charts, tables, and ' +
    'transcripts of the groups to read with the credit of each turn. Keys and mail addresses are masked by patterns; read the ' +
    'file before you publish it.',
  operands: { ...LOGS, help: 'Logs, files of groups, and folders of them.' },
  flags: { ...DIAGNOSIS_FLAGS, html: text('FILE', 'Write the report to this file.') },
  parameters: [],
  examples: ['--html report.html rollouts'],
  async run({ flags, operands }, terminal) {
    if (flags.html === undefined) throw new UsageError('--html is missing: name the file of the report');
    const inputs = inputsOf(logFiles(operands));
    return withOutputs(terminal, { html: flags.html }, { inputs }, async ({ html }) => {
      await html.write(await reportOf(flags, operands, terminal));
      return EXIT.done;
    });
  },
});

/**
 * Returns the report of logs.
 * @param refresh interval at which the page reloads [s]; undefined for no reload
 */
export async function reportOf(
  flags: FlagValues<typeof DIAGNOSIS_FLAGS>,
  operands: readonly string[],
  terminal: Terminal,
  refresh?: number,
): Promise<string> {
  const { diagnosis, report: notes, positions } = await diagnose(flags, operands, terminal);
  const ids = idsToRead(diagnosis);
  const read = await groupsAt(
    ids.flatMap((id) => positions.get(id) ?? []),
    flags,
    terminal,
  );
  const title = `Rollouts of ${operands.join(', ')}`;
  return reportHtml(diagnosis, { title, groups: read, notes, ...(refresh === undefined ? {} : { refresh }) });
}

/** Reads groups again. Opens only the files of these groups, and gives the groups the ids of the first reading. */
async function groupsAt(
  positions: readonly GroupPosition[],
  flags: FlagValues<typeof DIAGNOSIS_FLAGS>,
  terminal: Terminal,
): Promise<readonly Group[]> {
  const groups = new Map<GroupPosition, Group>();
  for (const file of new Set(positions.map((position) => position.file))) {
    let number = 0;
    await readLogs([file], flags.from, { ...importContext(flags), groups: true }, terminal, (group) => {
      const position = positions.find((candidate) => candidate.file === file && candidate.number === number);
      if (position) groups.set(position, { ...group, id: position.id });
      number++;
    });
  }
  return positions.flatMap((position) => groups.get(position) ?? []);
}

function idsToRead({ findings, groupsToRead }: Diagnosis): readonly string[] {
  const ids = [...findings.flatMap(({ groups }) => groups), ...groupsToRead.map(({ id }) => id)];
  return [...new Set(ids)].slice(0, TRANSCRIPT_LIMIT);
}
