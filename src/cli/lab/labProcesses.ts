import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { EXIT } from '../framework/errors.ts';
import type { Terminal } from '../framework/terminal.ts';
import type { Shard } from './labFolder.ts';

/** Starts this program as a new process with other arguments. */
function startProgram(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, process.argv[1], ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/**
 * Returns the share of each of several processes.
 * @param shard share of all these processes together
 */
export function sharesOf(processes: number, { part, of }: Shard = { part: 1, of: 1 }): readonly Shard[] {
  return Array.from({ length: processes }, (_, index) => ({
    part: (part - 1) * processes + index + 1,
    of: of * processes,
  }));
}

/**
 * Runs shares of the work in separate processes and forwards their error output.
 * @param argsOf returns the arguments of the process of a share
 * @returns the exit code of the first process that failed; 0 if no process failed
 */
export async function runProcesses(
  shares: readonly Shard[],
  argsOf: (shard: Shard) => readonly string[],
  terminal: Pick<Terminal, 'err' | 'signal'>,
  start = startProgram,
): Promise<number> {
  const codes = await Promise.all(
    shares.map(async (shard) => {
      const child = start(argsOf(shard));
      const stop = () => child.kill('SIGINT');
      terminal.signal.addEventListener('abort', stop, { once: true });
      if (child.stderr)
        createInterface(child.stderr).on('line', (line) => terminal.err(`${shard.part}/${shard.of}: ${line}\n`));
      try {
        return await new Promise<number>((resolve, reject) => {
          child.once('error', reject);
          child.once('close', (code) => resolve(code ?? EXIT.interrupted));
        });
      } finally {
        terminal.signal.removeEventListener('abort', stop);
      }
    }),
  );
  return codes.find((code) => code !== 0) ?? EXIT.done;
}
