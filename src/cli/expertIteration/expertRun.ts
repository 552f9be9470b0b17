import { existsSync, readFileSync } from 'node:fs';
import type { EngineDevice } from '../../engine/engine.ts';
import { writeCheckpoint } from '../../engine/shared.ts';
import { bestOfAll, imitated, sampledAttempts } from '../../experiments/expertIteration/expertSteps.ts';
import { CHILDREN, evaluateScaffold } from '../../experiments/scaffolds/evaluateScaffolds.ts';
import type { ScaffoldName } from '../../experiments/scaffolds/scaffold.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { type Attempt, passesAll, relabelled } from '../../training/expertIteration/relabel.ts';
import { finished, readRewardModel, writeRewardModel } from '../../training/rewardModel/rewardModelFile.ts';
import { Trainer } from '../../training/run/trainer.ts';
import { trainedOn } from '../framework/createRewardModel.ts';
import { Interrupted, UsageError } from '../framework/errors.ts';
import type { OpenWorld } from '../framework/openWorld.ts';
import { type LoadedPolicy, readPolicy, show } from '../framework/policyFiles.ts';
import { Progress, type Terminal } from '../framework/terminal.ts';
import { version } from '../framework/version.ts';
import type { Output } from '../output/outputs.ts';
import {
  attemptLines,
  type ExpertPlan,
  type ExpertState,
  type IterationRow,
  readAttempts,
  type SolvedRates,
} from './expertFolder.ts';

/** Inputs of the iterations. */
export interface Work {
  readonly configuration: RunConfiguration;
  readonly opened: OpenWorld;
  readonly start: LoadedPolicy;
  readonly plan: ExpertPlan;
  readonly outputs: Readonly<Record<string, Output>>;
  /** Provided verifier for all iterations. undefined if each iteration trains a verifier. */
  readonly given: ArrayBuffer | undefined;
  readonly terminal: Terminal;
}

/**
 * Runs the iterations that are not finished. Reuses the files of a stopped iteration.
 * @param count number of iterations, including the finished iterations
 * @returns the rows of all iterations
 * @throws {Interrupted} after Ctrl-C
 */
export async function iterations(
  device: EngineDevice,
  work: Work,
  state: ExpertState,
  count: number,
): Promise<readonly IterationRow[]> {
  const { outputs, opened, start, plan, terminal } = work;
  const rows = [...state.iterations];
  const attempts: Attempt[] = [];
  const saveState = () =>
    outputs.state.write(`${JSON.stringify({ plan, iterations: rows, version: version() }, null, 2)}\n`);
  if (rows.length === 0) await saveState();
  for (let number = 1; number <= count; number++) {
    if (rows.length >= count) break;
    if (rows.length >= number) {
      attempts.push(...readAttempts(outputs[`attempts-${number}`].file));
      continue;
    }
    terminal.err(`iteration ${number} of ${count}\n`);
    const policy = number === 1 ? start.state : readPolicy(opened.world.policy, ...policyFile(outputs, number - 1));
    let verifier: ArrayBuffer | undefined;
    const { seed, controls } = work.configuration;
    // The searches use the reward model of the environment, so the verifier of the iteration replaces it.
    const loadRewardModel = async () => verifier as ArrayBuffer;
    const trainer = await Trainer.create(device, opened.environment, seed, controls, undefined, {
      ...opened,
      loadRewardModel,
    });
    try {
      trainer.load(policy, 0);
      const newAttempts = await sampled(trainer, number, work);
      attempts.push(...newAttempts);
      trainer.load(start.state, 0);
      verifier = work.given ?? (await trainedVerifier(trainer, attempts, number, work));
      const chosen = await best(trainer, attempts, verifier, work);
      trainer.load(policy, 0);
      const before = await solved(trainer, work, 'before');
      const examples = relabelled(attempts, chosen);
      const loss = await taught(trainer, examples, number, work);
      const after = await solved(trainer, work, 'after');
      rows.push({
        ...{ programs: newAttempts.length, right: shareOf(newAttempts) },
        ...{ problems: chosen.size, bestRight: shareOf([...chosen.values()]) },
        ...{ examples: examples.length, loss, before, after },
      });
      await saveState();
    } finally {
      trainer.destroy();
    }
  }
  return rows.slice(0, count);
}

function policyFile(outputs: Work['outputs'], number: number): [data: ArrayBuffer, file: string] {
  const { file } = outputs[`policy-${number}`];
  if (!existsSync(file)) throw new UsageError(`--out: ${show(file)} is missing; use another folder`);
  return [new Uint8Array(readFileSync(file)).buffer, file];
}

const shareOf = (attempts: readonly Attempt[]) => attempts.filter(passesAll).length / attempts.length;

