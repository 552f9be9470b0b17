import type { Fact } from '../../environments/fact.ts';
import type { RegisteredEnvironment } from '../../environments/registry.ts';
import { ending, LAST } from '../statistics.ts';
import { type ComparedEnvironment, type Measure, measuredColumn, type SpreadColumn } from './compared.ts';
import { curveOf } from './findings.ts';
import { spreadNote } from './heldOutMeasuring.ts';
import { evaluateFacts } from './rates.ts';

/**
 * Comparisons in an environment that nothing else is said of here: the facts that its folder counts, at the end of
 * training and in episodes of the trained policy. No paper claims anything of it.
 */
export function factsCompared({ name, facts, offered, heldOut }: RegisteredEnvironment): ComparedEnvironment {
  const split = heldOut.length > 0 ? 'held-out' : 'train';
  const measure: Measure = (trainer, { measuring }, signal) =>
    evaluateFacts(trainer, measuring.episodes, split, signal);
  const columns = facts.flatMap((fact) => [
    measuredColumn(fact.name, `${fact.label}, measured`, fact.format),
    endOf(fact),
  ]);
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
    notes: (plan) => [
      spreadNote(plan),
      `Measured: ${plan.measuring.episodes} episodes without learning, after the last update, ` +
        `${split === 'train' ? 'of the same tasks, because there are no others' : 'of held-out tasks'}. ` +
        `Training: mean over the last ${LAST} updates.`,
    ],
    verdicts: () => [],
    examples: [`--environment ${name} --rules ${offered.slice(0, 3).join()} --seeds 3 --steps 60`],
  };
}

function endOf({ name, label, format }: Fact): SpreadColumn {
  return { name: `${name}:end`, title: `${label}, training`, format, of: (run) => ending(curveOf(run, name)) };
}
