import { STACK } from '../moduleLayout.ts';
import type { Limits } from '../types.ts';
import type { Interpreter } from './interpreter.ts';
import type { WorkBounds } from './workBounds.ts';

/**
 * Maximum stack of CPython, above which it raises RecursionError [bytes]. The stack in memory grows with an estimate of
 * the machine stack (build/stackFrames.ts). With the largest frames of V8's two compilers, Chromium's machine stack
 * overflows at 560,000 of these bytes in the worst of 86 recursion patterns (docs/develop/decisions/027).
 */
export const RUN_STACK = 448 * 1024;
/** Maximum stack of Python's compiler [bytes]. Its worst recursion overflows the machine stack at 496,000 bytes. */
export const COMPILER_STACK = 432 * 1024;

export function boundStack(python: Interpreter, size: number): void {
  const lowest = STACK.base - size;
  if (python._PyUnstable_ThreadState_SetStackProtection(python._PyThreadState_Get(), lowest, size) !== 0) {
    throw new Error('CPython does not take the bounds of its stack');
  }
}

/** Units of the module's work (build/counting.ts) per step of fuel. A step takes 0.05 to 0.25 µs. */
const WORK_PER_STEP = 90;
/** Maximum work of the host's calls between programs. All C functions have a bound. */
const IDLE_WORK = 100_000_000;
/** Unit of WebAssembly memory [bytes], and a number of units that no memory exceeds. */
const UNIT = 65_536;
const ANY_MEMORY = 65_536;

/** Work and memory that a program has left. */
export interface Moment {
  /** Remaining work. */
  readonly left: number;
  /** Maximum memory [units of 64 KiB]. */
  readonly units: number;
}

/**
 * Counts the work of a program, equally on all machines, and stops the program when its budget is used. The module
 * counts its work in its loops and traps if no work is left. Its memory is limited by a ceiling. Counter and ceiling
 * are WebAssembly globals outside of Python's memory, so a program cannot read or change them.
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

  /** Pauses the count. @returns state from which `resume` can continue any number of times */
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

  /** Ends the count and sets the bound of the host. @returns number of steps used, at most the budget */
  stop({ fuel }: Limits): number {
    return Math.min(fuel, Math.ceil(fuel - this.pause().left / WORK_PER_STEP));
  }

  /** Grants work and unlimited memory to the host. */
  bound(work: number): void {
    this.resume({ left: work, units: ANY_MEMORY });
  }

  /** True if the module trapped because no work was left. */
  get isOverworked(): boolean {
    return this.bounds.left() < 0;
  }
}
