import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Group } from '../../src/rollouts/forest.ts';
import { root } from '../files.ts';

/** Line of test/fixtures/exact/processes.jsonl: a decision process with exact values and sampled groups. */
export interface ExactReport {
  readonly process: 'delayed' | 'recovery' | 'stopping';
  readonly states: readonly {
    readonly turn: number;
    readonly state: string;
    readonly visits: number;
    readonly value: number;
  }[];
  readonly actions: readonly {
    readonly turn: number;
    readonly state: string;
    readonly action: string;
    readonly value: number;
    readonly advantage: number;
  }[];
  /** Measures by estimator. */
  readonly scores: Readonly<Record<string, Readonly<Record<Measure, number | null>>>>;
  readonly groups: readonly Group[];
}

export type Measure = 'leakage' | 'correlation' | 'cosine' | 'error';

/** Decision processes with the values that the Python package computed. */
export const EXACT_REPORTS = readFileSync(join(root, 'test/fixtures/exact/processes.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as ExactReport);
