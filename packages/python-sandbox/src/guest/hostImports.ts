import { MARKS } from '../moduleLayout.ts';
import { readTime, writeTime } from './calendar.ts';
import type { Hook, Interpreter } from './interpreter.ts';
import { putBytes, writeUint32 } from './memoryAccess.ts';

/** Error for a program that exceeds its memory limit. It is thrown through the interpreter. */
export class MemoryLimit extends Error {}

/** Error for a program that calls a closed import of the host. */
export class ClosedImport extends Error {}

/** Units of the module's work (build/counting.ts) that take as long as one random byte. */
const WORK_PER_BYTE = 8;
const BLOCK = new Uint8Array(4096);
const BLOCK_VIEW = new DataView(BLOCK.buffer);
const ROOT = Uint8Array.of(0x2f, 0);
const UTC = Uint8Array.of(0x55, 0x54, 0x43, 0);

/** POSIX error numbers, and the system calls that return them: those of an empty file system without descriptors. */
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
 * Imports of the module, which are the only path from Python to JavaScript. While the interpreter starts, they call
 * Emscripten's functions. `close` permanently replaces them by arithmetic, memory, a clock that does not advance and an
 * empty file system. All other imports then throw.
 */
export class HostImports {
  private closed = false;
  /** State of the generator of random bytes. The initial state is 1. */
  drawn = 1;
  /** Number of imported functions that are implemented here, that return an error, and that throw. */
  readonly counts = { open: 0, empty: 0, closed: 0 };
  /** Interpreter that imports these functions. It must be set before it runs. */
  python!: Interpreter;

  /** Returns the imports of the module, with replacements of Emscripten's functions. */
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

  /** Closes all imports except the functions that are implemented here. */
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

  /** Returns the functions that replace Emscripten's functions from the start. */
  private createReplacements(): Readonly<Record<string, HostFunction>> {
    const zero = () => 0;
    const marker = Symbol('no error object');
    const functions: (Hook | undefined)[] = [];
    const day: HostFunction = (time, at) => writeTime(this.python, Number(time), at);
    const seconds: HostFunction = (at) => readTime(this.python, at);
    return {
      Jsv_GetError_import: () => marker,
      JsvError_Check: (value) => (value as unknown) === marker,
      // If WebAssembly cannot determine the number of parameters of a function, CPython calls it through JavaScript,
      // which accepts any number. Functions are cached, because reading the table is slow.
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
      random_get: (at, size) => this.putRandom(at, size >>> 0),
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

  /** Writes random bytes. Their work is subtracted first, because the module does not count it. @returns 0 (success) */
  private putRandom(at: number, size: number): 0 {
    const { python } = this;
    python.bounds?.consume(size * WORK_PER_BYTE);
    for (let done = 0; done < size; done += BLOCK.length) {
      const count = Math.min(BLOCK.length, size - done);
      this.drawn = drawBytes(this.drawn, count);
      putBytes(python, at + done, BLOCK.subarray(0, count));
    }
    return 0;
  }
}

/** Fills the block by Marsaglia's xorshift32, one byte per state. @returns last state */
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
