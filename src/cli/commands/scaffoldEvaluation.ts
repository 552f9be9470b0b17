import type { FeedbackControl } from '../../environments/repair/evaluation.ts';
import type { Strata } from '../../experiments/compare/difficulty.ts';
import type { HeldOutOptions } from '../../experiments/compare/heldOutEvaluation.ts';
import {
  CHILDREN,
  evaluateScaffolds,
  NO_REFLECTIONS,
  usesVerifier,
} from '../../experiments/scaffolds/evaluateScaffolds.ts';
import { expands, SCAFFOLDS, type ScaffoldName, usesReflections } from '../../experiments/scaffolds/scaffold.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Trainer } from '../../training/run/trainer.ts';
import { UsageError } from '../framework/errors.ts';
import { choice, choiceListFlag, integerFlag } from '../framework/flags.ts';
import { scaffoldsText } from './evaluateText.ts';

// Measurement of a policy under scaffolds by `evaluate`.

/** Default number of attempts per episode, and of programs per search. */
export const ATTEMPTS = 3;
const VERIFIERS = ['auto', 'model', 'none'] as const;

export const SCAFFOLD_FLAGS = {
  scaffold: choiceListFlag(
    'Use of the policy. refine: consecutive attempts; best-of-n: independent first programs; lats: a tree search; dot: levels of ' +
      'new refinements; reflexion: attempts after reflections; dot-reflections: levels of new reflections; dot-bank: levels of new ' +
      'reflections with a bank of solved tasks; shuffled-reflexion: attempts after reflections of other episodes. The last four ' +
      'need --reflection written. Several scaffolds share the same first programs.',
    SCAFFOLDS,
    ['refine'],
  ),
  budget: integerFlag('Programs per episode under every scaffold; 0 for the number of --iterations.', {
    min: 0,
    max: 64,
    default: 0,
  }),
  children: integerFlag(
    'Refinements per program that lats expands; new refinements per level of dot, dot-reflections and dot-bank.',
    {
      min: 1,
      max: 16,
      default: CHILDREN,
    },
  ),
  verifier: choice(
    'Verifier of best-of-n and lats, in addition to visible tests. model: the reward model of the world; auto: model, if the ' +
      'world has one; none: visible tests only.',
    VERIFIERS,
    'auto',
  ),
};

/** Requested options of an evaluation by attempts or scaffolds. */
export interface ScaffoldAmount {
  readonly iterations?: number;
  readonly feedback?: readonly FeedbackControl[];
  readonly runs?: number;
  readonly passAt?: readonly number[];
  readonly scaffold?: readonly ScaffoldName[];
  readonly budget?: number;
  readonly children?: number;
  readonly verifier?: (typeof VERIFIERS)[number];
}

/** Returns true if the options request another scaffold than consecutive attempts, or a budget. */
export function hasScaffoldOptions({ scaffold = ['refine'], budget = 0 }: ScaffoldAmount): boolean {
  return budget > 0 || scaffold.some((name) => name !== 'refine');
}

/**
 * Checks the combination of the options.
 * @param settings settings of the world
 * @throws {UsageError} with the flag that contradicts another flag or the world
 */
export function checkScaffolds(amount: ScaffoldAmount, { reflection, verification }: ParameterValues): void {
  const { scaffold = ['refine'], budget = 0, iterations = ATTEMPTS, feedback = ['true'], passAt = [] } = amount;
  const { children = CHILDREN, verifier = 'auto' } = amount;
  const refuse = (flag: string, why: string) => {
    throw new UsageError(`--${flag}: ${why}`);
  };
  const reflecting = scaffold.find(usesReflections);
  if (reflecting && reflection !== 'written') refuse('scaffold', `${reflecting}: ${NO_REFLECTIONS}`);
  if (verifier === 'model' && !scaffold.some(usesVerifier)) {
    refuse('verifier', `--scaffold ${scaffold.join()} uses no verifier; use best-of-n or lats`);
  }
  if (children !== CHILDREN && !scaffold.some(expands)) {
    refuse('children', `--scaffold ${scaffold.join()} expands no program; use lats or dot`);
  }
  if (!hasScaffoldOptions(amount)) return;
  if (verification === 'written') {
    refuse(
      budget > 0 ? 'budget' : 'scaffold',
      'scaffolds need visible tests, and --verification written shows no visible test; use --iterations only',
    );
  }
  if (feedback.join() !== 'true') {
    refuse('feedback', 'scaffolds show true feedback; other values need --scaffold refine, without --budget');
  }
  if (passAt.length > 0) refuse('passAt', 'pass@k needs --scaffold refine, without --budget');
  if (budget > 0 && iterations !== ATTEMPTS && iterations !== budget) {
    refuse('iterations', `--budget ${budget} sets the number of programs; give one of the two flags`);
  }
}

/**
 * Measures a policy under scaffolds.
 * @param hasModel true if the world has a reward model
 * @returns undefined if the measurement stopped before a run was complete
 */
export async function measureScaffolds(
  trainer: Trainer,
  options: HeldOutOptions & { readonly strata?: Strata },
  amount: ScaffoldAmount,
  hasModel: boolean,
) {
  const { scaffold: scaffolds = ['refine'], iterations = ATTEMPTS, children = CHILDREN, runs = 1 } = amount;
  const { samples, split, sampling } = options;
  const verifier = amount.verifier !== 'none' && hasModel && scaffolds.some(usesVerifier);
  const choice = { budget: amount.budget || iterations, children, verifier };
  const reports = await evaluateScaffolds(trainer, { ...options, ...choice, scaffolds, runs });
  if (!reports) return undefined;
  const [{ tasks }] = reports[0].runs;
  return {
    values: { tasks, samples, ...choice, runs: reports[0].runs.length, sampling, scaffolds: reports },
    text: scaffoldsText(reports, { ...choice, scaffolds }, split),
  };
}
