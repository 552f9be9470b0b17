import type { Fact } from '../../environments/descriptor.ts';
import type { RegisteredEnvironment } from '../../environments/registry.ts';
import type { Trajectory } from '../../rollouts/rolloutBatch.ts';
import { ending, LAST } from '../statistics.ts';
import type { ComparedEnvironment, Measure, SpreadColumn } from './compared.ts';
import { curveOf } from './findings.ts';

/** Episodes of one batch of an evaluation; the most that a trainer's buffers hold. */
const BATCH = 256;

/**
 * Comparisons in an environment that nothing else is said of here: the facts that its folder counts, at the end of
 * training and in episodes of the trained policy. No paper claims anything of it.
 */
export function factsCompared({ name, facts, count, offered, heldOut }: RegisteredEnvironment): ComparedEnvironment {
  const split = heldOut.length > 0 ? 'held-out' : 'train';
  const measure: Measure = async (trainer, { measuring }, signal) => {
    const played: Trajectory[] = [];
    for (let done = 0; done < measuring.episodes && !signal?.aborted; done += BATCH) {
      const batch = await trainer.evaluate(Math.min(BATCH, measuring.episodes - done), split, done / BATCH);
      played.push(...batch.trajectories);
    }
    return { episodes: played.length, ...count?.(played) };
  };
  const columns = facts.flatMap((fact) => [measured(fact), endOf(fact)]);
  return {
    environment: name,
    standard: { arms: offered.slice(0, 3), seeds: 3, steps: 60 },
    measuring: { episodes: { help: 'Episodes to measure each policy on.', min: 1, max: 100_000, default: 512 } },
    ownSampling: false,
    baseOnce: false,
    freshWarmStart: false,
    measureBase: measure,
    measure,
    columns: () => columns,
    drawing: {
      panels: facts
        .filter(({ format }) => format === 'share')
        .slice(0, 2)
        .map(({ name: metric, label: title, help: note }) => ({ metric, title, note })),
      window: 1,
      titles: true,
      styles: {},
    },
    notes: ({ steps, measuring }) => [
      `Mean ± sample deviation over seeds, ${steps} updates a run. All runs start from the same policy; the arms of a ` +
        'seed differ in what their names say alone.',
      `Measured: ${measuring.episodes} episodes without learning, after the last update, ` +
        `${split === 'train' ? 'of the same tasks, because there are no others' : 'of held-out tasks'}. ` +
        `Training: mean over the last ${LAST} updates.`,
    ],
    verdicts: () => [],
    examples: [`--environment ${name} --rules ${offered.slice(0, 3).join()} --seeds 3 --steps 60`],
  };
}

/** A fact of the trained policy's episodes, and of those of the policy that runs start from. */
function measured({ name, label, format }: Fact): SpreadColumn {
  return {
    ...{ name, title: `${label}, measured`, format },
    of: ({ heldOut }) => heldOut[name] ?? NaN,
    base: (of) => of[name] ?? NaN,
  };
}

function endOf({ name, label, format }: Fact): SpreadColumn {
  return { name: `${name}:end`, title: `${label}, training`, format, of: (run) => ending(curveOf(run, name)) };
}
