import type { TrainedValueNetwork, ValueNetwork } from '../engine.ts';
import type { ExactCritic } from './critic.ts';
import { pairLoss } from './losses.ts';
import type { Parameters } from './parameters.ts';
import { CRITIC, type Passes, VALUE } from './passes.ts';
import { rest } from './rest.ts';

/** Runs work when all calls before have ended. */
type Next = <T>(work: () => T | Promise<T>) => Promise<T>;

/** A value network of an exact engine behind the interface. */
export function valueNetwork(parameters: Parameters, passes: Passes, next: Next): ValueNetwork {
  return {
    values: (sequences) => next(() => passes.outputs(parameters, sequences, CRITIC, VALUE)),
    destroy: () => {
      void next(() => parameters.destroy());
    },
  };
}

/** A value network of an exact engine that learns, behind the interface. */
export function trainedValueNetwork(network: ExactCritic, passes: Passes, next: Next): TrainedValueNetwork {
  let queued = 0;
  return {
    ...valueNetwork(network.parameters, passes, next),
    get steps() {
      return network.learner.steps + queued;
    },
    step: (pairs, step) => {
      queued++;
      return next(async () => {
        queued--;
        await rest();
        return passes.learn(network, pairs, CRITIC, (piece, sums) => pairLoss(passes.space, piece, sums), step, 2);
      });
    },
    readState: () => next(() => network.read()),
    writeState: ({ parameters, firstMoment, secondMoment, steps }) => {
      void next(() => {
        network.parameters.write(parameters);
        network.learner.write(firstMoment, secondMoment, steps);
      });
    },
    destroy: () => {
      void next(() => network.destroy());
    },
  };
}
