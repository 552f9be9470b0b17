// `node --import ./bench/usage.mjs PROGRAM`: writes the CPU time and the peak memory of the process to standard error at its end.
import { readFileSync } from 'node:fs';

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  let kilobytes = maxRSS;
  try {
    // On Linux the peak of `resourceUsage` includes that of the process that started this one.
    kilobytes = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? maxRSS);
  } catch {
    // No /proc: another system.
  }
  process.stderr.write(`\n${JSON.stringify({ seconds: (userCPUTime + systemCPUTime) / 1e6, kilobytes })}\n`);
});
