import type { Task } from './tasks.ts';
import { type GuestRun, LIMITS, MOST_TOGETHER, type Outcome } from './types.ts';
import { Watchdog } from './watchdog.ts';

/** What was asked for together. */
export interface Batch {
  readonly settle: (task: Task, outcomes: readonly Outcome[]) => void;
  readonly fail: (error: unknown) => void;
  over: boolean;
}

/** A program that waits for a worker. */
export interface Waiting {
  readonly batch: Batch;
  readonly task: Task;
  /** It travels alone: a worker was lost, and nobody knows at which of several programs. */
  readonly alone?: boolean;
}

/** Programs that a worker has got. */
export interface Chunk {
  /** A nonce for each program: none is any use for another. */
  readonly nonces: readonly string[];
  readonly batch: Batch;
  readonly tasks: readonly Task[];
  readonly messages: readonly (readonly GuestRun[])[];
  /** For each program, whether its answer may wait for the next one: they travel together. */
  readonly mayWait: readonly boolean[];
  /** For each program, whether it has a message of its own. */
  readonly isAlone: readonly boolean[];
  /** Reports that have come. */
  next: number;
  readonly watchdog: Watchdog;
}

/** What a worker gets, from the programs that it takes of a batch. @param onTimeout one of them takes longer than it may */
export function newChunk(batch: Batch, taken: readonly Waiting[], onTimeout: () => void): Chunk {
  const together = inMessages(taken);
  const messages = together.map((few) =>
    few.map(({ task: { program } }): GuestRun => ({ nonce: newNonce(), program })),
  );
  return {
    ...{ batch, messages, tasks: taken.map(({ task }) => task) },
    nonces: messages.flatMap((programs) => programs.map(({ nonce }) => nonce)),
    mayWait: together.flatMap((few) => few.map((_, i) => i + 1 < few.length)),
    isAlone: together.flatMap((few) => few.map(() => few.length === 1)),
    ...{ next: 0, watchdog: new Watchdog(onTimeout) },
  };
}

/** Programs of one message: they end soon, whatever they do, because the module counts their work (guest/fuelMeter.ts). */
function inMessages(taken: readonly Waiting[]): Waiting[][] {
  const isShort = ({ task, alone }: Waiting) => !alone && task.program.limits.fuel <= LIMITS.fuel;
  const together: Waiting[][] = [];
  for (const one of taken) {
    const last = together.at(-1);
    if (last && last.length < MOST_TOGETHER && isShort(one) && isShort(last[0])) last.push(one);
    else together.push([one]);
  }
  return together;
}

function newNonce(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (word) => word.toString(16)).join('-');
}
