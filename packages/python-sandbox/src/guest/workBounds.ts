import { F64, I32, I64, op } from '../wasm.ts';
import { assemble } from './assembler.ts';

/**
 * Accessors of the bounds. WebAssembly functions take a tenth of the time of JavaScript's access to a 64-bit global,
 * and a test requires ten accesses.
 */
export interface WorkBounds {
  work(units: number): void;
  /** Returns the remaining work, which is negative after a trap. */
  left(): number;
  ceiling(units: number): void;
  /** Counts work before JavaScript does it. Traps like the module if no work is left. */
  consume(units: number): void;
}

/** Creates the accessors. @param host globals of build/counting.ts: work left, and memory ceiling [units of 64 KiB] */
export function boundsOf(host: Record<'work' | 'ceiling', WebAssembly.ExportValue>): WorkBounds {
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
  return assemble(imports, bodies, host) as unknown as WorkBounds;
}
