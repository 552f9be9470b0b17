import type { ValueNetwork } from '../engine.ts';
import type { ExactCritic } from './critic.ts';
import { pairLoss } from './losses.ts';
import { CRITIC, type Passes, VALUE } from './passes.ts';
import { rest } from './rest.ts';

/** A network of an exact engine behind the interface. @param next runs work when all calls before have ended */
export function valueNetwork(
  network: ExactCritic,
  passes: Passes,
  next: <T>(work: () => T | Promise<T>) => Promise<T>,
): ValueNetwork {
  return {
    get steps() {
      return network.learner.steps;
    },
    score: (sequences) => next(() => passes.outputs(network.parameters, sequences, CRITIC, VALUE)),
    step: (pairs, step) =>
      next(async () => {
        await rest();
        return passes.learn(network, pairs, CRITIC, (piece, sums) => pairLoss(passes.space, piece, sums), step, 2);
      }),
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
