import type { ComparisonFile } from '../../../../src/cli/compare/comparisonFile.ts';
import { codeOf } from '../../../../src/cli/framework/installation.ts';
import { type Prepared, prepared } from '../../../../src/cli/lab/work.ts';
import { findClaims } from '../../../../src/experiments/claims/readClaims.ts';
import type { ArmRun } from '../../../../src/experiments/compare/findings.ts';

/** Returns an experiment of a claim by its index. */
export function experimentOf(id: string, index = 0, seeds?: number): Prepared {
  const [claim] = findClaims(id);
  return prepared(claim, claim.experiments[index], seeds);
}

/** Final values of a synthetic Search run: tool use, accuracy, and accuracy on held-out questions. */
export type Ends = readonly [tool: number, answer: number, fresh: number];

const STEPS = 120;

/** Returns a run whose curves start at .5 and .3 and are then constant at their final values, plus seed / 10⁴. */
export function searchRun({ arms, plan }: Prepared, name: string, seed: number, ends: Ends): ArmRun {
  const arm = arms.find((entry) => entry.name === name);
  if (!arm) throw new Error(`${name} is no arm`);
  const [tool, answer, fresh] = ends;
  const level = (value: number, start: number) =>
    Array.from({ length: STEPS }, (_, step) => (step === 0 ? start : value + seed / 1e4));
  return {
    ...{ arm, seed, digest: `world ${(seed - 1) % plan.worlds}` },
    heldOut: { answer: fresh + seed / 1e4, format: 0.98, toolUse: tool },
    series: { toolUse: level(tool, 0.5), answer: level(answer, 0.3), stepMs: level(200, 400) },
    provenance: { version: '0.1.0', commit: '0123456789ab', device: 'made up', code: codeOf(plan.environment) },
  };
}

/** Returns a comparison file with these runs. */
export function fileOf({ plan, arms }: Prepared, runs: readonly ArmRun[]): ComparisonFile {
  const base = [0, 1].map((world) => ({
    seed: world + 1,
    digest: `world ${world}`,
    measured: { toolUse: 0.5, answer: 0.3 },
  }));
  return { plan, base, runs, arms, device: 'made up' };
}

const ENDS: Readonly<Record<string, Ends>> = {
  'grpo-or': [0.01, 0.98, 0.03],
  'grpo-mr': [0.02, 0.97, 0.02],
  'mt-grpo': [0.99, 0.7, 0.6],
  'ppo-or': [0.01, 0.98, 0.03],
  'ppo-mr': [0.2, 0.9, 0.2],
  'mt-ppo': [0.99, 0.75, 0.55],
};

/** Returns all runs of an experiment with the six rules. */
export function allRuns(experiment: Prepared): readonly ArmRun[] {
  return experiment.seeds.flatMap((seed) =>
    experiment.arms.map(({ name }) => searchRun(experiment, name, seed, ENDS[name])),
  );
}
