import { putBytes, type Writable } from './writing.ts';

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
  readonly wasmTable: WebAssembly.Table;
  /** Asked by C code that runs long: the number of a signal, or 0. */
  signal(): number;
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
    const own = this.own(imports);
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

  /** Starts the stream of random bytes anew. */
  reseed(): void {
    this.entropy.state = 1;
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
  private own(imports: Imports): Readonly<Record<string, Door>> {
    const env = imports.env as unknown as Record<string, Door>;
    const { _gmtime_js, _timegm_js, emscripten_resize_heap } = env;
    const zero = () => 0;
    // Nine ints, a long and a pointer: C's broken-down time.
    const withTime = (call: Door, place: number): Door => {
      return (...args) => {
        const result = call(...args);
        this.python().mark(args[place], 44);
        return result;
      };
    };
    const day = withTime(_gmtime_js, 1);
    const seconds = withTime(_timegm_js, 0);
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
      emscripten_resize_heap: (size) => (size >>> 0 > this.memory ? 0 : emscripten_resize_heap(size)),
    };
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
