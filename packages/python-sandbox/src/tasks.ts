import { ENTRY, LIMITS, type Limits, type Program, type SandboxProgram } from './types.ts';

/** Distinct program of a batch, with its indices in the batch. */
export interface Task {
  readonly program: SandboxProgram;
  readonly indices: number[];
}

/** Returns the distinct programs of a batch, each with its indices. @throws {TypeError} for a malformed program */
export function distinct(programs: readonly Program[]): Task[] {
  const tasks = new Map<string, Task>();
  programs.forEach((job, index) => {
    const program = createWorkerProgram(job, index);
    const limits = job.limits === undefined ? '' : JSON.stringify(program.limits);
    const key = `${program.entry} ${limits} ${job.retain ?? false} ${inputsKey(program.inputs)} ${program.program}`;
    const task = tasks.get(key) ?? { program, indices: [] };
    task.indices.push(index);
    tasks.set(key, task);
  });
  return [...tasks.values()];
}

/** Returns a key that is equal only for equal inputs. */
function inputsKey(inputs: Program['inputs']): string {
  try {
    const text = JSON.stringify(inputs);
    if (!text.includes('"float"')) return text;
  } catch {
    // JSON.stringify throws for bigints.
  }
  return JSON.stringify(inputs, keyOf);
}

/** Replaces values that JSON does not distinguish: bigints, infinities, NaN and minus zero. */
function keyOf(key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return { $int: String(value) };
  if (key === 'float' && typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  return value;
}

function createWorkerProgram(job: Program, index: number): SandboxProgram {
  const fail = (message: string) => {
    throw new TypeError(`job ${index}: ${message}`);
  };
  if (typeof job.program !== 'string') fail('program must be a string');
  if (typeof job.entry !== 'string' || !ENTRY.test(job.entry)) fail(`entry "${job.entry}" names no function`);
  const { program, entry, inputs, retain = false } = job;
  const limits: Limits = { ...LIMITS, ...job.limits };
  for (const [name, value] of Object.entries(limits)) {
    if (!(typeof value === 'number' && value > 0)) fail(`limit ${name} must be above 0, and is ${value}`);
  }
  return { program, entry, inputs, limits, retain };
}
