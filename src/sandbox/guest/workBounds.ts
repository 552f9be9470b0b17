import { F64, I32, I64, op } from '../wasm.ts';
import { assemble } from './assembler.ts';

/** Sets and reads the bounds. A function of WebAssembly does so in a tenth of the time that JavaScript takes for a global of 64 bits, and a test needs ten of them. */
export interface WorkBounds {
  work(units: number): void;
  /** Less than zero after a trap. */
  left(): number;
  ceiling(units: number): void;
  /** Counts work before JavaScript does it. Traps like the module if none is left. */
  consume(units: number): void;
}

/** @param host the globals that a module bounds itself by (build/counting.ts): the work that is left, and the units of 64 KiB that its memory may have */
export function boundsOf(host: {
  readonly work: WebAssembly.ExportValue;
  readonly ceiling: WebAssembly.ExportValue;
}): WorkBounds {
  const [work, ceiling] = [0, 1];
  const imports = [
    { name: 'work', global: I64 },
    { name: 'ceiling', global: I32 },
  ];
  const consume = [...op.read(work), ...op.get(0), ...op.floatToLong, ...op.subtractLong, ...op.write(work)];
  const trap = [...op.read(work), ...op.long(0), ...op.isLessLong, ...op.if, ...op.unreachable, ...op.end];
  const bodies = [
    { name: 'work', signature: [[F64], []], code: [...op.get(0), ...op.floatToLong, ...op.write(work)] },
    { name: 'left', signature: [[], [F64]], code: [...op.read(work), ...op.longToFloat] },
    { name: 'ceiling', signature: [[I32], []], code: [...op.get(0), ...op.write(ceiling)] },
    { name: 'consume', signature: [[F64], []], code: [...consume, ...trap] },
  ] as const;
  return assemble(imports, bodies, { ...host }) as unknown as WorkBounds;
}
