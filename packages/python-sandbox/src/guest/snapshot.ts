import type { Imports } from './hostImports.ts';
import type { Image } from './image.ts';
import { prepare } from './prepare.ts';
import { SandboxInterpreter } from './sandboxInterpreter.ts';
import { type InterpreterParts, startInterpreter } from './start.ts';

const PAGE = 1024;

/** Starts an interpreter without an image, and creates an image of its state before all programs. */
export async function createSnapshot(parts: InterpreterParts) {
  const { python, hostImports, instance, imports, first } = await startInterpreter(parts);
  const prepared = prepare(python, hostImports);
  const functions = functionsOf(instance, python.wasmTable, first);
  const interpreter = new SandboxInterpreter(python, hostImports, prepared);
  const image: Image = {
    ...memoryOf(python.memory),
    globals: python.mutableGlobals.map(({ value }) => value as number),
    imported: importedGlobals(imports),
    table: python.wasmTable.length,
    functions,
    prepared,
  };
  return { image, interpreter };
}

function memoryOf({ buffer }: WebAssembly.Memory): Pick<Image, 'memory' | 'size'> {
  const elements = new Uint32Array(buffer);
  let last = elements.length - 1;
  while (last > 0 && elements[last] === 0) last--;
  const size = Math.ceil((4 * (last + 1)) / PAGE) * PAGE;
  return { memory: new Uint8Array(buffer.slice(0, size)), size: buffer.byteLength };
}

function importedGlobals(imports: Imports): Image['imported'] {
  const groups: Record<string, Record<string, number>> = {};
  for (const [group, values] of Object.entries(imports)) {
    for (const [name, value] of Object.entries(values)) {
      if (!(value instanceof WebAssembly.Global)) continue;
      groups[group] ??= {};
      groups[group][name] = value.value;
    }
  }
  return groups;
}

/** Returns the exported functions that the start added to the table. JavaScript functions in the table are omitted. */
function functionsOf({ exports }: WebAssembly.Instance, table: WebAssembly.Table, first: number): Image['functions'] {
  const names = new Map(Object.entries(exports).map(([name, value]) => [value as unknown, name]));
  const functions: [number, string][] = [];
  for (let i = first; i < table.length; i++) {
    const name = names.get(table.get(i));
    if (name !== undefined) functions.push([i, name]);
  }
  return functions;
}
