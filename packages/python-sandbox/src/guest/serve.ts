import type { HostToWorkerMessage, SandboxResponse, WorkerToHostMessage } from '../protocol.ts';
import { lockDown } from './lockdown.ts';
import { SandboxInterpreter } from './sandboxInterpreter.ts';

/** Message port of the worker, for browsers and Node. */
interface Port {
  receive(listener: (message: HostToWorkerMessage) => void): void;
  post(message: WorkerToHostMessage): void;
}

/** Maximum delay of an answer that is combined with others, excluding the running program [ms]. */
const WAIT = 2;

/** Waits for the parts of the interpreter, starts it, locks the realm, and runs the received programs. */
export async function serve(): Promise<void> {
  const port = await openPort();
  // `lockDown` removes these names.
  const now = performance.now.bind(performance);
  let worker: SandboxInterpreter | undefined;
  port.receive((message) => {
    if (message.type === 'boot') {
      SandboxInterpreter.start(message)
        .then((started) => {
          lockDown();
          worker = started;
          port.post({ type: 'ready' });
        })
        .catch((error) =>
          port.post({ type: 'failed', message: String(error instanceof Error ? error.message : error) }),
        );
      return;
    }
    if (!worker) throw new Error('nothing runs before the start');
    let [answers, since]: [SandboxResponse[], number] = [[], now()];
    const post = () => port.post({ type: 'answers', answers });
    for (const { nonce, program } of message.programs) {
      answers.push({ nonce, report: worker.run(program) });
      if (now() - since < WAIT) continue;
      post();
      [answers, since] = [[], now()];
    }
    if (answers.length > 0) post();
  });
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
  const post = globalThis.postMessage.bind(globalThis) as (message: WorkerToHostMessage) => void;
  // In the browser, an iframe forwards the messages.
  return {
    receive: (listener) => addEventListener('message', ({ data }) => listener(data)),
    post,
  };
}
