import { statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Diagnosis } from '../../diagnosis/diagnosis.ts';
import { reportHtml } from '../../diagnosis/reportHtml.ts';
import type { Group } from '../../rollouts/forest.ts';
import { defineCommand } from '../framework/command.ts';
import { EXIT, Interrupted, UsageError } from '../framework/errors.ts';
import { type FlagValues, integerFlag, text } from '../framework/flags.ts';
import { inputsOf, logFiles, readLogs } from '../framework/logs.ts';
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
async function reportOf(
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

const LOCALHOST = '127.0.0.1';
/** Allowed names of the host in a request. Another name can belong to a foreign page that resolves to this machine. */
const HOSTS = [LOCALHOST, 'localhost'];

/** Command that serves the report of a growing run. */
export const watchCommand = defineCommand({
  name: 'watch',
  summary: 'serve the report of a growing run on localhost',
  description:
    'Serves the page of `report` on 127.0.0.1, and diagnoses the logs again when files change. If a file cannot be read, for ' +
    'example while a trainer writes it, the command prints an error and the page keeps the last report. Ctrl-C ends the command.',
  operands: { ...LOGS, help: 'Logs and folders of logs.' },
  flags: {
    ...DIAGNOSIS_FLAGS,
    port: integerFlag('Port of the page; 0 takes a free port.', { min: 0, max: 65535, default: 4242 }),
    every: integerFlag('Seconds between two checks of the files.', { min: 1, max: 3600, default: 5 }),
  },
  parameters: [],
  examples: ['rollouts', '--port 0 --every 30 rollouts'],
  async run({ flags, operands }, terminal) {
    logFiles(operands);
    const page = { html: '<!doctype html><title>Turnwise</title><meta http-equiv="refresh" content="1">Reading' };
    const server = createServer((request, response) => {
      if (!isLocal(request)) return void response.writeHead(403).end('this page is for localhost only\n');
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
      response.end(page.html);
    });
    const port = await listen(server, flags.port);
    terminal.out(`http://${LOCALHOST}:${port}/\n`);
    try {
      let before = '';
      for (;;) {
        const state = stateOf(operands);
        if (state !== before) {
          before = state;
          page.html = await reportOf(flags, operands, terminal, flags.every).catch((error) =>
            lastPage(error, page, terminal),
          );
        }
        await wait(1000 * flags.every, undefined, { signal: terminal.signal });
      }
    } catch (error) {
      if (terminal.signal.aborted) return EXIT.interrupted;
      throw error;
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
});

/** Prints an error about a file and returns the last page. */
function lastPage(error: unknown, { html }: { html: string }, terminal: Terminal): string {
  if (error instanceof Interrupted || !(error instanceof Error)) throw error;
  terminal.err(`${error.message}\n`);
  return html;
}

function isLocal({ headers }: IncomingMessage): boolean {
  return HOSTS.includes((headers.host ?? '').replace(/:\d+$/, ''));
}

/** Returns names, sizes and modification times of all files. The text changes if a file changes. */
function stateOf(operands: readonly string[]): string {
  return inputsOf(logFiles(operands))
    .map(({ file }) => {
      const stats = statSync(file, { throwIfNoEntry: false });
      return `${file} ${stats?.size} ${stats?.mtimeMs}`;
    })
    .join('\n');
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOCALHOST, resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
