import { commandLines } from './commandLines.ts';
import { comparisonFiles } from './comparisonFiles.ts';
import type { AnyFuzzer } from './fuzzer.ts';
import { groupFiles } from './groupFiles.ts';
import { importFiles, parquetFiles } from './importFiles.ts';
import { jobFiles, taskFiles } from './programFiles.ts';
import { checkpoints, savedRuns } from './savedFiles.ts';

/** All fuzzers that do not need a device. */
export const FUZZERS: readonly AnyFuzzer[] = [
  commandLines,
  groupFiles,
  importFiles,
  parquetFiles,
  checkpoints,
  savedRuns,
  comparisonFiles,
  jobFiles,
  taskFiles,
];
