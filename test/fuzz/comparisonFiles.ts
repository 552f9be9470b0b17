import assert from 'node:assert/strict';
import fc from 'fast-check';
import { comparisonJson } from '../../src/cli/compare/comparisonFile.ts';
import type { ArmRun } from '../../src/experiments/compare/findings.ts';
import { defaults } from '../../src/parameters/parameters.ts';
import { CONTROLS, SETTINGS } from '../searchTables.ts';
import { turnwise } from '../unit/cli/cliTerminal.ts';
import { begin, CaseFolder } from './caseFolder.ts';
import type { Fuzzer } from './fuzzer.ts';
import { type Change, changed, changes, type Damage, damaged, damages } from './mutations.ts';

interface ComparisonCase {
  readonly changes: readonly Change[];
  readonly damages: readonly Damage[];
}

const folder = new CaseFolder();
const STEPS = 3;

/** Creates a finished comparison of two rules in the form in which the program stores it. */
function finished(): unknown {
  const rates = {
    ...{ episodes: 8, toolUse: 0.57, retrieval: 0.41, answer: 0.11, format: 0.87, searches: 0.5 },
    ...{ answerGivenRetrieval: Number.NaN, answerWithoutSearch: 0.2, rewardTurn: 0, rewardOutcome: 0, entropy: 1.2 },
  };
  const arms = ['grpo-or', 'mt-grpo'].map((rule) => ({ name: rule, rule, changes: {} }));
  const series = { toolUse: [0.5, null, 0.7], answer: [0.1, 0.2, 0.3] };
  const runs = arms.map((arm): ArmRun => ({ arm, seed: 1, digest: 'd', series, heldOut: rates }));
  const { rule: _, ...controls } = defaults(CONTROLS);
  const json = comparisonJson({
    plan: {
      ...{ configurationVersion: 1, environment: 'search', steps: STEPS, settings: defaults(SETTINGS), controls },
      ...{ freshWarmStart: false, worlds: 1, measuring: { heldOut: 512, base: 1024 } },
    },
    base: [{ seed: 1, digest: 'd', measured: rates }],
    ...{ arms, runs, device: 'made up' },
  });
  return JSON.parse(json);
}

/** Fuzzer of stored comparisons with changed entries or damaged bytes. */
export const comparisonFiles: Fuzzer<ComparisonCase> = {
  name: 'comparisons',
  about: 'compare.json: entries and bytes',
  caseCount: 25,
  cases: fc.record({ changes: changes(), damages: damages() }),
  async checkCase({ changes, damages }) {
    folder.clear();
    const bytes = damaged(Buffer.from(JSON.stringify(changed(finished(), changes))), damages);
    const input = folder.file('compare.json', bytes);
    const drawn = ['svg', 'markdown'].flatMap((flag) => [`--${flag}`, folder.path(flag)]);
    const flags = ['--rules', 'grpo-or,mt-grpo', '--seeds', '1', '--steps', String(STEPS), '--json', input];
    if (!(await folder.accepts(['compare', ...flags], 'compare.json', begin(bytes)))) return;
    const { code, out } = await turnwise(['compare', ...flags, ...drawn]);
    if (code !== 0) return;
    const output = out + folder.read('svg') + folder.read('markdown');
    assert(!/undefined|\[object/.test(output), `${begin(bytes)}\nis reported as\n${output}`);
  },
};
