/** Reads the bytes of a WebAssembly module from a position. */
export class Reader {
  constructor(
    readonly bytes: Uint8Array,
    public at = 0,
  ) {}

  byte(): number {
    return this.bytes[this.at++];
  }

  /** Reads an unsigned number in LEB128. 64-bit numbers lose the bits that a double cannot represent. */
  unsigned(): number {
    let result = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      result += (byte & 127) * scale;
      if (byte < 128) return result;
    }
  }

  /** Skips a number in LEB128 of any size. */
  skipNumber(): void {
    while (this.byte() >= 128);
  }

  skip(bytes: number): void {
    this.at += bytes;
  }
}

/** Buffer of bytes that grows as needed. */
export class Writer {
  private bytes: Uint8Array<ArrayBuffer>;
  private size = 0;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
  }

  put(part: ArrayLike<number>): void {
    const size = this.size + part.length;
    if (size > this.bytes.length) {
      const larger = new Uint8Array(2 * size);
      larger.set(this.written);
      this.bytes = larger;
    }
    this.bytes.set(part, this.size);
    this.size = size;
  }

  get written(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.size);
  }
}
