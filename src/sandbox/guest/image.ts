import { assemble, I32, op } from './assembler.ts';
import { HostImports, type Imports } from './hostImports.ts';
import { type Interpreter, type InterpreterPieces, partsOf, smallImports } from './interpreter.ts';
import type { CSymbol } from './memoryAccess.ts';

/** What C functions gave back, what was read from memory: numbers, texts, pieces of memory. */
export type Answer = number | string | readonly number[];

/**
 * An interpreter that was started once, as data: its memory, what lies outside of it, and what it answered while JavaScript made itself known to it.
 * Starting from an image is asking the same questions again and getting these answers, without any C code being run.
 */
export interface Image {
  /** From the first byte to the last that is not zero, in whole pages of a kilobyte. */
  readonly memory: Uint8Array<ArrayBuffer>;
  /** Size of the memory in bytes. */
  readonly size: number;
  /** The module's own globals. */
  readonly globals: readonly number[];
  /** Globals that the module imports, by group and name. */
  readonly imported: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** How many entries the module's table has, and those of the module's own functions that were put into it, by name. */
  readonly table: number;
  readonly functions: readonly (readonly [index: number, name: string])[];
  readonly answers: readonly Answer[];
  /** A number made of the questions. */
  readonly questions: number;
}

/** The parts that a start from an image needs. */
export interface ImageParts {
  readonly wasm: WebAssembly.Module | ArrayBuffer;
  readonly image: Image;
  /** Largest memory of the interpreter as a whole, in bytes. */
  readonly memory: number;
}

/** Views of the memory, by name. */
const HEAPS = { HEAPU8: Uint8Array, HEAP32: Int32Array, HEAPU32: Uint32Array } as const;
type Heap = keyof typeof HEAPS;
const heapNames = Object.keys(HEAPS) as Heap[];

/** Adds a question to the number made of those before (FNV-1a). */
export function addQuestion(questions: number, name: string): number {
  let hash = questions;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** The answers of an image, one after the other. */
class Answers {
  private next = 0;
  private questions = 0;

  constructor(private readonly image: Image) {}

  take(question: string): Answer {
    this.questions = addQuestion(this.questions, question);
    const answer = this.image.answers[this.next++];
    if (answer === undefined) throw new Error('the image of the interpreter has no more answers');
    return answer;
  }

  /** @throws where other questions were asked than those that the image was made with */
  end(): void {
    if (this.next !== this.image.answers.length || this.questions !== this.image.questions) {
      throw new Error('the image of the interpreter was made by another version of the sandbox');
    }
  }

  /** Stands for a view of the memory. */
  view(name: Heap): object {
    return new Proxy(
      {},
      {
        get: (_, key) => {
          if (key === 'set' || key === 'fill') return () => {};
          if (key === 'subarray') return () => HEAPS[name].from(this.take(name) as readonly number[]);
          return this.take(name);
        },
        set: () => true,
      },
    );
  }
}

/** An interpreter that only answers as it did when the image was made, until `wake`. */
export interface Resumed {
  readonly python: Interpreter;
  /** From here on its C code runs. */
  wake(): void;
}

/** Starts an interpreter from its image. */
export async function resume({ wasm, image, memory: most }: ImageParts): Promise<Resumed> {
  const module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
  const answers = new Answers(image);
  let python = {} as Interpreter;
  const hostImports = new HostImports(() => python, most);
  const imports = importsOf(image, () => python);
  const instance = await WebAssembly.instantiate(module, hostImports.replaceIn(module, imports) as WebAssembly.Imports);
  const parts = partsOf(instance);
  putImage(image, parts, instance);
  const views = Object.fromEntries(heapNames.map((name) => [name, answers.view(name)]));
  const asleep = new Proxy(
    {},
    {
      get: (_, name) => {
        const symbol = typeof name === 'string' ? instance.exports[name.slice(1)] : undefined;
        if (symbol instanceof WebAssembly.Global) return symbol.value;
        return () => answers.take(name as string);
      },
    },
  );
  const unbound = { mark: () => {}, mayReach: () => {}, grow: () => 0 };
  const silent = { setWord: () => {}, setByte: () => {} };
  const own = { ...parts, ...views, ...unbound, ...silent, hostImports };
  python = Object.assign(Object.create(asleep), own, {
    addFunction: (call: (...args: number[]) => number, signature: string) => {
      const index = answers.take('addFunction') as number;
      parts.wasmTable.set(index, signature === '' ? call : wrapped(call, signature));
      return index;
    },
  }) as Interpreter;
  const wake = () => {
    answers.end();
    Object.setPrototypeOf(python, Object.prototype);
    Object.assign(python, awake(python, instance));
  };
  return { python, wake };
}

function importsOf(image: Image, python: () => Interpreter): Imports {
  const globals = Object.entries(image.imported).map(([group, values]) => [
    group,
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        new WebAssembly.Global({ value: 'i32', mutable: true }, value),
      ]),
    ),
  ]);
  return { ...Object.fromEntries(globals), env: smallImports(python), wasi_snapshot_preview1: {} };
}

