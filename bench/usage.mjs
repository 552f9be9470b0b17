// `node --import ./bench/usage.mjs PROGRAM`: at its end, writes CPU time and peak memory of the process to standard
// error.
import { readFileSync } from 'node:fs';

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  let kilobytes = maxRSS;
  try {
    // On Linux, the peak in `resourceUsage` includes the peak of the parent process.
    kilobytes = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? maxRSS);
  } catch {
    // No /proc: another system.
  }
  process.stderr.write(`\n${JSON.stringify({ seconds: (userCPUTime + systemCPUTime) / 1e6, kilobytes })}\n`);
});
