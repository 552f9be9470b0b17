import { log2 } from '../../numbers/logarithm.ts';
import { square } from '../../numbers/powers.ts';
import type { Gauge } from './gauge.ts';
import { type Hook, replaceBuiltin, replaceFunction, replaceInTable } from './hooks.ts';
import type { Interpreter } from './interpreter.ts';
import { LONG, NUMBER, TYPE } from './layout.ts';

const LONG_SUBCLASS = 1 << 24;

/** Whoever takes steps off a program's budget. */
interface Paying {
  /** Whether a program runs; everything passes free of charge otherwise. */
  readonly running: boolean;
  readonly gauge: Gauge;
  /** Charges what is at least a step; false, with the exception set, when the budget is spent. */
  pay(steps: number): boolean;
}

/** Charges arithmetic on integers by their digits: before it is done, because a single operation may take long. */
export class NumberCosts {
  constructor(
    private readonly python: Interpreter,
    private readonly meter: Paying,
  ) {
    this.hookOperators();
  }

  /** Charges functions of `math` that work long on few digits. @param functions by name */
  hookMath(functions: ReadonlyMap<string, number>): void {
    const word = (at: number) => this.python.HEAPU32[at >>> 2];
    const one = (name: string, cost: (a: number) => number) => {
      const callable = functions.get(name);
      if (callable === undefined) throw new Error(`math has no ${name}`);
      replaceBuiltin(
        this.python,
        callable,
        'iii',
        (call) => (self, a) => (this.meter.pay(cost(a)) ? call(self, a) : 0),
      );
    };
    const many = (name: string, cost: (a: number, b: number) => number) => {
      const callable = functions.get(name);
      if (callable === undefined) throw new Error(`math has no ${name}`);
      replaceBuiltin(this.python, callable, 'iiii', (call) => (self, args, count) => {
        let steps = 0;
        for (let i = 0; i + 1 < count; i++) steps += cost(word(args + 4 * i), word(args + 4 * i + 4));
        return this.meter.pay(steps) ? call(self, args, count) : 0;
      });
    };
    const factors = (n: number, k: number) => {
      const product = (k * log2(n + 2)) / 30;
      return multiplyCost(product, product) * (32 - Math.clz32(k + 1)) + k / 16;
    };
    one('factorial', (n) => factors(this.small(n), this.small(n)));
    one('isqrt', (n) => square(this.digits(n)) / 256);
    many('comb', (n, k) => factors(this.small(n), Math.min(this.small(k), Math.abs(this.small(n) - this.small(k)))));
    many('perm', (n, k) => factors(this.small(n), this.small(k)));
    many('gcd', (a, b) => (this.digits(a) * this.digits(b)) / 256);
    many('lcm', (a, b) => (this.digits(a) * this.digits(b)) / 128);
  }

  /** Digits (of 30 bits) of an int; 0 for anything else. */
  private digits(object: number): number {
    const { HEAPU32 } = this.python;
    const type = HEAPU32[(object + 4) >>> 2];
    if ((HEAPU32[(type + TYPE.flags) >>> 2] & LONG_SUBCLASS) === 0) return 0;
    return HEAPU32[(object + LONG.tag) >>> 2] >>> 3;
  }

  /** The size of an int of one digit; beyond any budget for a longer one. */
  private small(object: number): number {
    const digits = this.digits(object);
    if (digits > 1) return 2 ** 31;
    return digits === 0 ? 0 : this.python.HEAPU32[(object + LONG.digits) >>> 2];
  }

  private hookOperators(): void {
    const { python } = this;
    const numbers = python.HEAPU32[(python._PyLong_Type + TYPE.asNumber) >>> 2];
    const none = python.__Py_NoneStruct;
    const paying = (index: number, cost: (a: number, b: number) => number): Hook => {
      const call = python.wasmTable.get(index) as Hook;
      return (a, b) => (!this.meter.running || this.meter.pay(cost(a, b)) ? call(a, b) : 0);
    };
    // Where neither operand has more than one digit, these cost nothing.
    const binary = (slot: number, cost: (a: number, b: number) => number) =>
      replaceInTable(python, numbers + slot, (index) => this.meter.gauge.binary(index, paying(index, cost)));
    binary(NUMBER.multiply, (a, b) => multiplyCost(this.digits(a), this.digits(b)));
    const divide = (a: number, b: number) => {
      const [n, m] = [this.digits(a), this.digits(b)];
      return n < m ? 0 : ((n - m + 1) * m) / 256;
    };
    replaceInTable(python, python._PyLong_Type + TYPE.richCompare, (index) => this.meter.gauge.compare(index));
    binary(NUMBER.floorDivide, divide);
    binary(NUMBER.remainder, divide);
    binary(NUMBER.divmod, divide);
    const shift = (a: number, b: number) => (this.digits(a) === 0 ? 0 : (this.digits(a) + this.small(b) / 30) / 64);
    replaceFunction(python, numbers + NUMBER.leftShift, 'iii', (call) => (a, b) => {
      return !this.meter.running || this.meter.pay(shift(a, b)) ? call(a, b) : 0;
    });
    replaceFunction(python, numbers + NUMBER.power, 'iiii', (call) => (a, b, modulus) => {
      if (this.meter.running && !this.meter.pay(this.powerCost(a, b, modulus === none ? 0 : modulus))) return 0;
      return call(a, b, modulus);
    });
  }

  private powerCost(base: number, exponent: number, modulus: number): number {
    if (modulus !== 0) return (square(this.digits(modulus)) + 1) * (this.digits(exponent) * 60) * (1 / 256);
    const digits = this.digits(base);
    if (digits === 0 || (digits === 1 && this.small(base) === 1)) return 0;
    const bits = digits === 1 ? log2(this.small(base)) : 30 * digits;
    const result = (bits * this.small(exponent)) / 30;
    return multiplyCost(result, result);
  }
}

/** Steps for the product of two ints of so many digits; long products take Karatsuba's way. */
function multiplyCost(n: number, m: number): number {
  return (Math.max(n, m) * Math.sqrt(Math.min(n, m))) / 64;
}
