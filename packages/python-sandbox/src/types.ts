/** Input and output of the sandbox, in the browser and in Node. */

/** Python float. Ints are numbers or bigints, so that the two types remain distinct. */
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
/** Value of a type that the sandbox does not export, with the name of the Python type. It equals no value. */
export interface OpaqueValue {
  readonly typeName: string;
}

export type Scalar = null | boolean | number | bigint | string | Float;

/**
 * Plain Python data. None is null, and a bool is a boolean. An int is a safe integer or a bigint, a str is a string
 * and a list is an array. Only exact types count: an instance of a subclass is an `OpaqueValue`.
 */
export type Value = Scalar | readonly Value[] | Tuple | SetValue | Dict | OpaqueValue;

/** Expected list or tuple with these items. Expected values are never sent to a worker. */
export interface Sequence {
  readonly sequence: readonly Expected[];
}
export type Expected = Scalar | readonly Expected[] | Tuple<Expected> | SetValue<Expected> | Dict<Expected> | Sequence;

/** Name of a function, or of a class and a method. */
export const ENTRY = /^[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)?$/u;

export interface Limits {
  /** Maximum number of steps of one test. A step is a unit of counted work (docs/develop/sandbox.md). */
  readonly fuel: number;
  /** Maximum wall-clock time of one program with all its tests, after which its worker is ended [ms]. */
  readonly time: number;
  /** Maximum growth of the memory during one test [bytes]. */
  readonly memory: number;
  /** Maximum stored output of one test [characters]. */
  readonly output: number;
  /** Maximum length of the source [characters]. */
  readonly source: number;
  /** Maximum size of a result [elements]. 64 characters count as one element. */
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

/** Program with the inputs of its calls. */
export interface Program {
  readonly program: string;
  /** Name of a function, or `Class.method` for a method of an instance that is created without arguments. */
  readonly entry: string;
  /** [calls][arguments] the calls share no state, and each executes the code of the module again. */
  readonly inputs: readonly (readonly Value[])[];
  readonly limits?: Partial<Limits>;
  /** True if the program is called repeatedly. The worker stores the state after its module code for later calls. */
  readonly retain?: boolean;
}

/** Program with its tests. */
export interface Job extends Omit<Program, 'inputs'> {
  readonly tests: readonly Test[];
  /** Maximum difference of equal floats, relative to max(1, |expected|). Default: 0. */
  readonly tolerance?: number;
}

export type Status = 'passed' | 'failed' | 'error' | 'limit' | 'violation';
export type LimitKind = 'fuel' | 'time' | 'memory' | 'stack' | 'source' | 'result';

export interface PythonError {
  /** Class of the exception, or the limit that was exceeded. */
  readonly type: string;
  readonly message: string;
  /** Line of the program, from 1; absent if unknown. */
  readonly line?: number;
}

export interface UnitTestResult {
  readonly status: Status;
  /** Python's repr of the returned value, truncated; absent if the call returned no value. */
  readonly actual?: string;
  readonly error?: PythonError;
  /** Printed output, truncated. */
  readonly output: string;
  readonly fuel: number;
}

export interface ProgramResult {
  readonly status: Status;
  readonly tests: readonly UnitTestResult[];
  /** Steps of all tests. A test that exceeds a limit counts with its entire budget. */
  readonly fuel: number;
}

/** Outcome of one call in a worker. The host compares it with the expectation. */
export type Outcome =
  | { readonly kind: 'value'; readonly value: Value; readonly output: string; readonly fuel: number }
  | { readonly kind: 'error'; readonly error: PythonError; readonly output: string; readonly fuel: number }
  | { readonly kind: 'limit'; readonly limit: LimitKind; readonly output: string; readonly fuel: number }
  | { readonly kind: 'violation'; readonly reason: string; readonly output: string; readonly fuel: number };

/** Program in the form that is sent to a worker, without expectations. */
export interface SandboxProgram extends Program {
  readonly limits: Limits;
}

/** Report of a worker for one program. */
export interface SandboxReport {
  readonly outcomes: readonly Outcome[];
}
