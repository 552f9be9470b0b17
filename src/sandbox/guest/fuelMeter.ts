import { STACK } from '../moduleLayout.ts';
import type { Limits } from '../types.ts';
import type { Interpreter } from './interpreter.ts';
import type { WorkBounds } from './workBounds.ts';

/**
 * Bytes of its stack that CPython may use before it raises RecursionError. The stack in memory grows with an estimate of the machine's stack
 * (build/stackFrames.ts). With the largest frames that either compiler of V8 makes, the machine's stack of Chromium ends at 560,000 of these bytes in the
 * worst of 86 patterns of recursion (docs/develop/decisions/027).
 */
export const RUN_STACK = 448 * 1024;
/** The same for Python's compiler, whose worst pattern ends at 496,000 bytes. */
export const COMPILER_STACK = 432 * 1024;

export function boundStack(python: Interpreter, size: number): void {
  const lowest = STACK.base - size;
  if (python._PyUnstable_ThreadState_SetStackProtection(python._PyThreadState_Get(), lowest, size) !== 0) {
    throw new Error('CPython does not take the bounds of its stack');
  }
}

/** The module's own work (build/counting.ts) that is a step: 0.05 to 0.25 us. */
const WORK_PER_STEP = 90;
/** Work that the host may cause between programs: no C function runs without a bound. */
const IDLE_WORK = 100_000_000;
/** Bytes by which WebAssembly counts memory, and more units of it than there can be. */
const UNIT = 65_536;
const ANY_MEMORY = 65_536;

/** Work and memory that a program may still use. */
export interface Moment {
  /** Work that is left. */
  readonly left: number;
  /** Units of memory that it may have. */
  readonly units: number;
}

/**
 * Counts the work of a program, the same on every machine, and stops the program when its budget is spent.
 * The module counts its own work in each of its loops, and traps where the count ends. The memory of the module ends at a ceiling.
 * Both are globals of WebAssembly outside of Python's memory: a program cannot see, reach or patch them.
 */
export class FuelMeter {
  private readonly bounds: WorkBounds;
  private units = ANY_MEMORY;

  constructor(private readonly python: Interpreter) {
    if (!python.bounds) throw new Error('this module does not count its work');
    this.bounds = python.bounds;
  }

  start({ fuel, memory }: Limits): void {
    this.resume({ left: fuel * WORK_PER_STEP, units: Math.ceil((this.python._sbrk(0) + memory) / UNIT) });
  }

  /** Stops counting. @returns the state that `resume` continues from, any number of times */
  pause(): Moment {
    const moment = { left: this.bounds.left(), units: this.units };
    this.bound(IDLE_WORK);
    return moment;
  }

  resume({ left, units }: Moment): void {
    this.units = units;
    this.bounds.work(left);
    this.bounds.ceiling(units);
    this.python.memoryLimit = units * UNIT;
  }

  /** Ends the count and sets the bound of the host. @returns steps taken, at most as many as there were */
  stop({ fuel }: Limits): number {
    return Math.min(fuel, Math.ceil(fuel - this.pause().left / WORK_PER_STEP));
  }

  /** Grants the host this much work, and all memory that there is. */
  bound(work: number): void {
    this.resume({ left: work, units: ANY_MEMORY });
  }

  /** True if the module trapped because its work was spent. */
  get isOverworked(): boolean {
    return this.bounds.left() < 0;
  }
}