/** Returns the programs of an iteration. Reads them from the file of a stopped iteration if the file exists. */
async function sampled(trainer: Trainer, number: number, { plan, outputs, terminal }: Work) {
  const output = outputs[`attempts-${number}`];
  if (existsSync(output.file)) return readAttempts(output.file);
  const attempts = await withProgress(terminal, 'problem', 'rollouts', (onProgress) =>
    sampledAttempts(trainer, number, plan, onProgress),
  );
  await output.write(attemptLines(attempts));
  return attempts;
}

/** Returns the verifier of an iteration as a file. Continues the training of a stopped verifier. */
async function trainedVerifier(
  trainer: Trainer,
  attempts: readonly Attempt[],
  number: number,
  { plan, configuration: { environment, settings }, outputs, terminal }: Work,
): Promise<ArrayBuffer> {
  const { config } = trainer.engine;
  const output = outputs[`verifier-${number}`];
  const saved = existsSync(output.file)
    ? { file: new Uint8Array(readFileSync(output.file)).buffer, model: undefined }
    : undefined;
  const model = saved && readRewardModel(config, saved.file);
  if (saved && model?.progress.centre !== null) return saved.file;
  const { verifierSteps: steps, samples, seed } = plan;
  const requested = { steps, pairs: 0, samples, seed, noise: 0, bias: 0 };
  const trained = await trainedOn(trainer, attempts, requested, terminal, model);
  const metadata = { environment, settings: JSON.stringify(settings), version: version() };
  const file = writeRewardModel(config, trained.model, metadata);
  await output.write(file);
  if (trained.model.progress.centre === null) throw new Interrupted();
  return file;
}

/**
 * Returns the best program of each problem, selected by the expert of the plan.
 * @throws {UsageError} if no problem has a program
 */
async function best(trainer: Trainer, attempts: readonly Attempt[], verifier: ArrayBuffer, { plan: { expert } }: Work) {
  const model = finished(readRewardModel(trainer.engine.config, verifier));
  const selected = await bestOfAll(trainer, attempts, model, expert);
  if (selected.size > 0) return selected;
  throw new UsageError(
    '--expert tests: no program passes all tests, so there is no program to imitate; use more --samples',
  );
}

/**
 * Trains the warm start on the examples and writes the policy.
 * @returns mean loss of the first and the last steps [nats]
 */
async function taught(
  trainer: Trainer,
  examples: ReturnType<typeof relabelled>,
  number: number,
  { plan, configuration: { environment, settings }, start, outputs, terminal }: Work,
): Promise<[first: number, last: number]> {
  let progress: Progress | undefined;
  const onProgress = (_: number, of: number, loss: number) => {
    if (terminal.signal.aborted) throw new Interrupted();
    progress ??= new Progress(terminal, of);
    progress.advance('imitation', `loss ${loss.toFixed(3)}`);
  };
  const losses = await imitated(trainer, start.state, examples, plan, onProgress).finally(() => progress?.close());
  const { parameters } = await trainer.engine.readState();
  const metadata = { environment, settings: JSON.stringify(settings), version: version() };
  await outputs[`policy-${number}`].write(writeCheckpoint(trainer.engine.config, { parameters }, metadata));
  return losses;
}

/** Measures the shares of held-out problems that the current policy solves. The draws are the same before and after. */
async function solved(trainer: Trainer, { plan, terminal }: Work, note: string): Promise<SolvedRates> {
  const { controls } = trainer;
  const { episodes: samples, problems, turns, budget } = plan;
  const [temperature, topP, topK] = ['temperature', 'topP', 'topK'].map((name) => controls[name] as number);
  const under = (name: ScaffoldName, programs: number, verifier: boolean) =>
    withProgress(terminal, `${name}${verifier ? ', verifier' : ''}`, note, async (progress) => {
      const run = await evaluateScaffold(trainer, name, {
        ...{
          split: 'held-out',
          samples,
          sampling: { temperature, topP, topK },
          ...(problems ? { tasks: problems } : {}),
        },
        ...{ budget: programs, children: CHILDREN, verifier, signal: terminal.signal, progress },
      });
      if (!run) throw new Interrupted();
      return run.solved;
    });
  const refined = await under('refine', turns, false);
  const byTests = await under('best-of-n', budget, false);
  const byVerifier = await under('best-of-n', budget, true);
  return {
    ...{ first: refined[0], last: refined[refined.length - 1] },
    ...{ byTests: byTests[byTests.length - 1], byVerifier: byVerifier[byVerifier.length - 1] },
  };
}

/**
 * Shows the progress of some work on the terminal.
 * @param work calls `onProgress` with the number of finished parts and their total
 * @throws {Interrupted} after Ctrl-C
 */
async function withProgress<Result>(
  terminal: Terminal,
  label: string,
  note: string,
  work: (onProgress: (done: number, of: number) => void) => Promise<Result>,
): Promise<Result> {
  let progress: Progress | undefined;
  let before = 0;
  try {
    return await work((done, of) => {
      if (terminal.signal.aborted) throw new Interrupted();
      progress ??= new Progress(terminal, of);
      for (; before < done; before++) progress.advance(label, note);
    });
  } finally {
    progress?.close();
  }
}
