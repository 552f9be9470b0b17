import { Reader } from './binary.ts';
import { isBetween } from './instructions.ts';

const [CALL, CALL_INDIRECT, GET, SET, TEE] = [0x10, 0x11, 0x20, 0x21, 0x22];
const BULK = 0xfc;
/** Operands and results of instructions with prefix 0xfc. Conversions, which are not listed, have one of each. */
const BULK_SHAPES: Readonly<Record<number, Shape>> = {
  10: { operands: 3, results: 0 },
  11: { operands: 3, results: 0 },
  15: { operands: 2, results: 1 },
  16: { operands: 0, results: 1 },
};

/** Numbers of operands and results of a function or an instruction. */
export interface Shape {
  readonly operands: number;
  readonly results: number;
}

/** Tracks the operands of straight-line code that equal the current value of a local variable. */
export class Operands {
  /** Indices of local variables; undefined for other operands. Operands below the recorded ones are unknown. */
  private stack: (number | undefined)[] = [];

  /** @param module shapes of the types and functions of a module */
  constructor(private readonly module: { readonly types: readonly Shape[]; readonly functions: readonly Shape[] }) {}

  /** Returns the local variable that equals an operand, if any. @param below distance from the top of the stack */
  local(below: number): number | undefined {
    return this.stack[this.stack.length - 1 - below];
  }

  /** Handles the next instruction. @param at position of the instruction */
  pass(bytes: Uint8Array, at: number): void {
    const op = bytes[at];
    if (op === GET) this.stack.push(operandOf(bytes, at));
    else if (op === SET || op === TEE) this.assign(operandOf(bytes, at), op === TEE);
    else {
      const shape = this.shapeOf(op, bytes, at);
      this.stack.length = shape ? Math.max(0, this.stack.length - shape.operands) : 0;
      for (let i = 0; i < (shape?.results ?? 0); i++) this.stack.push(undefined);
    }
  }

  private assign(local: number, isRetained: boolean): void {
    this.stack.pop();
    this.stack = this.stack.map((operand) => (operand === local ? undefined : operand));
    if (isRetained) this.stack.push(local);
  }

  private shapeOf(op: number, bytes: Uint8Array, at: number): Shape | undefined {
    if (op === CALL) return this.module.functions[operandOf(bytes, at)];
    if (op === CALL_INDIRECT) {
      const { operands, results } = this.module.types[operandOf(bytes, at)];
      return { operands: operands + 1, results };
    }
    if (op === BULK) return BULK_SHAPES[operandOf(bytes, at)] ?? { operands: 1, results: 1 };
    return plainShape(op);
  }
}

function operandOf(bytes: Uint8Array, at: number): number {
  return new Reader(bytes, at + 1).unsigned();
}

/** Returns the shape of an instruction with a fixed shape; undefined for instructions that transfer control. */
function plainShape(op: number): Shape | undefined {
  if (op === 0x01) return { operands: 0, results: 0 };
  if (op === 0x1a || op === 0x24) return { operands: 1, results: 0 };
  if (op === 0x1b || op === 0x1c) return { operands: 3, results: 1 };
  if (op === 0x23 || op === 0x3f || op === 0xd0 || op === 0xd2 || isBetween(0x41, op, 0x44))
    return { operands: 0, results: 1 };
  if (op === 0x25 || op === 0x40 || op === 0xd1 || isBetween(0x28, op, 0x35)) return { operands: 1, results: 1 };
  if (op === 0x26 || isBetween(0x36, op, 0x3e)) return { operands: 2, results: 0 };
  if (isBetween(0x45, op, 0xc4)) return { operands: isBinary(op) ? 2 : 1, results: 1 };
  return undefined;
}

/** Returns true for comparisons and arithmetic of two numbers. */
function isBinary(op: number): boolean {
  const ranges = [[0x46, 0x4f], [0x51, 0x66], [0x6a, 0x78], [0x7c, 0x8a], [0x92, 0x98], [0xa0, 0xa6]]; // biome-ignore format: a table
  return ranges.some(([low, high]) => isBetween(low, op, high));
}
