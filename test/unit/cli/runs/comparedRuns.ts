import { readFileSync } from 'node:fs';
import type { ArmRun } from '../../../../src/experiments/compare/findings.ts';

/** Returns the runs in a result file of `compare`. */
export const runsOf = (file: string): readonly ArmRun[] => JSON.parse(readFileSync(file, 'utf8')).runs;
