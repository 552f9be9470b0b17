import { MAX_MESSAGE_PROGRAMS, type SandboxRequest } from './protocol.ts';
import type { Task } from './tasks.ts';
import { LIMITS, type Outcome } from './types.ts';
import { Watchdog } from './watchdog.ts';

/** Programs of one call of `execute`. */
export interface Batch {
  readonly settle: (task: Task, outcomes: readonly Outcome[]) => void;
  readonly fail: (error: unknown) => void;
  over: boolean;
}

/** Program in the queue. */
export interface Waiting {
  readonly batch: Batch;
  readonly task: Task;
  /** True if the program must be sent alone: its worker was lost with several programs, so the cause is unknown. */
  readonly isIsolated?: boolean;
}

/** Program that a worker has received. */
interface Sent {
  readonly task: Task;
  /** Nonce that is valid for this program only. */
  readonly nonce: string;
  /** True if the worker can delay the report of this program and send it together with the next report. */
  readonly mayWait: boolean;
  /** True if the program is the only program of its message. */
  readonly isSingle: boolean;
}

/** Programs that were sent to one worker. */
export interface Chunk {
  readonly batch: Batch;
  readonly sent: readonly Sent[];
  /** Number of reports received. */
  next: number;
  readonly watchdog: Watchdog;
}

/** Sends programs of a batch to a worker. @param onTimeout called if a program exceeds its time limit */
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

/** Groups programs into messages. Only those with the standard fuel limit share one: they end early (fuelMeter.ts). */
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
