import { statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { defineCommand } from '../framework/command.ts';
import { EXIT, Interrupted } from '../framework/errors.ts';
import { integerFlag } from '../framework/flags.ts';
import { inputsOf, logFiles } from '../framework/logFiles.ts';
import type { Terminal } from '../framework/terminal.ts';
import { DIAGNOSIS_FLAGS } from './doctor.ts';
import { LOGS } from './import.ts';
import { reportOf } from './report.ts';

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
