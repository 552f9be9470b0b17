import type { ImageParts } from '../guest/image.ts';
import { type HostToWorkerMessage, MAX_MESSAGE_PROGRAMS, type SandboxRequest } from '../protocol.ts';
import type { LimitKind, Limits, Outcome, PythonError, SandboxProgram, Value } from '../types.ts';

/** Worker with a Python interpreter, in the browser or in Node. */
export interface WorkerHandle {
  post(message: HostToWorkerMessage): void;
  /** Ends the worker immediately, also during a program. */
  end(): void;
}

export interface WorkerEvents {
  /** Receives each message of the worker, which is not trusted. */
  message(message: unknown): void;
  /** Called if the worker ends without a call of `WorkerHandle.end`. */
  end(reason: string): void;
}

/** Source of workers, for the browser or for Node. */
export interface WorkerSource {
  /** Number of workers that the machine can run in parallel. */
  readonly workers: number;
  open(events: WorkerEvents): Promise<WorkerHandle>;
  /** Loads the parts of the interpreter, once. */
  parts(): Promise<ImageParts>;
}

/** Started worker that runs programs in sequence. */
export class SandboxWorker {
  readonly ready: Promise<void>;
  ended = false;
  onMessage: (message: unknown) => void = () => {};
  onEnd: (reason: string) => void = () => {};
  private worker: WorkerHandle | undefined;

  constructor(host: WorkerSource) {
    this.ready = new Promise((resolve, reject) => {
      const lose = (reason: string) => {
        if (this.ended) return;
        this.end();
        reject(new Error(`the Python worker ended: ${reason}`));
        this.onEnd(reason);
      };
      let receive = (message: unknown) => {
        try {
          const { failed } = readStart(message);
          if (failed !== undefined) throw new Error(failed);
          receive = (next) => this.onMessage(next);
          resolve();
        } catch (error) {
          this.end();
          reject(error);
        }
      };
      // Messages of a worker that was ended are ignored.
      const opened = host.open({ message: (message) => this.ended || receive(message), end: lose });
      opened.then(
        (worker) => {
          this.worker = worker;
          if (this.ended) worker.end();
        },
        () => {},
      );
      Promise.all([opened, host.parts()]).then(
        ([worker, parts]) => this.ended || worker.post({ type: 'boot', ...parts }),
        (error) => lose(String(error)),
      );
    });
    this.ready.catch(() => {});
  }

  /** @param programs programs of one message, at most MAX_MESSAGE_PROGRAMS */
  run(programs: readonly SandboxRequest[]): void {
    this.worker?.post({ type: 'run', programs });
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.worker?.end();
  }
}

/** Error for an invalid message of a worker. The interpreter's code never sends such a message. */
export class NotAMessage extends Error {}

/** Maximum depth of a value. It exceeds the limit of the worker (guest/marshal.ts). */
const DEPTH = 60;
/** Maximum length of a text that describes an outcome [characters]. */
const MAX_TEXT = 1_000;
const LIMIT_KINDS: readonly string[] = ['fuel', 'time', 'memory', 'stack', 'source', 'result'] satisfies LimitKind[];
/** Characters that count as one element of a result, and tolerance, because worker and host count differently. */
const CHARACTERS_AN_ELEMENT = 64;
const MARGIN = 100;

type Fields = Readonly<Record<string, unknown>>;

function fail(message: string): never {
  throw new NotAMessage(message);
}

function fields(value: unknown, ...names: string[]): Fields {
  if (typeof value !== 'object' || value === null) fail('it is no object');
  if (Reflect.getPrototypeOf(value) !== Object.prototype) fail('it is no plain object');
  for (const key of Reflect.ownKeys(value)) if (!names.includes(key as string)) fail(`it has a field ${String(key)}`);
  return value as Fields;
}

function text(value: unknown, maximum: number): string {
  if (typeof value !== 'string' || value.length > maximum) fail('a text is missing or too long');
  return value;
}

function list(value: unknown, maximum: number): readonly unknown[] {
  if (!Array.isArray(value) || value.length > maximum) fail('a list is missing or too long');
  return value;
}

