import { MARKS } from '../moduleLayout.ts';
import { readTime, writeTime } from './calendar.ts';
import type { Hook, Interpreter } from './interpreter.ts';
import { putBytes, writeUint32 } from './memoryAccess.ts';

/** A program needs more memory than it may have. Thrown through the interpreter. */
export class MemoryLimit extends Error {}

/** A program has reached for something that is closed: a function of the host's behind one of the module's imports. */
export class ClosedImport extends Error {}

/** Work of the module (build/counting.ts) that takes as long as a random byte. */
const WORK_PER_BYTE = 8;
const BLOCK = new Uint8Array(4096);
const BLOCK_VIEW = new DataView(BLOCK.buffer);
const ROOT = Uint8Array.of(0x2f, 0);
const UTC = Uint8Array.of(0x55, 0x54, 0x43, 0);

/** POSIX errors by Emscripten's numbers, and the functions of an empty file system without descriptors that give them. */
const EMPTY: Readonly<Record<number, readonly string[]>> = {
  44: ['openat', 'stat64', 'lstat64', 'newfstatat', 'statfs64', 'faccessat', 'readlinkat', 'chdir', 'unlinkat', 'rmdir'],
  69: ['mkdirat'],
  8: ['ioctl', 'fcntl64', 'fstat64', 'fchdir', 'dup', 'dup3', 'getdents64', 'ftruncate64'],
  63: ['pipe'],
}; // biome-ignore format: lists of words
const BAD_DESCRIPTOR = 8;
const DESCRIPTORS = ['close', 'read', 'write', 'seek', 'sync', 'pread', 'pwrite', 'fdstat_get'];
const ERRORS: ReadonlyMap<string, number> = new Map([
  ...Object.entries(EMPTY).flatMap(([error, names]) => names.map((name) => [`__syscall_${name}`, -error] as const)),
  ...DESCRIPTORS.map((name) => [`fd_${name}`, BAD_DESCRIPTOR] as const),
]);

type HostFunction = (...args: number[]) => unknown;
export type Imports = Readonly<Record<string, Record<string, WebAssembly.ImportValue>>>;

/**
 * The module's imports are the only way from Python to JavaScript. While the interpreter starts, the imports call
 * Emscripten's functions. `close` replaces these functions permanently by others: arithmetic, memory, a clock that does
 * not advance, an empty file system. Every other import throws.
 */
export class HostImports {
  private closed = false;
  /** The state of the stream of random bytes; it begins at 1. */
  drawn = 1;
  /** The module's imported functions that answer, that give an error, and that throw. */
  readonly counts = { open: 0, empty: 0, closed: 0 };
  /** The interpreter that imports these functions, set before it runs. */
  python!: Interpreter;

  /** Returns the imports of the module that replace Emscripten's functions. */
  replaceIn(module: WebAssembly.Module, imports: Imports): Imports {
    const replacements = this.createReplacements();
    const given: Record<string, Record<string, WebAssembly.ImportValue>> = {};
    for (const { module: group, name, kind } of WebAssembly.Module.imports(module)) {
      const before = imports[group][name];
      given[group] ??= {};
      given[group][name] =
        kind === 'function' ? (replacements[name] ?? this.closable(name, before as HostFunction)) : before;
      if (kind === 'function') this.counts[replacements[name] ? 'open' : ERRORS.has(name) ? 'empty' : 'closed']++;
    }
    return given;
  }

  /** From here on only the functions that are listed here answer. */
  close(): void {
    this.closed = true;
  }

  private closable(name: string, before: HostFunction): HostFunction {
    const error = ERRORS.get(name);
    return (...args) => {
      if (!this.closed) return before(...args);
      if (error === undefined) throw new ClosedImport(`called ${name}, which is closed`);
      return error;
    };
  }

  /** The functions that are ours from the start. */
  private createReplacements(): Readonly<Record<string, HostFunction>> {
    const zero = () => 0;
    const marker = Symbol('no error object');
    const functions: (Hook | undefined)[] = [];
    const day: HostFunction = (time, at) => writeTime(this.python, Number(time), at);
    const seconds: HostFunction = (at) => readTime(this.python, at);
    return {
      Jsv_GetError_import: () => marker,
      JsvError_Check: (value) => (value as unknown) === marker,
      // If WebAssembly cannot find the number of parameters of a function, CPython calls C functions by way of
      // JavaScript, which accepts any number. Reading the table is slow: its functions are stored.
      _PyEM_TrampolineCall_JS: (index, a, b, c) => {
        const known = functions[index];
        if (known !== undefined) return known(a, b, c);
        functions[index] = this.python.wasmTable.get(index) as Hook;
        return (functions[index] as Hook)(a, b, c);
      },
      emscripten_date_now: zero,
      emscripten_get_now: zero,
      _localtime_js: day,
      _gmtime_js: day,
      _mktime_js: seconds,
      _timegm_js: seconds,
      _tzset_js: (zone, daylight, standard, summer) => {
        for (const pointer of [zone, daylight]) writeUint32(this.python, pointer, 0);
        for (const name of [standard, summer]) putBytes(this.python, name, UTC);
      },
      clock_time_get: (_clock, _precision, at) => {
        for (const half of [at, at + 4]) writeUint32(this.python, half, 0);
        return 0;
      },
      random_get: (at, size) => {
        this.putRandom(at, size >>> 0);
        return 0;
      },
      __syscall_getcwd: (at) => {
        putBytes(this.python, at, ROOT);
        return 2;
      },
      emscripten_get_heap_max: () => MARKS.memory,
      emscripten_resize_heap: (size) => this.grow(size >>> 0),
    };
  }

  private grow(size: number): number {
    const { python } = this;
    if (size > python.memoryLimit) throw new MemoryLimit();
    return size <= MARKS.memory ? python.grow(size) : 0;
  }

  /** Writes so many random bytes, a block at a time. Their work is taken first: the module does not count it. */
  private putRandom(at: number, size: number): void {
    const { python } = this;
    python.bounds?.consume(size * WORK_PER_BYTE);
    for (let done = 0; done < size; done += BLOCK.length) {
      const count = Math.min(BLOCK.length, size - done);
      this.drawn = drawBytes(this.drawn, count);
      putBytes(python, at + done, BLOCK.subarray(0, count));
    }
  }
}

/** Fills the block by Marsaglia's xorshift32, one byte for each state. @returns the last state */
function drawBytes(first: number, count: number): number {
  let state = first;
  for (let i = 0; i < count; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    BLOCK_VIEW.setUint8(i, state >>> 8);
  }
  return state;
}
