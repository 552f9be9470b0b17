import type { LimitKind, Limits } from '../types.ts';
import { hookLargeBlocks } from './allocator.ts';
import type { Bounds } from './bounds.ts';
import { Gauge } from './gauge.ts';
import { builtinFunction, replaceFunction, replaceInTable } from './hooks.ts';
import { cString, type Interpreter } from './interpreter.ts';
import { DESCRIPTOR, METHOD_DEFINITION, TYPE } from './layout.ts';
import { NumberCosts } from './numberCosts.ts';
import { putWord } from './writing.ts';

/** Thrown through the interpreter when a program goes on and on after its fuel is spent. The interpreter is lost with it. */
export class HardStop extends Error {}

/** Steps after the last one that a program may take in handlers and `finally` before it is stopped from outside. */
const GRACE = 20_000;
/** An exception that is made, thrown and caught. */
const STEPS_A_HANDLER = 4;
/** One step for so many bytes of a block that grows by 32 KB or more. CPython's own notes on code that runs for the first time are smaller. */
const BYTES_A_STEP = 1024;
const CHARGED_BLOCK = 32 * 1024;
/** C code that runs long looks for signals now and then; a regular expression every 4,096 of its own steps. */
const STEPS_A_SIGNAL_CHECK = 1;
const STEPS_A_REGEX_CHECK = 256;
/** Raising by signal runs a Python handler, which looks for signals too: only every so manieth look gets one. */
const CHECKS_A_SIGNAL = 16;
/** The module's own work (build/counting.ts) that is a step, where steps by other counts are fewer: 0.05 to 0.25 us. */
const WORK_A_STEP = 90;
/** Work that a test has free, a tenth of a millisecond: calling a function and looking up its names are paid by its steps. */
const FREE_WORK = 100_000;
/** All of memory, small blocks and holes among them, may grow by so many times what large blocks may hold. */
const MEMORY_FACTOR = 2;
/** Bytes by which WebAssembly counts memory. */
const UNIT = 65_536;
/** No bounds. */
const ANY_WORK = 2 ** 62;
const ANY_MEMORY = 65_536;
const SIGINT = 2;

/** What has been counted at a moment. */
export interface Moment {
  readonly fuel: number;
  readonly held: number;
  readonly precision: number;
  /** Work that was granted, and what is left of it. */
  readonly granted: number;
  readonly left: number;
}

/**
 * Counts what a program does, the same on every machine, and stops it when its budget is spent. A step is a turn of a loop, a call of a
 * Python function, a generator's resumption, an exception handled or an element that C code takes from an iterator; growth costs by size.
 * Under all this lies the work that the module counts of itself, in each of its loops: whatever C code does without a step ends there.
 *
 * Nothing of this lives in Python: CPython's own instrumentation calls back for jumps and calls (PEP 669), and the C functions of
 * iterators, big integers and the allocator are replaced in the interpreter's tables. A program cannot see, reach or patch it.
 */
export class Meter {
  /** Whether a program runs; everything passes free of charge otherwise. */
  running = false;
  limit: LimitKind | undefined;
  /** The most digits that the program has set for `decimal`. */
  precision = 0;
  /** The exception that stops a program; a BaseException. */
  readonly outOfFuel: number;
  readonly gauge: Gauge;
  private budget = 0;
  private memory = 0;
  /** What arithmetic on long integers costs. */
  readonly numbers: NumberCosts;
  private readonly bounds: Bounds;
  /** Sets our functions before CPython's allocator, until memory is put back. */
  private readonly hookAllocator: () => void;
  /** Units of memory that it may have. */
  private units = 0;
  /** What the work was set to. */
  private granted = 0;
  private held = 0;
  private overrun = 0;
  private looks = 0;
  /** Regular expressions at work, one inside the other's callback. */
  private matching = 0;

