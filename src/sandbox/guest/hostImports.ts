import { readTime, writeTime } from './calendar.ts';
import { putBytes, putWord, type Writable } from './memoryAccess.ts';
import type { WorkBounds } from './workBounds.ts';

/** A program has reached for something that is closed: a function of the host's behind one of the module's imports. */
export class ClosedImport extends Error {}

/** Work of the module (build/counting.ts) that takes as long as a random byte. */
const WORK_PER_BYTE = 8;
const BLOCK = new Uint8Array(4096);
const BLOCK_VIEW = new DataView(BLOCK.buffer);
const ROOT = Uint8Array.of(0x2f, 0);
const UTC = Uint8Array.of(0x55, 0x54, 0x43, 0);

/** POSIX errors by Emscripten's numbers. */
const [BAD_DESCRIPTOR, NO_ENTRY, READ_ONLY, NOT_PERMITTED] = [8, 44, 69, 63];

/** System calls of an empty file system without descriptors, and the error that each gives. */
const EMPTY: Readonly<Record<string, number>> = {
  __syscall_openat: -NO_ENTRY,
  __syscall_stat64: -NO_ENTRY,
  __syscall_lstat64: -NO_ENTRY,
  __syscall_newfstatat: -NO_ENTRY,
  __syscall_statfs64: -NO_ENTRY,
  __syscall_faccessat: -NO_ENTRY,
  __syscall_readlinkat: -NO_ENTRY,
  __syscall_chdir: -NO_ENTRY,
  __syscall_unlinkat: -NO_ENTRY,
  __syscall_rmdir: -NO_ENTRY,
  __syscall_mkdirat: -READ_ONLY,
  __syscall_ioctl: -BAD_DESCRIPTOR,
  __syscall_fcntl64: -BAD_DESCRIPTOR,
  __syscall_fstat64: -BAD_DESCRIPTOR,
  __syscall_fchdir: -BAD_DESCRIPTOR,
  __syscall_dup: -BAD_DESCRIPTOR,
  __syscall_dup3: -BAD_DESCRIPTOR,
  __syscall_getdents64: -BAD_DESCRIPTOR,
  __syscall_ftruncate64: -BAD_DESCRIPTOR,
  __syscall_pipe: -NOT_PERMITTED,
  fd_close: BAD_DESCRIPTOR,
  fd_read: BAD_DESCRIPTOR,
  fd_write: BAD_DESCRIPTOR,
  fd_seek: BAD_DESCRIPTOR,
  fd_sync: BAD_DESCRIPTOR,
  fd_pread: BAD_DESCRIPTOR,
  fd_pwrite: BAD_DESCRIPTOR,
  fd_fdstat_get: BAD_DESCRIPTOR,
};

/** What stays as it is: it reads and gives back numbers. */
const PURE = ['_PyEM_TrampolineCall_JS', 'Jsv_GetError_import', 'JsvError_Check'];

/** The parts of an interpreter that its imports use. */
interface Importer extends Writable {
  readonly wasmTable: WebAssembly.Table;
  readonly bounds: WorkBounds | undefined;
  /** Called where memory seems to end. @throws where it may not reach up to this byte */
  mayReach(top: number): void;
  /** Makes memory this many bytes or more; 0 if memory cannot grow. */
  grow(size: number): number;
}

type HostFunction = (...args: number[]) => unknown;
export type Imports = Readonly<Record<string, Record<string, WebAssembly.ImportValue>>>;

export interface ImportCounts {
  readonly open: number;
  readonly empty: number;
  readonly closed: number;
  /** Functions of JavaScript that were taken out of the table. */
  readonly table: number;
}

/**
 * The module's imports are the only way from Python to JavaScript. While the interpreter starts, Emscripten's own functions stand behind them; `close` puts
 * others there for good: arithmetic, memory, a clock that stands still, an empty file system. Every other one throws.
 */
export class HostImports {
  private closed = false;
  private readonly entropy = { state: 1 };
  private readonly inTable: number[] = [];
  private counted = { open: 0, empty: 0, closed: 0, table: 0 };

