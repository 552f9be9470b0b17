import { MARKS } from '../marks.ts';
import { type FromGuest, type GuestAnswer, MOST_ANSWERS, type ToGuest } from '../types.ts';
import { Guest } from './guest.ts';
import { lockDown } from './lockdown.ts';

/** The worker's way to its host, the same for browsers and Node. */
interface Port {
  receive(listener: (message: ToGuest) => void): void;
  post(message: FromGuest): void;
}

/** Answers that may wait do so for so many milliseconds at most, or until the program that runs then has ended. */
const WAIT = 2;

/** Waits for the interpreter's parts, starts it, shuts every door, and runs what comes. */
export async function serve(): Promise<void> {
  const port = await openPort();
  // Their names are gone when the doors are shut.
  const now = performance.now.bind(performance);
  let guest: Guest | undefined;
  let waiting: GuestAnswer[] = [];
  let since = 0;
  port.receive((message) => {
    if (message.type === 'boot') {
      start(message).then(
        (started) => {
          guest = started;
          port.post({ type: 'ready' });
        },
        (error) => port.post({ type: 'failed', message: String(error instanceof Error ? error.message : error) }),
      );
      return;
    }
    if (!guest) throw new Error('nothing runs before the start');
    if (waiting.length === 0) since = now();
    waiting.push({ nonce: message.nonce, report: guest.run(message.program) });
    if (message.mayWait && waiting.length < MOST_ANSWERS && now() - since < WAIT) return;
    port.post({ type: 'answers', answers: waiting });
    waiting = [];
  });
}

async function start({ wasm, image }: Extract<ToGuest, { type: 'boot' }>): Promise<Guest> {
  const guest = await Guest.start({ wasm, image, memory: MARKS.memory });
  lockDown();
  return guest;
}

async function openPort(): Promise<Port> {
  const process = (globalThis as { process?: { versions?: { node?: string } } }).process;
  if (process?.versions?.node !== undefined) {
    const { parentPort } = await import('node:worker_threads');
    if (!parentPort) throw new Error('this is no worker');
    Reflect.deleteProperty(globalThis, 'process');
    return {
      receive: (listener) => parentPort.on('message', listener),
      post: (message) => parentPort.postMessage(message),
    };
  }
  const post = globalThis.postMessage.bind(globalThis) as (message: FromGuest) => void;
  // In the page the messages come through the iframe, whose only job is to pass them on.
  return {
    receive: (listener) => addEventListener('message', (event) => listener((event as MessageEvent<ToGuest>).data)),
    post,
  };
}
