import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineDevice } from '../../engine/engine.ts';
import { writeCheckpoint } from '../../engine/shared.ts';
import { bestOfAll, imitated, sampledAttempts } from '../../experiments/expertIteration/expertIterations.ts';
import { CHILDREN, evaluateScaffold } from '../../experiments/scaffolds/evaluateScaffolds.ts';
import type { ScaffoldName } from '../../experiments/scaffolds/scaffold.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { finished, readRewardModel, writeRewardModel } from '../../training/rewardModel/rewardModelFile.ts';
import { type Attempt, type Expert, passesAll, relabelled } from '../../training/run/imitation.ts';
import { Trainer } from '../../training/run/trainer.ts';
import { trainedOn } from '../compare/starts.ts';
import { Interrupted, reason, UsageError } from '../framework/errors.ts';
import { version } from '../framework/installation.ts';
import { type LoadedPolicy, readPolicy, show } from '../framework/policyFiles.ts';
import { type Terminal, withStoppableProgress } from '../framework/terminal.ts';
import type { OpenWorld } from '../framework/worldRuns.ts';
import type { Output } from '../output/outputs.ts';

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
  const attempts = await withStoppableProgress(terminal, 'problem', 'rollouts', (onProgress) =>
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
  const losses = await withStoppableProgress(terminal, 'imitation', '', (report) =>
    imitated(trainer, start.state, examples, plan, (step, of, loss) => report(step, of, `loss ${loss.toFixed(3)}`)),
  );
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
    withStoppableProgress(terminal, `${name}${verifier ? ', verifier' : ''}`, note, async (progress) => {
      const run = await evaluateScaffold(trainer.measurer, name, {
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

// Folder of an expert iteration: the requested settings, the results, and the programs, verifier and policy of each
// iteration. Existing files are reused.

/** Settings that determine all files of a folder. */
export interface ExpertPlan {
  readonly settings: ParameterValues;
  /** SHA-256 of the policy from which each iteration trains, and of a provided verifier. */
  readonly start: string;
  readonly verifier?: string;
  readonly expert: Expert;
  readonly samples: number;
  readonly turns: number;
  readonly temperature: number;
  readonly verifierSteps: number;
  readonly epochs: number;
  readonly learningRate: number;
  readonly seed: number;
  /** Size of the measurement: episodes per held-out problem, problems (0 for all), programs per search. */
  readonly episodes: number;
  readonly problems: number;
  readonly budget: number;
}

/** Shares of held-out problems that are solved according to hidden tests, 0 to 1. */
export interface SolvedRates {
  /** Share solved by the first program, and by the last program of attempts with feedback. */
  readonly first: number;
  readonly last: number;
  /**
   * Share solved by the best of several independent programs, selected by visible tests, or by these and then the
   * verifier.
   */
  readonly byTests: number;
  readonly byVerifier: number;
}

/** Results of an iteration. */
export interface IterationRow {
  /** Number of programs sampled in this iteration, and the share of them that pass all tests. */
  readonly programs: number;
  readonly right: number;
  /** Number of training problems with a best program so far, and the share of these programs that pass all tests. */
  readonly problems: number;
  readonly bestRight: number;
  /** Number of relabelled turns, including earlier iterations. */
  readonly examples: number;
  /** Mean imitation loss of the first and the last ten steps [nats]. */
  readonly loss: readonly [number, number];
  /** Rates of the sampled policy and of the trained policy, both with the verifier of this iteration. */
  readonly before: SolvedRates;
  readonly after: SolvedRates;
}

/** Content of expert-iteration.json. */
export interface ExpertState {
  readonly plan: ExpertPlan;
  readonly iterations: readonly IterationRow[];
}

/** Returns the files of a folder, by their names in messages and outputs. */
export function expertFiles(folder: string, iterations: number): Readonly<Record<string, string>> {
  const numbers = Array.from({ length: iterations }, (_, index) => index + 1);
  const entries = numbers.flatMap((number) =>
    [`attempts-${number}.jsonl`, `verifier-${number}.safetensors`, `policy-${number}.safetensors`].map((name) => [
      name.split('.')[0],
      join(folder, name),
    ]),
  );
  return { state: join(folder, 'expert-iteration.json'), ...Object.fromEntries(entries) };
}

/**
 * Creates the folder if it does not exist, and reads the state of the iteration.
 * @throws {UsageError} if the folder has foreign files or the files of another plan
 */
export function openExpertFolder(folder: string, files: Readonly<Record<string, string>>, plan: ExpertPlan) {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`--out: the folder ${folder} cannot be created (${reason(error)})`);
  }
  if (!existsSync(files.state)) {
    const foreign = Object.values(files).find((file) => existsSync(file));
    if (foreign === undefined) return { plan, iterations: [] };
    throw new UsageError(`--out: ${show(foreign)} exists without ${show(files.state)}; use another folder`);
  }
  const state = readState(files.state);
  const known = state.plan as unknown as Readonly<Record<string, unknown>>;
  const changed = Object.entries(plan).find(([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name]));
  const removed = Object.keys(known).find((name) => !(name in plan));
  const differs = changed?.[0] ?? removed;
  if (differs === undefined) return state;
  const formatValue = (value: unknown) => JSON.stringify(value) ?? 'none';
  throw new UsageError(
    `--out: ${show(files.state)} has another "${differs}" (${formatValue(known[differs])}, not ` +
      `${formatValue((plan as unknown as typeof known)[differs])}); use another folder`,
  );
}

function readState(file: string): ExpertState {
  try {
    const state = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof state.plan === 'object' && state.plan && Array.isArray(state.iterations)) return state;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new UsageError(`--out: ${show(file)} cannot be read (${reason(error)})`);
  }
  throw new UsageError(`--out: ${show(file)} is not a state file of expert-iteration; use another folder`);
}

/** Formats attempts as lines of JSON. */
export function attemptLines(attempts: readonly Attempt[]): string {
  const line = ({ task, score, before, written, tokens }: Attempt) =>
    `${JSON.stringify({ task, score, before, written, tokens })}\n`;
  return attempts.map(line).join('');
}

/**
 * Reads attempts from lines of JSON.
 * @throws {UsageError} with the file and the line
 */
export function readAttempts(file: string): readonly Attempt[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line, index) => {
    try {
      const read: Attempt = JSON.parse(line);
      const lists = [read.before, read.written, read.tokens];
      const isValid = lists.every((tokens) => tokens.length > 0 && tokens.every(Number.isInteger));
      if (isValid && Number.isInteger(read.task) && read.score >= 0 && read.score <= 1) return read;
    } catch {
      // The error is reported below, like any other error in the line.
    }
    throw new UsageError(`${show(file)}, line ${index + 1}: not an attempt; remove the file to make it again`);
  });
}
