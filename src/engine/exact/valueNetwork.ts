import type { TrainedValueNetwork, ValueNetwork } from '../engine.ts';
import type { ExactCritic } from './critic.ts';
import { pairLoss } from './losses.ts';
import type { Parameters } from './parameters.ts';
import { CRITIC, type Passes, VALUE } from './passes.ts';
import { rest } from './rest.ts';

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