  constructor(private readonly python: Interpreter) {
    if (!python.bounds) throw new Error('this module does not count its work');
    this.bounds = python.bounds;
    const base = python.HEAPU32[python._PyExc_BaseException >>> 2];
    this.outOfFuel = python._PyErr_NewException(cString(python, 'sandbox.OutOfFuel'), base, 0);
    this.gauge = new Gauge(python, () => this.raise());
    this.numbers = new NumberCosts(python, this);
    this.hookAllocator = this.allocatorHook();
    this.boundMemory();
    this.hookSignals();
  }

  start(limits: Limits): void {
    this.precision = 0;
    this.budget = this.fuel = limits.fuel;
    this.memory = limits.memory;
    this.held = 0;
    this.overrun = this.looks = this.matching = 0;
    this.limit = undefined;
    this.gauge.forgetAll();
    this.hookAllocator();
    putWord(this.python, this.python.__Py_emscripten_signal_clock, 0x7fffffff);
    this.bound(limits.fuel * WORK_A_STEP + FREE_WORK);
    this.units = Math.ceil((this.python._sbrk(0) + MEMORY_FACTOR * limits.memory) / UNIT);
    this.go();
  }

  /** Stops counting for a while. @returns what `resume` goes on from, any number of times, whatever has been counted since */
  pause(): Moment {
    this.running = false;
    this.gauge.running.value = 0;
    this.bounds.ceiling(ANY_MEMORY);
    const { fuel, held, precision, granted } = this;
    return { fuel, held, precision, granted, left: this.bounds.left() };
  }

  resume({ fuel, held, precision, granted, left }: Moment): void {
    Object.assign(this, { fuel, held, precision, granted, limit: undefined, overrun: 0, looks: 0, matching: 0 });
    this.bounds.work(left);
    this.gauge.mark();
    this.go();
  }

  private go(): void {
    this.bounds.ceiling(this.units);
    this.running = true;
    this.gauge.running.value = 1;
  }

  /** Ends the count. @returns steps taken; the whole budget where a limit was hit */
  stop(): number {
    this.running = false;
    this.gauge.running.value = 0;
    const worked = (this.granted - this.bounds.left() - FREE_WORK) / WORK_A_STEP;
    this.bounds.work(ANY_WORK);
    this.bounds.ceiling(ANY_MEMORY);
    return this.limit ? this.budget : Math.floor(Math.max(this.budget - this.fuel, worked));
  }

  /** Lets the module work so much from now on; what goes beyond is a trap. */
  bound(work: number): void {
    this.granted = work;
    this.bounds.work(work);
  }

  /** Whether a trap was that of work that was spent. */
  get isOverworked(): boolean {
    return this.bounds.left() < 0;
  }

  /** Takes `steps` off the budget; false, with the exception set, when it is spent. */
  charge(steps: number): boolean {
    this.fuel -= steps;
    if (this.fuel >= 0) return true;
    this.raise();
    return false;
  }

  private raise(): 0 {
    this.spend('fuel');
    this.python._PyErr_SetNone(this.outOfFuel);
    return 0;
  }

  private get fuel(): number {
    return this.gauge.fuel.value;
  }

  private set fuel(steps: number) {
    this.gauge.fuel.value = steps;
  }

  /** Nothing more may run: every further step raises. */
  spend(limit: LimitKind): void {
    // What is left to do in handlers and `finally` is bounded by itself.
    if (this.limit === undefined) this.bound(this.bounds.left() + GRACE * WORK_A_STEP);
    this.limit ??= limit;
    this.fuel = -1;
    if (++this.overrun > GRACE) throw new HardStop();
  }

  /** The callback for turns and calls, as a Python function. */
  stepCallback(): number {
    return builtinFunction(this.python, 'step', this.gauge.step());
  }

  /** The callback for exceptions handled. An exception raised here would come to the same handler again: it only counts. */
  handlingCallback(): number {
    return builtinFunction(this.python, 'handling', this.gauge.takes(STEPS_A_HANDLER));
  }

  /**
   * Charges what C code takes from iterators of these types: whatever is asked twice between two turns of Python code. A `for` loop asks
   * once a turn, and has paid for it; whether CPython has specialized the loop, and then does not ask at all, makes no difference.
   */
  hookIterators(types: readonly number[], sequences: readonly number[]): void {
    for (const type of new Set(types)) {
      replaceInTable(this.python, type + TYPE.iterNext, (index) => this.gauge.next(index, sequences.includes(type)));
    }
  }

