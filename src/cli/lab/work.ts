import { COMPARED } from '../../experiments/compare/comparedEnvironments.ts';
import { type Findings, missingRuns } from '../../experiments/compare/findings.ts';
import { type Missing, updatesLeft } from '../../experiments/compare/switching.ts';
import { mean } from '../../experiments/statistics.ts';
import { readLab, type Shard } from './labFolder.ts';
import type { Prepared } from './prepared.ts';

/** What is still to be run of an experiment. */
export interface Work {
  readonly prepared: Prepared;
  /** Seeds that this process takes; all of them without a share. */
  readonly seeds: readonly number[];
  readonly missing: readonly Missing[];
  readonly updates: number;
  /** Of an update. */
  readonly seconds: number;
}

/**
 * What is missing of experiments in a folder, in their order. A run that two of them need is the work of the first.
 * @param shard takes every so manieth seed of a plan, so that a warm start is made by few processes
 */
export function workOf(folder: string, asked: readonly Prepared[], shard?: Shard): readonly Work[] {
  const taken = new Set<string>();
  const units: string[] = [];
  return asked.map((one) => {
    const { key, plan, arms, seeds } = one;
    const found = readLab(folder, key, plan);
    const mine = seeds.filter((seed) => {
      const unit = `${key} ${seed}`;
      if (!units.includes(unit)) units.push(unit);
      return !shard || units.indexOf(unit) % shard.of === shard.part - 1;
    });
    const missing = missingRuns(found, arms, mine).filter(({ arm, seed }) => {
      const name = `${key} ${arm.name} ${seed}`;
      if (taken.has(name)) return false;
      taken.add(name);
      return true;
    });
    return { prepared: one, seeds: mine, missing, updates: updatesLeft(plan, missing), seconds: secondsOf(found) };
  });
}

/** Seconds an update, as the finished runs had them. */
function secondsOf({ plan, runs }: Findings): number {
  const measured = runs.flatMap(({ series }) => (series.stepMs ?? []).filter((value) => value !== null));
  return measured.length > 0 ? mean(measured) / 1000 : COMPARED[plan.environment].seconds;
}