/** Reads the first message of a worker: it is ready, or the reason why it failed to start. */
function readStart(message: unknown): { readonly failed?: string } {
  const { type, message: reason } = fields(message, 'type', 'message');
  if (type === 'ready') return {};
  return type === 'failed' ? { failed: text(reason, MAX_TEXT) } : fail('it is of no known type');
}

/** Returns the unread answers of a message. @throws {NotAMessage} for an invalid message, with the reason */
export function readAnswers(message: unknown): readonly unknown[] {
  const { type, answers } = fields(message, 'type', 'answers');
  if (type !== 'answers') fail('it is of no known type');
  const all = list(answers, MAX_MESSAGE_PROGRAMS);
  return all.length > 0 ? all : fail('it answers nothing');
}

/**
 * Reads the outcomes that a worker reports for a program. They are copied field by field, so that no object of the
 * message is retained.
 * @param nonce nonce of the program
 * @throws {NotAMessage} for an invalid answer, with the reason
 */
export function readReport(answer: unknown, nonce: string, program: SandboxProgram): Outcome[] {
  const { nonce: given, report } = fields(answer, 'nonce', 'report');
  if (given !== nonce) fail('the nonce does not match the request');
  const outcomes = list(fields(report, 'outcomes').outcomes, program.inputs.length);
  if (outcomes.length !== program.inputs.length) fail('it answers for some of the inputs only');
  return Array.from(outcomes, (outcome) => readOutcome(outcome, program.limits));
}

function readOutcome(given: unknown, limits: Limits): Outcome {
  const { kind, value, error, limit, reason, output, fuel } = fields(
    given,
    ...['kind', 'value', 'error', 'limit', 'reason', 'output', 'fuel'],
  );
  if (typeof fuel !== 'number' || !(fuel >= 0 && fuel <= limits.fuel)) fail('its fuel is no number that may be');
  const common = { output: text(output, limits.output), fuel };
  switch (kind) {
    case 'value':
      return { kind, value: new Values(limits.result + MARGIN).read(value), ...common };
    case 'error':
      return { kind, error: readError(error), ...common };
    case 'limit':
      if (!LIMIT_KINDS.includes(limit as string)) fail('it names no limit');
      return { kind, limit: limit as LimitKind, ...common };
    case 'violation':
      return { kind, reason: text(reason, MAX_TEXT), ...common };
    default:
      return fail('an outcome is of no known kind');
  }
}

function readError(given: unknown): PythonError {
  const { type, message, line } = fields(given, 'type', 'message', 'line');
  const error = { type: text(type, MAX_TEXT), message: text(message, MAX_TEXT) };
  if (line === undefined) return error;
  if (!Number.isSafeInteger(line) || (line as number) < 1) fail('a line is no number');
  return { ...error, line: line as number };
}

/** Copies a value with a maximum number of elements. */
class Values {
  constructor(private left: number) {}

  read(given: unknown, depth = 0): Value {
    if (--this.left < 0 || depth > DEPTH) fail('a value is too large or too deep');
    if (given === null || typeof given === 'boolean' || typeof given === 'bigint') return given;
    if (typeof given === 'number') return Number.isSafeInteger(given) ? given : fail('an int is none');
    if (typeof given === 'string') {
      this.left -= Math.floor(given.length / CHARACTERS_AN_ELEMENT);
      return this.left < 0 ? fail('a text is too long') : given;
    }
    if (Array.isArray(given)) return this.items(given, depth);
    const { float, tuple, set, dict, typeName } = fields(given, 'float', 'tuple', 'set', 'dict', 'typeName');
    if (Reflect.ownKeys(given as object).length !== 1) fail('a value is of two kinds');
    if (typeof float === 'number') return { float };
    if (tuple !== undefined) return { tuple: this.items(tuple, depth) };
    if (set !== undefined) return { set: this.items(set, depth) };
    if (dict !== undefined) return { dict: list(dict, this.left).map((pair) => this.pair(pair, depth)) };
    return { typeName: text(typeName, MAX_TEXT) };
  }

  private items(given: unknown, depth: number): Value[] {
    return Array.from(list(given, this.left), (item) => this.read(item, depth + 1));
  }

  private pair(given: unknown, depth: number): [Value, Value] {
    const [key, value] = list(given, 2);
    return [this.read(key, depth + 1), this.read(value, depth + 1)];
  }
}
