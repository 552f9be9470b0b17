import { STACK } from '../moduleLayout.ts';
import type { LimitKind, Limits, Outcome, SandboxProgram, SandboxReport } from '../types.ts';
import { Errors, raise } from './errors.ts';
import { boundStack, COMPILER_STACK, FuelMeter, type Moment, RUN_STACK } from './fuelMeter.ts';
import { ClosedImport, type HostImports, MemoryLimit } from './hostImports.ts';
import { type ImageParts, resume } from './image.ts';
import type { Interpreter } from './interpreter.ts';
import { Marshal, TooLarge, UnhashableArgument } from './marshal.ts';
import { newText } from './memoryAccess.ts';
import { type PageSnapshot, Pages } from './pages.ts';
import { closeCode, FILE_INPUT, type Prepared } from './prepare.ts';
import { World } from './world.ts';

/** Work of the module (build/counting.ts) that compiling a program may take: twice that of the longest list that its source has room for. */
const COMPILER_WORK = 200_000_000;
/** The same for reading what was printed before a trap. */
const SALVAGE_WORK = 1_000_000;
const MESSAGE = 300;
/**
 * Number of programs whose functions stay defined, which are the last programs requested, and bytes that each may take.
 */
const MAX_SAVED = 4;
const MAX_SAVED_BYTES = 8 * 2 ** 20;

/** A program whose functions are defined. */
interface StartedProgram {
  readonly entry: number;
  readonly moment: Moment;
  /** Amount of output printed until then, and position in the stream of random bytes. */
  readonly printed: number;
  readonly drawn: number;
  /** Memory at that moment, if the program is begun again by putting memory back to it. */
  readonly pages?: PageSnapshot;
}

/**
 * Python interpreter that runs programs in sequence. Before each test its memory is restored: to the state when the
 * first program began, or, if a program has several tests, to the state when its functions were defined. So no effect
 * of a program can reach another program.
 */
export class SandboxInterpreter {
  /** The moment before any program. */
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
    closeCode(python, prepared);
    this.marshal = new Marshal(python, prepared.blocks);
    this.errors = new Errors(python, this.marshal, prepared.attributeNames);
    this.world = new World(python, prepared.world);
    this.pages = new Pages(python.memory, python.mutableGlobals, base);
    python.mark = (at, size) => this.pages.mark(at, size);
  }

  /**
   * Runs a program with each of its inputs. Code outside of its functions runs once. Each test begins with the state
   * that this code has left, which includes its fuel and its output: the state would be the same each time. Never
   * throws for an action of a program.
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
    return {
      outcomes: inputs.map((input, i) => this.outcome(started, limits, input, cached !== undefined || i > 0)),
    };
  }

  /**
   * Runs the code outside of a program's functions.
   * @returns outcome of every test if this code fails
   */
  private begin({ program, entry: name, inputs, limits, retain }: SandboxProgram): StartedProgram | Outcome {
    if (program.length > limits.source) return limited('source', '', limits.fuel);
    try {
      const code = this.compile(program);
      if (code === 0)
        return {
          kind: 'error',
          error: this.errors.describe(this.python._PyErr_GetRaisedException(), 0),
          output: '',
          fuel: 0,
        };
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

  /** Keeps a program that is begun, as the newest. */
  private retain(key: string, started: StartedProgram): void {
    const pages = started.pages ?? this.pages.heldPages(MAX_SAVED_BYTES);
    if (pages === undefined) return;
    this.cache.delete(key);
    this.cache.set(key, { ...started, pages });
    const [oldest] = this.cache.keys();
    if (this.cache.size > MAX_SAVED && oldest !== undefined) this.cache.delete(oldest);
  }

  /** Puts the interpreter back to the moment before any program. */
  restore(): void {
    this.fuelMeter.pause();
    this.pages.restore();
    this.hostImports.drawn = 1;
  }

  private outcome(
    { entry, moment, printed, drawn }: StartedProgram,
    limits: Limits,
    input: SandboxProgram['inputs'][number],
    again: boolean,
  ): Outcome {
    const { python, fuelMeter, world, hostImports } = this;
    try {
      if (again) {
        this.pages.restoreHeld();
        hostImports.drawn = drawn;
        world.printed = printed;
      }
      const args = this.marshal.encode({ tuple: input });
      fuelMeter.resume(moment);
      return this.conclude(python._PyObject_Call(entry, args, 0), limits);
    } catch (error) {
      if (error instanceof UnhashableArgument) return this.conclude(0, limits);
      return this.broken(error, limits);
    }
  }

  /** The outcome where the interpreter was left in the middle of something. Its memory will be restored. */
  private broken(error: unknown, limits: Limits): Outcome {
    this.pages.distrust();
    const limit = this.limitOf(error);
    if (limit === 'stack') return limited(limit, '', limits.fuel);
    if (limit) return limited(limit, this.printed(), limits.fuel);
    const message = error instanceof Error ? error.message : String(error);
    const reason = error instanceof ClosedImport ? message : `broke the interpreter: ${message.slice(0, MESSAGE)}`;
    return { kind: 'violation', reason, output: '', fuel: 0 };
  }

  /** The limit that an error belongs to. Returns undefined if the interpreter is broken. */
  private limitOf(error: unknown): LimitKind | undefined {
    if (error instanceof MemoryLimit) return 'memory';
    if (this.fuelMeter.isOverworked) return 'fuel';
    if (this.python._emscripten_stack_get_current() < STACK.lowest) return 'stack';
    // The machine's own stack was not enough.
    return error instanceof RangeError && /call stack/i.test(error.message) ? 'stack' : undefined;
  }

  /** Returns the output before a trap, as far as the interpreter can still return it. */
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

  /** Ends a test. @param result what its call gave back; 0 with an exception set */
  private conclude(result: number, limits: Limits): Outcome {
    const { python, fuelMeter, world } = this;
    const error = result === 0 ? python._PyErr_GetRaisedException() : 0;
    const described = error && this.errors.describe(error, world.globals);
    const fuel = fuelMeter.stop(limits);
    const output = world.text();
    // CPython refuses some sizes by itself, before it asks for memory. Its parser says so, too, but with a message.
    if (described && described.type === 'MemoryError' && described.message === '')
      return limited('memory', output, limits.fuel);
    if (described) return { kind: 'error', error: described, output, fuel };
    return this.value(result, limits, output, fuel);
  }

  private value(result: number, limits: Limits, output: string, fuel: number): Outcome {
    try {
      const value = this.marshal.decode(result, limits.result);
      return { kind: 'value', value, output, fuel };
    } catch (error) {
      if (error instanceof TooLarge) return limited('result', output, limits.fuel);
      throw error;
    }
  }

  /**
   * Runs the module's code, and finds the entry point.
   * @returns function to call; 0 with an exception set
   */
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
