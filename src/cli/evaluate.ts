import { createSearchEnvironment } from '../environments/search/environment.ts';
import { evaluate } from '../experiments/rates.ts';
import { CONTROLS, SEED, SETTINGS } from '../training/tables.ts';
import { Trainer } from '../training/trainer.ts';
import { defineCommand } from './command.ts';
import { CONTROL_SECTIONS, readConfiguration, SETTING_SECTIONS, setFlag } from './configurationFlags.ts';
import { withGpu } from './device.ts';
import { EXIT, Interrupted } from './errors.ts';
import { loadPolicy } from './files.ts';
import { choice, number, text, whole } from './flags.ts';

/** Plays tasks without learning and prints what share did what. */
export const evaluateCommand = defineCommand({
  name: 'evaluate',
  summary: 'measure a checkpoint without training',
  description:
    'Lets a policy play tasks once each, without learning, and prints its rates as JSON. Shares are over the episodes; ' +
    'entropy is in nats, over the tokens that the policy wrote.',
  flags: {
    checkpoint: text('FILE', 'A checkpoint, or a run kept by train --save; without it, the warm start of the world.'),
    split: choice(
      'Questions to ask: those of training, or those never asked there.',
      ['train', 'held-out'],
      'held-out',
    ),
    episodes: whole('Episodes to play.', { min: 1, max: 100_000, default: 512 }),
    seed: number(SEED),
    set: setFlag([...SETTINGS, ...CONTROLS]),
  },
  parameters: [...CONTROL_SECTIONS, ...SETTING_SECTIONS],
  examples: ['--split train', '--checkpoint kept.json --split held-out --episodes 1024'],
  async run({ flags, parameters }, terminal) {
    const { settings, controls, seed } = readConfiguration(flags, parameters);
    const { state, file } = loadPolicy(settings, flags.checkpoint);
    return withGpu(terminal, async (gpu) => {
      const trainer = await Trainer.create(gpu, createSearchEnvironment(settings), seed, controls);
      trainer.load(state, 0);
      const measured = await evaluate(trainer, flags.episodes, flags.split, terminal.signal);
      if (terminal.signal.aborted) throw new Interrupted();
      terminal.out(`${JSON.stringify({ checkpoint: file, split: flags.split, seed, ...measured }, null, 2)}\n`);
      return EXIT.done;
    });
  },
});