function putImage(image: Image, parts: InterpreterPieces, { exports }: WebAssembly.Instance): void {
  const { memory, wasmTable, ownGlobals } = parts;
  const before = memory.buffer.byteLength;
  memory.grow((image.size - before) / 65_536);
  const heap = new Uint8Array(memory.buffer);
  heap.set(image.memory);
  // What has grown is zero.
  if (image.memory.length < before) heap.fill(0, image.memory.length, before);
  image.globals.forEach((value, i) => {
    ownGlobals[i].value = value;
  });
  wasmTable.grow(image.table - wasmTable.length);
  for (const [index, name] of image.functions) wasmTable.set(index, exports[name]);
}

/** What an interpreter has when its C code runs. */
function awake(python: Interpreter, { exports }: WebAssembly.Instance): Partial<Interpreter> {
  const names: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(exports)) {
    names[`_${name}`] = value instanceof WebAssembly.Global ? value.value : value;
  }
  const { memory } = python;
  const call = (name: string) => exports[name] as CSymbol;
  let view = new DataView(memory.buffer);
  const look = () => {
    view = new DataView(memory.buffer);
    return Object.fromEntries(heapNames.map((name) => [name, new HEAPS[name](memory.buffer)]));
  };
  return {
    ...names,
    ...look(),
    setWord: (at, value) => view.setUint32(at, value, true),
    setByte: (at, value) => view.setUint8(at, value),
    _stackAlloc: call('_emscripten_stack_alloc'),
    stackSave: call('emscripten_stack_get_current'),
    stackRestore: call('_emscripten_stack_restore'),
    grow: (size) => {
      const now = memory.buffer.byteLength;
      // A fifth more than before, so that it does not grow at every block.
      for (const wanted of [Math.max(size, Math.floor(1.2 * now)), size]) {
        try {
          memory.grow(Math.ceil((wanted - now) / 65_536));
          Object.assign(python, look());
          return 1;
        } catch {
          // There is no more than that.
        }
      }
      return 0;
    },
  };
}

/** A function of JavaScript as one of WebAssembly, which a table takes. @param signature `i` for each int: the result, then the parameters */
function wrapped(call: (...args: number[]) => number, signature: string): unknown {
  if (!/^i+$/.test(signature)) throw new Error(`a function of the type ${signature} cannot be put into the table`);
  const type = [Array(signature.length - 1).fill(I32), [I32]] as const;
  const code = [...type[0].flatMap((_, i) => op.get(i)), ...op.call(0)];
  const module = assemble([{ name: 'call', function: type }], [{ name: 'call', signature: type, code }]);
  return new WebAssembly.Instance(new WebAssembly.Module(module), { host: { call } }).exports.call;
}
