import { ruleTitle } from '../address/pageTables.ts';
import { laneStrings } from '../strings/runStrings.ts';
import type { Happening } from './appliedEvents.ts';
import type { RunModel } from './runModel.ts';

/** Name of a run among other runs. */
export interface LaneName {
  /** Number of the run from 1, in display order. */
  readonly number: number;
  /** Full name, for example "MT-GRPO, from step 40 GRPO-OR, seed 2". */
  readonly title: string;
  /** Label for the end of a line, for example "2 GRPO-OR". */
  readonly short: string;
}

export type NamedRun = Pick<RunModel, 'configuration' | 'controls' | 'appliedEvents'>;

/** Returns names that distinguish the runs: by their rules, and by their seeds if the seeds differ. */
export function laneNames(runs: readonly NamedRun[]): readonly LaneName[] {
  const seeds = new Set(runs.map(({ configuration }) => configuration.seed));
  const rules = new Set(runs.map(({ controls }) => controls.rule));
  return runs.map(({ configuration, controls, appliedEvents }, index) => {
    const number = index + 1;
    const labels = [...describeRules(configuration.controls.rule, appliedEvents), ...describeChanges(appliedEvents)];
    if (seeds.size > 1) labels.push(laneStrings.seed(configuration.seed));
    const last = ruleTitle(String(controls.rule));
    const short = rules.size === 1 && seeds.size > 1 ? laneStrings.seed(configuration.seed) : last;
    return { number, title: labels.join(', '), short: `${number} ${short}` };
  });
}

function describeRules(first: unknown, appliedEvents: readonly Happening[]): string[] {
  const changes = appliedEvents.flatMap(({ step, changes }) =>
    changes.flatMap(({ name, to }) => (name === 'rule' ? [{ step, rule: ruleTitle(String(to)) }] : [])),
  );
  const initial = changes.findLast(({ step }) => step === 0)?.rule ?? ruleTitle(String(first));
  return [initial, ...changes.filter(({ step }) => step > 0).map(({ step, rule }) => laneStrings.from(step, rule))];
}

/** Returns the texts of the changes that do not include the rule. */
function describeChanges(appliedEvents: readonly Happening[]): string[] {
  return appliedEvents.flatMap(({ step, text, changes }) =>
    changes.length > 0 && changes.every(({ name }) => name !== 'rule') ? [laneStrings.from(step, text)] : [],
  );
}
