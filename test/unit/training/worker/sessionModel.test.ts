import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import type { Command, SavedRun } from '../../../../src/training/data/protocol.ts';
import { FakeWorld, type OperationEffects } from '../../../fakeRuns.ts';

/** Number of command sequences. `SESSION_RUNS=20000 npm run test:unit -- sessionModel` uses more and another seed. */
const RUNS = Number(process.env.SESSION_RUNS ?? 200);
const SEED = process.env.SESSION_RUNS ? undefined : 12;
/** Time in which all work in progress ends, regardless of the number of lost devices [ms]. */
const LONG = 20_000;

/** Expected state of a session after some commands. */
interface Model {
  started: boolean;
  isTraining: boolean;
  hidden: boolean;
  /** Seed of the run that was requested last; each start has a different seed. */
  seed: number;
  /** Learning rate that the user expects; each change has a different rate. */
  rate: number;
  /**
   * Number of single steps that were requested since the run began; undefined after it played, or if it began from a
   * saved run.
   */
  steps: number | undefined;
  /** Rates that were requested for the runs of each seed. */
  readonly requestedSteps: Map<number, Set<number>>;
  /** Number of messages at the last start of any kind (`from`), and at the last full start (`fullFrom`). */
  from: number;
  fullFrom: number;
  measured: number;
}

interface Real {
  readonly world: FakeWorld;
  /** Stops all further errors. */
  calm(): void;
}

type ModelCommand = fc.AsyncCommand<Model, Real>;

const RATE = defaultConfiguration().controls.learningRate as number;

function play(name: string, run: (model: Model, real: Real) => void | Promise<void>): ModelCommand {
  return { check: () => true, run: async (model, real) => run(model, real), toString: () => name };
}

/** Returns a command that is sent after the model is updated for it. */
function sending(command: Command, learn: (model: Model) => void = () => {}): ModelCommand {
  return play(JSON.stringify(command), (model, { world }) => {
    learn(model);
    world.send(command);
  });
}

let next = 1;
function begin(model: Model, { world }: Real, isTraining: boolean, saved?: SavedRun): void {
  const seed = next++;
  const from = world.messages.length;
  const configuration = { ...defaultConfiguration(), seed };
  Object.assign(model, {
    started: true,
    isTraining,
    seed,
    rate: RATE,
    steps: isTraining ? undefined : 0,
    from,
    fullFrom: from,
  });
  model.requestedSteps.set(seed, new Set());
  const stored = saved && { ...saved, configuration };
  if (stored) {
    model.steps = undefined;
    model.rate = Number.NaN;
    for (const { changes } of stored.events) model.requestedSteps.get(seed)?.add(changes.learningRate as number);
  }
  world.send({ type: 'start', configuration, play: isTraining, ...(stored ? { saved: stored } : {}) });
}

const warmStart = play('warm-start', (model, { world }) => {
  if (!model.started) return;
  model.from = world.messages.length;
  Object.assign(model, { isTraining: false, steps: 0 });
  world.send({ type: 'warm-start' });
});

const COMMANDS: fc.Arbitrary<ModelCommand>[] = [
  fc.boolean().map((isTraining) => play(`start ${isTraining}`, (model, real) => begin(model, real, isTraining))),
  fc
    .boolean()
    .map((isTraining) =>
      play(`start ${isTraining}, saved`, (model, real) =>
        begin(model, real, isTraining, real.world.of('checkpoint').at(-1)?.saved),
      ),
    ),
  fc.constant(warmStart),
  fc.constant(sending({ type: 'play' }, (model) => Object.assign(model, { isTraining: true, steps: undefined }))),
  fc.constant(sending({ type: 'pause' }, (model) => Object.assign(model, { isTraining: false }))),
  fc.constant(
    play('step', (model, { world }) => {
      if (!model.started) return;
      Object.assign(model, { isTraining: false, steps: model.steps === undefined ? undefined : model.steps + 1 });
      world.send({ type: 'step' });
    }),
  ),
  fc.constant(
    play('change', (model, { world }) => {
      if (!model.started) return;
      const rate = (next++ % 9000) * 1e-6;
      model.rate = rate;
      model.requestedSteps.get(model.seed)?.add(rate);
      world.send({ type: 'change', changes: { learningRate: rate } });
    }),
  ),
  fc.constant(play('save', (model, { world }) => (model.started ? world.send({ type: 'save' }) : undefined))),
  fc.constant(play('sample', (model, { world }) => (model.started ? world.send({ type: 'sample' }) : undefined))),
  fc.nat(3).map((group) => sending({ type: 'show', group })),
  fc.constantFrom(1, 5, 20, null).map((updatesPerSecond) => sending({ type: 'pace', updatesPerSecond })),
  fc.boolean().map((hidden) => sending({ type: 'visibility', hidden }, (model) => Object.assign(model, { hidden }))),
  fc.constant(sending({ type: 'cancel-truth' })),
  fc.constant(
    play('measure', (model, { world }) => {
      model.measured++;
      const request = {
        rules: [],
        continuations: 8,
        gradientGroups: 0,
        counts: { kind: 'outcome', gamma: 1, bonus: 0 },
      };
      world.send({ type: 'measure-truth', request } as Command);
    }),
  ),
  fc.constant(play('lose', (_, { world }) => world.gpus.at(-1)?.lose())),
  fc.constant(
    play('not finite', (_, { world }) => {
      world.notFinite = 'metrics';
    }),
  ),
  fc
    .constantFrom(0, 1, 3, 10, 40, 150, 700)
    .map((time) => play(`${time} ms`, (_, { world }) => world.clock.advance(time))),
];

