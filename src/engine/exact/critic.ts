import type { CreditRule } from '../../credit/rule.ts';
import { explainedVariance, moments, normalizeTokens, type TokenLine } from '../../objective/objective.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { CriticState } from '../../policy/critic.ts';
import { initialParameters } from '../../policy/weights.ts';
import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import type { TrainedValueNetwork, ValueNetwork } from '../engine.ts';
import { alignCriticValues, withValues } from '../updatePlan.ts';
import type { Health } from './learner.ts';
import { pairLoss } from './losses.ts';
import type { Parameters } from './parameters.ts';
import { CRITIC, type Passes, rest, Trained, VALUE, withValueHead } from './passes.ts';
import type { Space } from './space.ts';

/** Trained value network of a credit rule. */
export class ExactCritic extends Trained {
  private rule = '';
  private learnedUpdates = 0;

  constructor(
    private readonly space: Space,
    health: Health,
  ) {
    super(space.arena, withValueHead(space.config), health);
  }

  /** Initialises the critic with the trunk of a policy and a new value head, whose values depend only on the seed. */
  start(policy: Parameters, seed: number): void {
    const { offset } = this.layout.at('valueHead');
    const values = initialParameters(withValueHead(this.space.config), seed);
    values.set(policy.read().subarray(0, offset));
    this.parameters.write(values);
    this.learner.reset();
    this.begin('');
  }

  /** Sets the rule of the next update. A change of the rule resets the count of consecutive updates. */
  begin(rule: string): void {
    if (rule !== this.rule) this.learnedUpdates = 0;
    this.rule = rule;
  }

  /** Returns the number of consecutive updates in which the critic was trained under a rule. */
  updatesUnder(rule: string): number {
    return rule === this.rule ? this.learnedUpdates : 0;
  }

  learned(): void {
    this.learnedUpdates++;
  }

  writeState({ parameters, firstMoment, secondMoment, steps, rule, updates }: CriticState): void {
    this.parameters.write(parameters);
    this.learner.write(firstMoment, secondMoment, steps);
    this.rule = rule;
    this.learnedUpdates = updates;
  }

  readState(): CriticState {
    return { ...this.read(), rule: this.rule, updates: this.learnedUpdates };
  }
}

/** Runs work after all earlier calls have ended. */
type Next = <T>(work: () => T | Promise<T>) => Promise<T>;

/** Wraps a value network of an exact engine in the engine interface. */
export function valueNetwork(parameters: Parameters, passes: Passes, next: Next): ValueNetwork {
  return {
    values: (sequences) => next(() => passes.outputs(parameters, sequences, CRITIC, VALUE)),
    destroy: () => {
      void next(() => parameters.destroy());
    },
  };
}

/** Wraps a trained value network of an exact engine in the engine interface. */
export function trainedValueNetwork(network: ExactCritic, passes: Passes, next: Next): TrainedValueNetwork {
  /** Number of steps after all calls so far. */
  let steps = network.learner.steps;
  return {
    ...valueNetwork(network.parameters, passes, next),
    get steps() {
      return steps;
    },
    step: (pairs, step) => {
      steps++;
      return next(async () => {
        await rest();
        return passes.learn(network, pairs, CRITIC, (piece, sums) => pairLoss(passes.space, piece, sums), step, 2);
      });
    },
    readState: () => next(() => network.read()),
    writeState: (state) => {
      steps = state.steps;
      void next(() => {
        network.parameters.write(state.parameters);
        network.learner.write(state.firstMoment, state.secondMoment, state.steps);
      });
    },
    destroy: () => {
      void next(() => network.destroy());
    },
  };
}

/** Advantages, indexed by the credits of targets, and the training data of the critic. */
export interface TokenCredit {
  /** Normalised advantages [policy tokens]. */
  readonly advantages: Float32Array;
  readonly returns: Float32Array;
  readonly line: TokenLine;
}

/** Computes the credit of a token rule from the values of a critic. @param values [policy tokens] */
export function tokenCredit(
  batch: RolloutBatch,
  rule: CreditRule,
  parameters: ParameterValues,
  values: Float32Array,
): TokenCredit {
  // A rule rejects values that are not finite. As losses, they stop the run at this update.
  if (!values.every(Number.isFinite)) return notFinite(values.length);
  const valued = withValues(batch, alignCriticValues(batch, rule, values));
  const credits = valued.groups.map((group) => {
    const { tokens } = rule.credit(group, parameters);
    if (!tokens) throw new Error(`the rule ${rule.name} has no advantages of tokens`);
    return tokens;
  });
  const advantages = credits.flatMap((credit) => Array.from(credit.advantages));
  const returns = credits.flatMap((credit) => Array.from(credit.returns));
  const explained = explainedVariance(moments(advantages).variance, moments(returns).variance);
  return {
    advantages: Float32Array.from(normalizeTokens(advantages)),
    returns: Float32Array.from(returns),
    line: { tokens: advantages.length, explainedVariance: explained },
  };
}

function notFinite(tokens: number): TokenCredit {
  const numbers = new Float32Array(tokens).fill(Number.NaN);
  return { advantages: numbers, returns: numbers, line: { tokens, explainedVariance: Number.NaN } };
}
