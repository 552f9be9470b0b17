import { putBytes, putWord, type Writable } from './writing.ts';

/** A program has reached for something that is closed: a function of the host's behind one of the module's imports. */
export class ClosedDoor extends Error {}

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

/** The interpreter behind the doors. */
interface Behind extends Writable {
  readonly HEAP32: Int32Array;
  readonly wasmTable: WebAssembly.Table;
  /** Asked by C code that runs long: the number of a signal, or 0. */
  signal(): number;
  mayReach(top: number): boolean;
  grow(size: number): number;
}

type Door = (...args: number[]) => unknown;
export type Imports = Readonly<Record<string, Record<string, WebAssembly.ImportValue>>>;

export interface DoorCounts {
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
export class Doors {
  private closed = false;
  private readonly entropy = { state: 1 };
  private readonly inTable: number[] = [];
  private counted = { open: 0, empty: 0, closed: 0, table: 0 };

  /** @param memory most bytes that the interpreter may have */
  constructor(
    private readonly python: () => Behind,
    private readonly memory: number,
  ) {}

  get counts(): DoorCounts {
    return this.counted;
  }

  /** What the module is to import in place of Emscripten's functions. */
  stand(module: WebAssembly.Module, imports: Imports): Imports {
    const own = this.own();
    const given: Record<string, Record<string, WebAssembly.ImportValue>> = {};
    for (const { module: group, name, kind } of WebAssembly.Module.imports(module)) {
      given[group] ??= {};
      const before = imports[group][name];
      given[group][name] =
        kind === 'function' ? (this.door(name, before as Door, own[name]) as WebAssembly.ImportValue) : before;
    }
    return given;
  }

  /** The module's table has JavaScript's functions in it, too, for those whose address it asks for. @param own the module's functions */
  listen(table: WebAssembly.Table, first: number, own: ReadonlySet<unknown>): void {
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

  private door(name: string, before: Door, own: Door | undefined): Door {
    if (own !== undefined || PURE.includes(name)) {
      this.counted.open++;
      return own ?? before;
    }
    const after = this.other(name);
    return (...args) => (this.closed ? after(...args) : before(...args));
  }

  private other(name: string): Door {
    const error = EMPTY[name];
    if (error !== undefined) {
      this.counted.empty++;
      return () => error;
    }
    this.counted.closed++;
    return () => {
      throw new ClosedDoor(`called ${name}, which is closed`);
    };
  }

  private write(at: number, bytes: Uint8Array): void {
    putBytes(this.python(), at, bytes);
  }

  /** The functions that are ours from the start. */
  private own(): Readonly<Record<string, Door>> {
    const zero = () => 0;
    const day: Door = (time, at) => writeDay(this.python(), Number(time), at);
    const seconds: Door = (at) => readSeconds(this.python(), at);
    return {
      _Py_CheckEmscriptenSignals_Helper: () => this.python().signal(),
      emscripten_date_now: zero,
      emscripten_get_now: zero,
      _localtime_js: day,
      _gmtime_js: day,
      _mktime_js: seconds,
      _timegm_js: seconds,
      _tzset_js: (zone, daylight, standard, summer) => {
        for (const pointer of [zone, daylight]) this.write(pointer, new Uint8Array(4));
        for (const name of [standard, summer]) this.write(name, Uint8Array.of(0x55, 0x54, 0x43, 0));
      },
      clock_time_get: (_clock, _precision, at) => {
        this.write(at, new Uint8Array(8));
        return 0;
      },
      random_get: (at, size) => {
        this.write(at, this.random(size));
        return 0;
      },
      __syscall_getcwd: (at) => {
        this.write(at, Uint8Array.of(0x2f, 0));
        return 2;
      },
      emscripten_get_heap_max: () => this.memory,
      emscripten_resize_heap: (size) => (this.mayGrow(size >>> 0) ? this.python().grow(size >>> 0) : 0),
    };
  }

  private mayGrow(size: number): boolean {
    return size <= this.memory && this.python().mayReach(size);
  }

  private random(size: number): Uint8Array {
    const bytes = new Uint8Array(size);
    for (let i = 0; i < size; i++) {
      // Marsaglia's xorshift32.
      this.entropy.state ^= this.entropy.state << 13;
      this.entropy.state ^= this.entropy.state >>> 17;
      this.entropy.state ^= this.entropy.state << 5;
      bytes[i] = this.entropy.state >>> 8;
    }
    return bytes;
  }
}

/** Days since the year began. */
const dayOfYear = (date: Date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) | 0;

/** C's broken-down time: nine ints, of which the last is not set, a long and a pointer. @param seconds since 1970 */
function writeDay(python: Behind, seconds: number, at: number): void {
  const date = new Date(1000 * seconds);
  const fields = [
    ...[date.getUTCSeconds(), date.getUTCMinutes(), date.getUTCHours(), date.getUTCDate(), date.getUTCMonth()],
    ...[date.getUTCFullYear() - 1900, date.getUTCDay(), dayOfYear(date)],
  ];
  fields.forEach((field, i) => {
    putWord(python, at + 4 * i, field);
  });
}

/** The way back, which also sets the days of the week and of the year. */
function readSeconds(python: Behind, at: number): bigint {
  const [second, minute, hour, day, month, year] = python.HEAP32.subarray(at >>> 2, (at >>> 2) + 6);
  const date = new Date(Date.UTC(year + 1900, month, day, hour, minute, second));
  putWord(python, at + 24, date.getUTCDay());
  putWord(python, at + 28, dayOfYear(date));
  return BigInt(date.getTime() / 1000);
}