/** Waits until all work has ended, and checks that the remaining state is the requested state. */
async function settle(model: Model, real: Real): Promise<void> {
  const { world } = real;
  real.calm();
  world.notFinite = undefined;
  // Measurements and warm starts wait while the tab is hidden.
  world.send({ type: 'visibility', hidden: false });
  await world.clock.advance(LONG);
  world.send({ type: 'visibility', hidden: model.hidden });
  await world.clock.advance(LONG);
  expect(world.maximumLive).toBeLessThanOrEqual(1);
  expect(world.maximumOpen).toBeLessThanOrEqual(1);
  for (const { destroyed } of world.runs) expect(destroyed).toBeLessThanOrEqual(1);
  const listStatuses = (from: number) =>
    world.messages.slice(from).map((message) => message.type === 'status' && message.status);
  if (model.started) {
    if (world.status === 'stopped') {
      expect(world.of('problem').some(({ problem }) => problem.recovery !== 'automatic')).toBe(true);
    } else {
      expect(world.status).toBe(model.isTraining ? (model.hidden ? 'hidden' : 'playing') : 'paused');
      expect(world.live.map(({ configuration }) => configuration.seed)).toEqual([model.seed]);
      const [run] = world.live;
      if (!listStatuses(model.fullFrom).includes('stopped')) {
        if (!Number.isNaN(model.rate)) expect(run.trainer.controls.learningRate).toBe(model.rate);
        if (model.steps !== undefined && !listStatuses(model.from).includes('stopped'))
          expect(run.step).toBe(model.steps);
      }
    }
  }
  // Every change of a run was requested for this run.
  for (const { configuration, events } of world.runs) {
    const requested = model.requestedSteps.get(configuration.seed);
    for (const { changes } of events.filter(({ kind }) => kind === 'change'))
      expect(requested).toContain(changes.learningRate);
  }
  expect(world.of('truth')).toHaveLength(model.measured);
  checkSubmitted(world);
  await answers(model, world);
}

/** Checks that the page has the last checkpoint of each run that was left, unless its device was lost. */
function checkSubmitted(world: FakeWorld): void {
  for (const run of world.runs) {
    if (run.destroyed === 0 || run.gpu.lostByItself) continue;
    const { seed } = run.configuration;
    const hasStopped = run.events.some(({ kind }) => kind === 'stopped');
    if (hasStopped || run.step === 0) continue;
    const last = world
      .of('checkpoint')
      .findLast(({ saved }) => saved.configuration.seed === seed && saved.step === run.step);
    if (world.updates.some((update) => update.run === run)) expect(last?.saved.step).toBe(run.step);
  }
}

/** Checks that the session still executes requests, regardless of earlier events. */
async function answers(model: Model, world: FakeWorld): Promise<void> {
  if (!model.started || world.status === 'stopped') {
    world.send({ type: 'start', configuration: { ...defaultConfiguration(), seed: next++ }, play: false });
  } else world.send({ type: 'pause' });
  world.send({ type: 'visibility', hidden: false });
  await world.clock.advance(LONG);
  expect(world.status).toBe('paused');
  const [run] = world.live;
  const { step } = run;
  const count = world.of('checkpoint').length;
  world.send({ type: 'step' }, { type: 'save' });
  await world.clock.advance(LONG);
  expect(run.step).toBe(step + 1);
  expect(world.of('metrics').at(-1)?.metrics.step).toBe(step);
  expect(world.of('checkpoint').length).toBeGreaterThan(count);
  expect(world.of('checkpoint').at(-1)?.saved.step).toBe(step + 1);
  expect(world.status).toBe('paused');
}

/** Returns the durations and errors of operations, from values that were drawn in advance. */
function createFaults(
  times: readonly number[],
  strokes: readonly number[],
): { readonly effects: OperationEffects; calm(): void } {
  let [time, stroke, calm] = [0, 0, false];
  const effects: OperationEffects = {
    // An update takes some time, because otherwise time does not advance while a run plays.
    duration: (operation) =>
      calm
        ? operation === 'update'
          ? 400
          : 5
        : Math.max(operation === 'update' ? 1 : 0, times[time++ % times.length]),
    onComplete(operation, gpu) {
      const drawn = calm ? 0 : strokes[stroke++ % strokes.length];
      if (drawn === 1) gpu?.lose();
      if (drawn === 2 && (operation === 'open' || operation === 'make')) throw new Error(`cannot ${operation} it now`);
    },
  };
  return { effects, calm: () => (calm = true) };
}

test('a session has at most one run and loses no work under random commands, device losses, errors and delays', async () => {
  const stroke = fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(1, 2) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(0, 1, 5, 30, 90), { minLength: 1, maxLength: 20 }),
      fc.array(stroke, { minLength: 1, maxLength: 40 }),
      fc.commands(COMMANDS, { maxCommands: 40 }),
      async (times, strokes, commands) => {
        const { effects, calm } = createFaults(times, strokes);
        const world = new FakeWorld(effects);
        const model: Model = {
          ...{
            started: false,
            isTraining: false,
            hidden: false,
            seed: 0,
            rate: RATE,
            steps: 0,
            requestedSteps: new Map(),
          },
          ...{ from: 0, fullFrom: 0, measured: 0 },
        };
        const real = { world, calm };
        await fc.asyncModelRun(() => ({ model, real }), commands);
        await settle(model, real);
      },
    ),
    { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: SEED }) },
  );
}, 600_000);
