import type { Trainer } from '../src/training/run/trainer.ts';
import { type Paired, pairedTimes } from './measure.ts';

/**
 * Times an update under two rules alternately, from the same state. Both rules use the same rollouts and compute every
 * turn. If a rule needs a critic, the critic must exist before the call.
 * @returns time of an update [ms]: under `rule` as `theirs`, under `peer` as `ours`
 */
export async function updatesAgainst(trainer: Trainer, rule: string, peer: string, rounds: number): Promise<Paired> {
  const update = async (name: string) => {
    trainer.controls = { ...trainer.controls, rule: name, skipZero: 'off', criticUpdates: 0 };
    const { metrics } = await trainer.update();
    return (await metrics).stepMs;
  };
  for (const name of [rule, peer]) await update(name);
  const state = await trainer.engine.readState();
  const { step } = trainer;
  const side = (name: string) => () => {
    trainer.load(state, step);
    return update(name);
  };
  return pairedTimes(rounds, side(peer), side(rule));
}
