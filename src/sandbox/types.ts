/** Input and output of the sandbox; the same in the page and on Node. */

/** A float; ints are plain numbers or bigints, so that the two kinds stay apart. */
export interface Float {
  readonly float: number;
}
export interface Tuple<T = Value> {
  readonly tuple: readonly T[];
}
export interface SetValue<T = Value> {
  readonly set: readonly T[];
}
export interface Dict<T = Value> {
  readonly dict: readonly (readonly [T, T])[];
}
/** A value of a kind that does not leave the sandbox, by the name of its Python type. It equals nothing. */
export interface OpaqueValue {
  readonly typeName: string;
}

export type Scalar = null | boolean | number | bigint | string | Float;

/**
 * Plain Python data: None is null, bool a boolean, int a safe integer or a bigint, str a string, list an array.
 * Exact types only: an instance of a subclass is an `OpaqueValue`.
 */
export type Value = Scalar | readonly Value[] | Tuple | SetValue | Dict | OpaqueValue;

/** Expected values may also leave open whether a sequence is a list or a tuple. They never enter the guest. */
export interface Sequence {
  readonly sequence: readonly Expected[];
}
export type Expected = Scalar | readonly Expected[] | Tuple<Expected> | SetValue<Expected> | Dict<Expected> | Sequence;

/** A function's name, or a class's and a method's. */
export const ENTRY = /^[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)?$/u;

export interface Limits {
  /** Steps that one test may take: work that Python's module counts (docs/develop/sandbox.md). */
  readonly fuel: number;
  /** Milliseconds on the clock for one program with all its tests, after which its worker is ended. */
  readonly time: number;
  /** Bytes by which the memory of one test may grow. */
  readonly memory: number;
  /** Characters of printed output that are stored, a test. */
  readonly output: number;
  /** Characters of source. */
  readonly source: number;
  /** Elements of a result, its characters counted as one for 64. */
  readonly result: number;
}

export const LIMITS: Limits = {
  fuel: 1_000_000,
  time: 20_000,
  memory: 64 * 2 ** 20,
  output: 4_000,
  source: 100_000,
  result: 20_000,
};

export interface Test {
  readonly args: readonly Value[];
  readonly expected: Expected;
}

/** A program and what to call it with. */
export interface Program {
  readonly program: string;
  /** A function's name, or `Class.method` for a method of an instance made without arguments. */
  readonly entry: string;
  /** [calls][arguments]: each call is made in a separate world, and the module's code runs again for it. */
  readonly inputs: readonly (readonly Value[])[];
  readonly limits?: Partial<Limits>;
  /**
   * True if the program is called repeatedly: a worker stores the state that the module's code has left, and does not
   * run that code again for every call of `execute`.
   */
  readonly retain?: boolean;
}

/** A program and its tests. */
export interface Job extends Omit<Program, 'inputs'> {
  readonly tests: readonly Test[];
  /** Floats within `tolerance * max(1, |expected|)` are equal. Zero where it is left out. */
  readonly tolerance?: number;
}

export type Status = 'passed' | 'failed' | 'error' | 'limit' | 'violation';

export type LimitKind = 'fuel' | 'time' | 'memory' | 'stack' | 'source' | 'result';

export interface PythonError {
  /** The exception's class, or the limit that was hit. */
  readonly type: string;
  readonly message: string;
  /** Line of the program, from 1. */
  readonly line?: number;
}

export interface UnitTestResult {
  readonly status: Status;
  /** Python's repr of what came back, capped. */
  readonly actual?: string;
  readonly error?: PythonError;
  /** Text that the program printed, capped. */
  readonly output: string;
  readonly fuel: number;
}

export interface ProgramResult {
  readonly status: Status;
  readonly tests: readonly UnitTestResult[];
  /** Steps of all tests together. A test that hit a limit counts with its whole budget. */
  readonly fuel: number;
}

/** Report of the guest on one test; the host makes the verdict from it. */
export type Outcome =
  | { readonly kind: 'value'; readonly value: Value; readonly output: string; readonly fuel: number }
  | { readonly kind: 'error'; readonly error: PythonError; readonly output: string; readonly fuel: number }
  | { readonly kind: 'limit'; readonly limit: LimitKind; readonly output: string; readonly fuel: number }
  | { readonly kind: 'violation'; readonly reason: string; readonly output: string; readonly fuel: number };

/** A program as it travels to the guest: no expectations. */
export interface SandboxProgram extends Program {
  readonly limits: Limits;
}

/** The guest's answer for one program. */
export interface SandboxReport {
  readonly outcomes: readonly Outcome[];
}
