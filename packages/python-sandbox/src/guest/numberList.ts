/**
 * List of 32-bit integers. It is written through a DataView: if Object.prototype is frozen (lockdown.ts), V8 has no
 * fast path for `array[i] = value`, even for typed arrays.
 */
export class NumberList {
  private readonly numbers: Int32Array;
  private readonly view: DataView;

  constructor(length: number) {
    this.numbers = new Int32Array(length);
    this.view = new DataView(this.numbers.buffer);
  }

  get(at: number): number {
    return this.numbers[at];
  }

  set(at: number, value: number): void {
    this.view.setInt32(4 * at, value, true);
  }

  setAll(numbers: ArrayLike<number>): void {
    this.numbers.set(numbers);
  }

  /** Returns a copy of the first `count` numbers. */
  first(count: number): Int32Array<ArrayBuffer> {
    return this.numbers.slice(0, count) as Int32Array<ArrayBuffer>;
  }
}
