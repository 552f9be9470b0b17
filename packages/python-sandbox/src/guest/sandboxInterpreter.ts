import { STACK } from '../moduleLayout.ts';
import type { LimitKind, Limits, Outcome, SandboxProgram, SandboxReport, Value } from '../types.ts';
import { Errors, raise } from './errors.ts';
import { boundStack, COMPILER_STACK, FuelMeter, type Moment, RUN_STACK } from './fuelMeter.ts';
import { ClosedImport, type HostImports, MemoryLimit } from './hostImports.ts';
import { type ImageParts, resume } from './image.ts';
import { type Interpreter, putInTable } from './interpreter.ts';
import { Marshal, TooLarge, UnhashableArgument } from './marshal.ts';
import { newText } from './memoryAccess.ts';
import { type PageSnapshot, Pages } from './pages.ts';
import { FILE_INPUT, type Prepared } from './prepare.ts';
import { World } from './world.ts';

/** Maximum work of compiling a program: twice the work for the longest list that fits into its source. */
const COMPILER_WORK = 200_000_000;
/** Maximum work of reading the output after a trap. */
const SALVAGE_WORK = 1_000_000;
const MESSAGE = 300;
/** Number of cached programs, which are the last programs requested, and maximum memory of each [bytes]. */
const MAX_SAVED = 4;
const MAX_SAVED_BYTES = 8 * 2 ** 20;

/** Returns true for the error of an overflow of the machine stack: a RangeError, or an InternalError in Firefox. */
export function isStackOverflow(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /^(RangeError.*call stack|InternalError.*too much recursion)/i.test(`${error.name}: ${error.message}`);
}

/** Program whose module code has been executed. */
interface StartedProgram {
  readonly entry: number;
  readonly moment: Moment;
  /** Number of printed characters and state of the random bytes at that time. */
  readonly printed: number;
  readonly drawn: number;
  /** Memory at that time; absent if the program is not cached. */
  readonly pages?: PageSnapshot;
}

/**
 * Python interpreter that runs programs in sequence. It restores its memory before each test: to the state before all
 * programs, or to the state after the module code if the program has several tests. A program therefore cannot affect
 * other programs.
 */
export class SandboxInterpreter {
  /** Memory with the state before all programs as initial state. */
  readonly pages: Pages;
  private readonly marshal: Marshal;
  private readonly errors: Errors;
  private readonly fuelMeter: FuelMeter;
  private readonly world: World;
  private readonly cache = new Map<string, StartedProgram>();

  static async start(parts: ImageParts): Promise<SandboxInterpreter> {
    const { python, hostImports } = await resume(parts);
    return new SandboxInterpreter(python, hostImports, parts.image.prepared, parts.image.memory);
  }

  constructor(
    private readonly python: Interpreter,
    readonly hostImports: HostImports,
    private readonly prepared: Prepared,
    base?: Uint8Array,
  ) {
    this.fuelMeter = new FuelMeter(python);
    // Programs cannot create code objects from bytes, because the interpreter does not verify bytecode.
    putInTable(python, prepared.createCode, 3, () => raise(python, 'TypeError', 'code is made by compile() alone'));
    this.marshal = new Marshal(python, prepared.blocks);
    this.errors = new Errors(python, this.marshal, prepared.attributeNames);
    this.world = new World(python, prepared.world);
    this.pages = new Pages(python.memory, python.mutableGlobals, base);
    python.mark = (at, size) => this.pages.mark(at, size);
  }

  /**
   * Runs a program with each of its inputs. The module code runs once. Each test starts from the state after this code,
   * including its fuel and its output, because the code is deterministic. Never throws because of a program.
   */
  run(program: SandboxProgram): SandboxReport {
    this.restore();
    const key = program.retain ? JSON.stringify([program.program, program.entry, program.limits]) : undefined;
    const cached = key === undefined ? undefined : this.cache.get(key);
    const started = cached ?? this.begin(program);
    if (cached?.pages) {
      this.world.begin(program.limits.output);
      this.pages.restorePages(cached.pages);
    }
    const { inputs, limits } = program;
    if ('kind' in started) return { outcomes: inputs.map(() => started) };
    if (key !== undefined) this.retain(key, started);
    const outcomes = inputs.map((input, i) => this.outcome(started, limits, input, cached !== undefined || i > 0));
    return { outcomes };
  }

  /** Executes the module code of a program. @returns outcome of all tests if the code fails */
  private begin({ program, entry: name, inputs, limits, retain }: SandboxProgram): StartedProgram | Outcome {
    if (program.length > limits.source) return limited('source', '', limits.fuel);
    try {
      const code = this.compile(program);
      if (code === 0) {
        const error = this.errors.describe(this.python._PyErr_GetRaisedException(), 0);
        return { kind: 'error', error, output: '', fuel: 0 };
      }
      this.world.begin(limits.output);
      this.fuelMeter.start(limits);
      const entry = this.define(code, name);
      if (entry === 0) return this.conclude(0, limits);
      const moment = this.fuelMeter.pause();
      if (inputs.length > 1 || retain) this.pages.retain();
      return { entry, moment, printed: this.world.printed, drawn: this.hostImports.drawn };
    } catch (error) {
      return this.broken(error, limits);
    }
  }

