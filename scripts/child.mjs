// Runs another Node program in place of this process: forwards its output, signals and exit status.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** Window in which signals count as one request to end [ms]. A terminal, npm and `timeout` can each send a signal. */
const SIGNAL_WINDOW = 500;
/** Time for a child to end after the second request [ms]. Then the child is killed. */
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
   * Kills the child after a second request, because a child that computes without a pause handles no signal.
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
  // A killed npm ends its shell but not the process that the shell runs. This process then continues in the background
  // and blocks its port. The signal is sent only once: a second signal ends the child before it has saved its work.
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    child.kill('SIGTERM');
  }, 500).unref();
}
