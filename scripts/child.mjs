// Hands this process over to another Node program: its output, its exit code, its end.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** One wish to end may come more than once, from a terminal, npm and `timeout`: those within so many milliseconds. */
const SIGNAL_WINDOW = 500;
/** Milliseconds that a child has to end by itself after the second wish. */
const GRACE = 1000;

/**
 * Runs Node with `args` until it ends, then ends this process with the same status.
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export function runChild(args, options) {
  const child = spawn(process.execPath, args, { stdio: 'inherit', ...options });
  /** @type {number | undefined} */
  let firstSignalAt;
  /** @type {NodeJS.Signals | undefined} */
  let insisted;
  child.on('exit', (code, signal) => {
    const ended = signal === 'SIGKILL' && insisted ? insisted : signal;
    process.exit(ended ? 128 + constants.signals[ended] : (code ?? 1));
  });
  /**
   * A second request means an immediate end. A child that computes without a pause receives no signal.
   * @param {NodeJS.Signals} name
   */
  const handleSignal = (name) => {
    firstSignalAt ??= performance.now();
    if (insisted || performance.now() - firstSignalAt < SIGNAL_WINDOW) return;
    insisted = name;
    setTimeout(() => child.kill('SIGKILL'), GRACE).unref();
  };
  // Ctrl-C reaches the child directly, because the child is in the same terminal, and the child decides when to end.
  // Other signals are forwarded.
  process.on('SIGINT', () => handleSignal('SIGINT'));
  for (const name of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) {
    process.on(name, () => {
      child.kill(name);
      handleSignal(name);
    });
  }
  // A killed npm ends its shell but not the process that the shell runs. That process would continue unseen and hold
  // its port. The signal is sent only once: a second signal would end the child before it has saved its work.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    child.kill('SIGTERM');
  }, 500).unref();
}
