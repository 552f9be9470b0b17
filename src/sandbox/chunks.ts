import { MAX_MESSAGE_PROGRAMS, type SandboxRequest } from './protocol.ts';
import type { Task } from './tasks.ts';
import { LIMITS, type Outcome } from './types.ts';
import { Watchdog } from './watchdog.ts';

/** Programs that were requested together. */
export interface Batch {
  readonly settle: (task: Task, outcomes: readonly Outcome[]) => void;
  readonly fail: (error: unknown) => void;
  over: boolean;
}

/** A program that waits for a worker. */
export interface Waiting {
  readonly batch: Batch;
  readonly task: Task;
  /** The program is sent alone: a worker was lost, and it is not known which of several programs was the cause. */
  readonly isIsolated?: boolean;
}

/** A program that a worker has received. */
interface Sent {
  readonly task: Task;
  /** No use for another program. */
  readonly nonce: string;
  /** Its answer may wait for the next one: they travel together. */
  readonly mayWait: boolean;
  /** The program has a separate message. */
  readonly isSingle: boolean;
}

/** Programs that a worker has got. */
export interface Chunk {
  readonly batch: Batch;
  readonly sent: readonly Sent[];
  /** Reports that have come. */
  next: number;
  readonly watchdog: Watchdog;
}

/** Sends a worker the programs that it takes of a batch. @param onTimeout one of them takes longer than it may */
export function sendChunk(
  worker: { run(programs: readonly SandboxRequest[]): void },
  batch: Batch,
  entries: readonly Waiting[],
  onTimeout: () => void,
): Chunk {
  const sent = inMessages(entries).flatMap((waiting) => {
    const isSingle = waiting.length === 1;
    const programs = waiting.map(
      ({ task }, i): Sent => ({ task, nonce: newNonce(), mayWait: i + 1 < waiting.length, isSingle }),
    );
    worker.run(programs.map(({ nonce, task: { program } }) => ({ nonce, program })));
    return programs;
  });
  const watchdog = new Watchdog(onTimeout);
  watchdog.begin(sent[0].task.program.limits.time);
  return { batch, sent, next: 0, watchdog };
}

/** Programs of one message: they end soon, whatever they do, because the module counts their work (guest/fuelMeter.ts). */
function inMessages(entries: readonly Waiting[]): Waiting[][] {
  const isShort = ({ task, isIsolated }: Waiting) => !isIsolated && task.program.limits.fuel <= LIMITS.fuel;
  const together: Waiting[][] = [];
  for (const entry of entries) {
    const last = together.at(-1);
    if (last && last.length < MAX_MESSAGE_PROGRAMS && isShort(entry) && isShort(last[0])) last.push(entry);
    else together.push([entry]);
  }
  return together;
}

function newNonce(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (number) => number.toString(16)).join('-');
}
