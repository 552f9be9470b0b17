import { defaultConfiguration } from '../../src/app/address/pageTables.ts';
import { RunModel } from '../../src/app/session/runModel.ts';
import type { EnvironmentName, RunConfiguration } from '../../src/training/data/configuration.ts';
import type { GroupView, Metrics, RunEvent } from '../../src/training/data/protocol.ts';
import { metricsOf } from '../unit/app/appFixtures.ts';

/** A name that is longer than all names of the project and has no line break opportunity. */
export const LONG_NAME = 'a-name-that-no-one-would-choose-and-that-some-file-will-have-all-the-same-0123456789';

/** Creates metrics of a search run that learns: smooth curves, and a held-out measurement at every tenth step. */
export function learning(steps: number): Metrics[] {
  return Array.from({ length: steps }, (_, step) => {
    const share = 1 - Math.exp((-3 * step) / steps);
    const wave = Math.sin(step / 3) / 20;
    return metricsOf(step, {
      toolUse: clamp(0.2 + 0.7 * share + wave),
      retrieval: clamp(0.1 + 0.75 * share - wave),
      answer: clamp(0.05 + 0.7 * share + wave / 2),
      format: clamp(0.9 + wave),
      rewardTurn: 0.3 * share + wave,
      rewardOutcome: share - 0.2,
      entropy: 1.4 - share,
      klReference: share / 4,
      gradientNorm: 1 + wave,
      degenerate: clamp(0.3 * share),
      heldOut: step % 10 === 0 ? { answer: clamp(0.65 * share) } : null,
      tokensPerSecond: 20_000,
    });
  });
}

const clamp = (value: number) => Math.min(1, Math.max(0, value));

/** Creates an event of a change by the user or by the schedule. */
export function change(step: number, changes: RunEvent['changes'], kind: RunEvent['kind'] = 'change'): RunEvent {
  return { step, kind, changes, text: JSON.stringify(changes) };
}

/** Events of a run in which the user changes many controls. */
export const MANY_CHANGES: readonly RunEvent[] = [
  change(12, { rule: 'grpo-or' }),
  change(14, { learningRate: 0.002 }),
  {
    step: 20,
    kind: 'recovered',
    changes: {},
    text: `The GPU device was lost; the run continues from step 18. ${LONG_NAME}`,
  },
  ...Array.from({ length: 12 }, (_, index) => change(22 + 7 * index, { rule: index % 2 ? 'murphy-mars' : 'mt-grpo' })),
];

interface Parts {
  readonly configuration?: RunConfiguration;
  readonly metrics?: readonly Metrics[];
  readonly events?: readonly RunEvent[];
  readonly group?: GroupView;
}

/** Returns a paused run of an environment that has received the messages of a worker. */
export function runOf(environment: EnvironmentName, { configuration, metrics = [], events = [], group }: Parts = {}) {
  const run = new RunModel(configuration ?? defaultConfiguration(environment));
  for (const row of metrics) run.apply({ type: 'metrics', metrics: row });
  for (const event of events) run.apply({ type: 'event', event });
  if (group) run.apply({ type: 'group', group });
  run.apply({ type: 'status', status: 'paused' });
  return run;
}