  /** A fresh iterator has not been asked, whatever stood at its address before. */
  hookIterables(types: readonly number[]): void {
    for (const type of new Set(types)) {
      replaceInTable(this.python, type + TYPE.iter, (index) => this.gauge.iter(index));
    }
  }

  /** @param methods of compiled patterns and of their scanners */
  hookRegex(methods: readonly number[]): void {
    for (const method of methods) {
      const definition = this.python.HEAPU32[(method + DESCRIPTOR.definition) >>> 2];
      // Fast calls with keywords and the defining class: (self, class, arguments, their number, names).
      const flags = this.python.HEAPU32[(definition + METHOD_DEFINITION.flags) >>> 2];
      const signature = flags & 0x200 ? 'iiiiii' : flags & 0x80 ? 'iiiii' : 'iii';
      replaceFunction(this.python, definition + METHOD_DEFINITION.function, signature, (call) => (...args) => {
        this.matching++;
        const result = call(...args);
        this.matching--;
        return result;
      });
    }
  }

  /** Charges what is at least a step while a program runs. */
  pay(steps: number): boolean {
    return !this.running || steps < 1 || this.charge(Math.floor(steps));
  }

  /** Counts what large blocks hold, and what is taken for them. */
  private allocatorHook(): () => void {
    const { python } = this;
    // The word before a block holds its size, and flags in the lowest bits.
    const sizeOf = (block: number) => python.HEAPU32[(block - 4) >>> 2] & ~7;
    const grow = (bytes: number) => {
      if (this.held + bytes > this.memory) {
        this.spend('memory');
        return false;
      }
      if (bytes >= CHARGED_BLOCK) this.fuel -= Math.floor(bytes / BYTES_A_STEP);
      return true;
    };
    const probe = python._malloc(5000);
    if (Math.abs(sizeOf(probe) - python._malloc_usable_size(probe)) > 8) {
      throw new Error('blocks of memory do not hold their size');
    }
    python._free(probe);
    const held = (block: number) => {
      if (block) this.held += sizeOf(block);
      return block;
    };
    return hookLargeBlocks(python, this.gauge.running, ({ malloc, calloc, realloc, free }) => ({
      malloc: (context, size) => {
        if (!this.running) return malloc(context, size);
        return grow(size >>> 0) ? held(malloc(context, size)) : 0;
      },
      calloc: (context, count, size) => {
        if (!this.running) return calloc(context, count, size);
        return grow((count >>> 0) * (size >>> 0)) ? held(calloc(context, count, size)) : 0;
      },
      realloc: (context, block, size) => {
        if (!this.running) return realloc(context, block, size);
        const before = block ? sizeOf(block) : 0;
        if (size >>> 0 > before && !grow((size >>> 0) - before)) return 0;
        const moved = realloc(context, block, size);
        if (moved) this.held += sizeOf(moved) - before;
        return moved;
      },
      free: (context, block) => {
        if (this.running && block) this.held -= sizeOf(block);
        return free(context, block);
      },
    }));
  }

  /** Memory as a whole does not grow beyond its units. */
  private boundMemory(): void {
    this.python.mayReach = (top) => {
      if (!this.running || top <= this.units * UNIT) return true;
      this.spend('memory');
      return false;
    };
  }

  /** Where C code asks for signals, the program pays; when its fuel is spent, it gets one. */
  private hookSignals(): void {
    const { python } = this;
    python.signal = () => {
      if (!this.running) return 0;
      this.fuel -= this.matching > 0 ? STEPS_A_REGEX_CHECK : STEPS_A_SIGNAL_CHECK;
      if (this.fuel >= 0) return 0;
      this.spend('fuel');
      return this.looks++ % CHECKS_A_SIGNAL === 0 ? SIGINT : 0;
    };
    python.HEAP32[python._Py_EMSCRIPTEN_SIGNAL_HANDLING >>> 2] = 1;
  }
}