  /** Caches a started program as the most recent program. */
  private retain(key: string, started: StartedProgram): void {
    const pages = started.pages ?? this.pages.heldPages(MAX_SAVED_BYTES);
    if (pages === undefined) return;
    this.cache.delete(key);
    this.cache.set(key, { ...started, pages });
    const [oldest] = this.cache.keys();
    if (this.cache.size > MAX_SAVED && oldest !== undefined) this.cache.delete(oldest);
  }

  /** Restores the state before all programs. */
  restore(): void {
    this.fuelMeter.pause();
    this.pages.restore();
    this.hostImports.drawn = 1;
  }

  private outcome(started: StartedProgram, limits: Limits, input: readonly Value[], again: boolean): Outcome {
    const { python, fuelMeter, world, hostImports } = this;
    try {
      if (again) {
        this.pages.restoreHeld();
        hostImports.drawn = started.drawn;
        world.printed = started.printed;
      }
      const args = this.marshal.encode({ tuple: input });
      fuelMeter.resume(started.moment);
      return this.conclude(python._PyObject_Call(started.entry, args, 0), limits);
    } catch (error) {
      if (error instanceof UnhashableArgument) return this.conclude(0, limits);
      return this.broken(error, limits);
    }
  }

  /** Returns the outcome after a trap or an error of the interpreter. Its memory is restored later. */
  private broken(error: unknown, limits: Limits): Outcome {
    this.pages.distrust();
    const limit = this.limitOf(error);
    if (limit === 'stack') return limited(limit, '', limits.fuel);
    if (limit) return limited(limit, this.printed(), limits.fuel);
    const message = error instanceof Error ? error.message : String(error);
    const reason = error instanceof ClosedImport ? message : `broke the interpreter: ${message.slice(0, MESSAGE)}`;
    return { kind: 'violation', reason, output: '', fuel: 0 };
  }

  /** Returns the limit that caused an error; undefined if the interpreter is broken. */
  private limitOf(error: unknown): LimitKind | undefined {
    if (error instanceof MemoryLimit) return 'memory';
    if (this.fuelMeter.isOverworked) return 'fuel';
    if (this.python._emscripten_stack_get_current() < STACK.lowest) return 'stack';
    // The machine stack overflowed before the stack in memory.
    return isStackOverflow(error) ? 'stack' : undefined;
  }

  /** Returns the output before a trap, if the interpreter can still read it. */
  private printed(): string {
    this.fuelMeter.bound(SALVAGE_WORK);
    try {
      this.python._PyErr_Clear();
      return this.world.text();
    } catch {
      this.pages.distrust();
      return '';
    } finally {
      this.fuelMeter.pause();
    }
  }

  private compile(source: string): number {
    const { python } = this;
    const rejected = source.includes('\0') ? 'null bytes' : /\p{Surrogate}/u.test(source) ? 'lone surrogates' : '';
    if (rejected) return raise(python, 'ValueError', `source code string cannot contain ${rejected}`);
    const { filename, flags } = this.prepared;
    const text = newText(python, source);
    boundStack(python, COMPILER_STACK);
    this.fuelMeter.bound(COMPILER_WORK);
    const code = python._Py_CompileStringObject(text, filename, FILE_INPUT, flags, -1);
    this.fuelMeter.pause();
    boundStack(python, RUN_STACK);
    python._free(text);
    return code;
  }

  /** Ends a test. @param result object that the call returned; 0 if an exception is set */
  private conclude(result: number, limits: Limits): Outcome {
    const { python, fuelMeter, world } = this;
    const error = result === 0 ? python._PyErr_GetRaisedException() : 0;
    const described = error && this.errors.describe(error, world.globals);
    const fuel = fuelMeter.stop(limits);
    const output = world.text();
    // CPython rejects some sizes before it requests memory, with an empty message. Its parser raises MemoryError with a
    // message.
    if (described && described.type === 'MemoryError' && described.message === '')
      return limited('memory', output, limits.fuel);
    if (described) return { kind: 'error', error: described, output, fuel };
    try {
      return { kind: 'value', value: this.marshal.decode(result, limits.result), output, fuel };
    } catch (failure) {
      if (failure instanceof TooLarge) return limited('result', output, limits.fuel);
      throw failure;
    }
  }

  /** Executes the module code. @returns function or method to call; 0 if an exception is set */
  private define(code: number, entry: string): number {
    const { python } = this;
    const { globals } = this.world;
    if (python._PyEval_EvalCode(code, globals, globals) === 0) return 0;
    const [name, method] = entry.split('.');
    const definition = python._PyDict_GetItem(globals, this.marshal.text(name));
    if (!definition) return raise(python, 'AttributeError', `the program defines no ${name}`);
    python._Py_IncRef(definition);
    if (method === undefined) return definition;
    const object = python._PyObject_Call(definition, this.prepared.emptyTuple, 0);
    return object && python._PyObject_GetAttr(object, this.marshal.text(method));
  }
}

function limited(limit: LimitKind, output: string, fuel: number): Outcome {
  return { kind: 'limit', limit, output, fuel };
}