  /** @param memory most bytes that the interpreter may have */
  constructor(
    private readonly python: () => Importer,
    private readonly memory: number,
  ) {}

  get counts(): ImportCounts {
    return this.counted;
  }

  /** What the module is to import in place of Emscripten's functions. */
  replaceIn(module: WebAssembly.Module, imports: Imports): Imports {
    const own = this.own();
    const given: Record<string, Record<string, WebAssembly.ImportValue>> = {};
    for (const { module: group, name, kind } of WebAssembly.Module.imports(module)) {
      given[group] ??= {};
      const before = imports[group][name];
      given[group][name] =
        kind === 'function'
          ? (this.functionFor(name, before as HostFunction, own[name]) as WebAssembly.ImportValue)
          : before;
    }
    return given;
  }

  /** The module's table has JavaScript's functions in it, too, for those whose address it asks for. @param own the module's functions */
  findInTable(table: WebAssembly.Table, first: number, own: ReadonlySet<unknown>): void {
    for (let i = first; i < table.length; i++) {
      const found = table.get(i);
      if (found !== null && !own.has(found)) this.inTable.push(i);
    }
    this.counted.table = this.inTable.length;
  }

  /** From here on nothing but what is listed here answers. */
  close(): void {
    this.closed = true;
    const { wasmTable } = this.python();
    for (const i of this.inTable) wasmTable.set(i, null);
  }

  /** Where the stream of random bytes is. */
  get drawn(): number {
    return this.entropy.state;
  }

  /** Starts the stream of random bytes anew, or goes on with it from where it was. */
  reseed(state = 1): void {
    this.entropy.state = state;
  }

  private functionFor(name: string, before: HostFunction, own: HostFunction | undefined): HostFunction {
    if (own !== undefined || PURE.includes(name)) {
      this.counted.open++;
      return own ?? before;
    }
    const after = this.other(name);
    return (...args) => (this.closed ? after(...args) : before(...args));
  }

  private other(name: string): HostFunction {
    const error = EMPTY[name];
    if (error !== undefined) {
      this.counted.empty++;
      return () => error;
    }
    this.counted.closed++;
    return () => {
      throw new ClosedImport(`called ${name}, which is closed`);
    };
  }

  /** The functions that are ours from the start. */
  private own(): Readonly<Record<string, HostFunction>> {
    const zero = () => 0;
    const day: HostFunction = (time, at) => writeTime(this.python(), Number(time), at);
    const seconds: HostFunction = (at) => readTime(this.python(), at);
    return {
      emscripten_date_now: zero,
      emscripten_get_now: zero,
      _localtime_js: day,
      _gmtime_js: day,
      _mktime_js: seconds,
      _timegm_js: seconds,
      _tzset_js: (zone, daylight, standard, summer) => {
        for (const pointer of [zone, daylight]) putWord(this.python(), pointer, 0);
        for (const name of [standard, summer]) putBytes(this.python(), name, UTC);
      },
      clock_time_get: (_clock, _precision, at) => {
        for (const half of [at, at + 4]) putWord(this.python(), half, 0);
        return 0;
      },
      random_get: (at, size) => {
        this.putRandom(at, size >>> 0);
        return 0;
      },
      __syscall_getcwd: (at) => {
        putBytes(this.python(), at, ROOT);
        return 2;
      },
      emscripten_get_heap_max: () => this.memory,
      emscripten_resize_heap: (size) => this.grow(size >>> 0),
    };
  }

  private grow(size: number): number {
    const python = this.python();
    python.mayReach(size);
    return size <= this.memory ? python.grow(size) : 0;
  }

  /** Writes so many random bytes, a block at a time. Their work is taken first: the module does not count it. */
  private putRandom(at: number, size: number): void {
    const python = this.python();
    python.bounds?.consume(size * WORK_PER_BYTE);
    for (let done = 0; done < size; done += BLOCK.length) {
      const count = Math.min(BLOCK.length, size - done);
      this.entropy.state = drawBytes(this.entropy.state, count);
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
