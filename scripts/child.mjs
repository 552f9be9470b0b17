// Hands this process over to another Node program: its output, its exit code, its end.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * Runs Node with `args` until it ends, then ends this process with the same status.
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export function handOver(args, options) {
  const child = spawn(process.execPath, args, { stdio: 'inherit', ...options });
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)));
  // Ctrl-C reaches the child by itself, being in the same terminal, and it decides when to end; a `kill` is handed on.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  // A killed npm ends its shell but not what the shell runs, which would go on unseen and keep its port.
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || child.kill('SIGTERM'), 500).unref();
}
