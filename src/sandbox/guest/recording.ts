import { Guest } from './guest.ts';
import type { Imports } from './hostImports.ts';
import { type Answer, addQuestion, type Image } from './image.ts';
import type { Interpreter } from './interpreter.ts';
import { type InterpreterParts, startInterpreter } from './start.ts';

const PAGE = 1024;

/** Starts an interpreter the long way, and makes an image of it at the moment before any program. */
export async function recordImage(parts: InterpreterParts): Promise<{ readonly image: Image; readonly guest: Guest }> {
  const { python, instance, imports, first } = await startInterpreter(parts);
  const recording = new Recording(python, instance.exports);
  const guest = new Guest(recording.python);
  const { answers, questions, added } = recording.end();
  const image = {
    ...memoryOf(python.memory),
    globals: python.ownGlobals.map(({ value }) => value as number),
    imported: importedGlobals(imports),
    table: python.wasmTable.length,
    functions: functionsOf(instance, python.wasmTable, first, added),
    answers,
    questions,
  };
  return { image, guest };
}

function memoryOf({ buffer }: WebAssembly.Memory): Pick<Image, 'memory' | 'size'> {
  const words = new Uint32Array(buffer);
  let last = words.length - 1;
  while (last > 0 && words[last] === 0) last--;
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

/** The module's own functions in the table behind its own entries. @param added indices of functions that a start adds again */
function functionsOf(
  { exports }: WebAssembly.Instance,
  table: WebAssembly.Table,
  first: number,
  added: ReadonlySet<number>,
): Image['functions'] {
  const names = new Map(Object.entries(exports).map(([name, value]) => [value as unknown, name]));
  const found: [number, string][] = [];
  for (let i = first; i < table.length; i++) {
    const entry = table.get(i);
    if (entry === null || added.has(i)) continue;
    const name = names.get(entry);
    if (name === undefined) throw new Error(`entry ${i} of the table is no function of the module`);
    found.push([i, name]);
  }
  return found;
}

/** Passes on what is asked of an interpreter, and notes what it answers: from outside, not what is asked while its C code runs. */
class Recording {
  readonly python: Interpreter;
  readonly answers: Answer[] = [];
  readonly added = new Set<number>();
  questions = 0;
  private depth = 0;
  private isOver = false;

  constructor(python: Interpreter, exports: WebAssembly.Exports) {
    const functions = new Map<string, unknown>();
    this.python = new Proxy(python, {
      get: (target, name: keyof Interpreter & string) => {
        const value = target[name] as unknown;
        if (ArrayBuffer.isView(value)) return this.view(name, value as Uint32Array<ArrayBuffer>);
        if (typeof value !== 'function' || !this.isAsked(name)) {
          // A C variable: a start from an image takes its address from the module.
          if (name.startsWith('_') && (exports[name.slice(1)] as WebAssembly.Global | undefined)?.value !== value) {
            throw new Error(`${name} is not where the module says`);
          }
          return value;
        }
        const known = functions.get(name) ?? this.asked(name, value as (...args: unknown[]) => Answer);
        functions.set(name, known);
        return known;
      },
    });
  }

  /** From here on nothing is noted. */
  end(): Pick<Recording, 'answers' | 'questions' | 'added'> {
    this.isOver = true;
    return this;
  }

  private isAsked(name: string): boolean {
    return name.startsWith('_') || ['addFunction', 'stackSave', 'stackRestore'].includes(name);
  }

  private note<T extends Answer>(question: string, answer: T): T {
    if (this.isOver || this.depth > 0) return answer;
    this.questions = addQuestion(this.questions, question);
    this.answers.push(answer ?? 0);
    return answer;
  }

  private asked(name: string, call: (...args: unknown[]) => Answer) {
    return (...args: unknown[]) => {
      this.depth++;
      let answer: Answer;
      try {
        answer = call(...args);
      } finally {
        this.depth--;
      }
      if (name === 'addFunction') this.added.add(answer as number);
      return this.note(name, answer);
    };
  }

  private view(name: string, view: Uint32Array<ArrayBuffer>): object {
    return new Proxy(view, {
      get: (target, key) => {
        if (key === 'subarray') {
          return (from: number, to: number) => {
            const piece = target.slice(from, to);
            this.note(name, Array.from(piece));
            return piece;
          };
        }
        const value = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : this.note(name, value as number);
      },
      set: (target, key, value) => Reflect.set(target, key, value, target),
    });
  }
}
