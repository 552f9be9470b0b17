/** Assembles WebAssembly modules of the few functions that are called too often for JavaScript. */
import { I32, nameBytes, op, unsigned } from '../wasm.ts';

/** Types of the parameters and results of a function. */
type Signature = readonly [parameters: readonly number[], results: readonly number[]];

type Import =
  | { readonly name: string; readonly function: Signature }
  | { readonly name: string; readonly global: number }
  | { readonly name: 'memory' };

interface Body {
  /** Name of the export. */
  readonly name: string;
  readonly signature: Signature;
  /** Number of local variables in addition to the parameters, all of type i32. */
  readonly locals?: number;
  readonly code: readonly number[];
}

/** Assembles a module and instantiates it. @param host imports by name @returns exported functions by name */
export function assemble(
  imports: readonly Import[],
  bodies: readonly Body[],
  host: Record<string, WebAssembly.ImportValue>,
): Readonly<Record<string, WebAssembly.ExportValue>> {
  const types: number[][] = [];
  const typeOf = ([parameters, results]: Signature) =>
    types.push([0x60, parameters.length, ...parameters, results.length, ...results]) - 1;
  const imported = imports.map((item) => {
    const bytes = [...nameBytes('host'), ...nameBytes(item.name)];
    if ('function' in item) return [...bytes, 0, typeOf(item.function)];
    return 'global' in item ? [...bytes, 3, item.global, 1] : [...bytes, 2, 0, 1];
  });
  const before = imports.filter((item) => 'function' in item).length;
  const declared = bodies.map(({ signature }) => unsigned(typeOf(signature)));
  const exported = bodies.map(({ name }, i) => [...nameBytes(name), 0, ...unsigned(before + i)]);
  const code = bodies.map(({ locals = 0, code }) => {
    const bytes = [...(locals ? [1, locals, I32] : [0]), ...code, ...op.end];
    return [...unsigned(bytes.length), ...bytes];
  });
  const module = Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, types),
    ...section(2, imported),
    ...section(3, declared),
    ...section(7, exported),
    ...section(10, code),
  ]);
  return new WebAssembly.Instance(new WebAssembly.Module(module), { host }).exports;
}

function section(id: number, items: readonly number[][]): number[] {
  const content = [...unsigned(items.length), ...items.flat()];
  return [id, ...unsigned(content.length), ...content];
}
