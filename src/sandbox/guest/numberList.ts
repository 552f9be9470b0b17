/**
 * Whole numbers by place, from −2³¹ to below 2³¹. Written by way of a DataView: in a realm whose Object.prototype is frozen (lockdown.ts), V8 has no fast
 * way for `array[i] = value`, on typed arrays neither.
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

  /** A copy of the first ones. */
  first(count: number): Int32Array<ArrayBuffer> {
    return this.numbers.slice(0, count) as Int32Array<ArrayBuffer>;
  }
}
