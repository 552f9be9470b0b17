import worker from 'virtual:python-worker';
import { type Frame, type OnLoad, siteParts, workerIn } from './frameHost.ts';
import type { WorkerSource } from './sandboxWorker.ts';

/** Script of the frame. It starts one worker from a text that its parent page sends, and forwards messages. */
const FRAME = `
  addEventListener('message', ({ data, ports: [port], source }) => {
    if (source !== parent || !port || globalThis.started) return;
    globalThis.started = true;
    const address = URL.createObjectURL(new Blob([data], { type: 'text/javascript' }));
    const worker = new Worker(address);
    worker.onmessage = (event) => port.postMessage({ message: event.data });
    worker.onerror = (event) => port.postMessage({ end: event.message || 'the worker did not start' });
    port.onmessage = (event) => worker.postMessage(event.data);
  });
  parent.postMessage('ready', '*');
`;

/**
 * Opens a worker in an iframe with an opaque origin and a policy that allows no connections. Code in the worker
 * therefore has no access to the network, to storage and to the page.
 */
export function openFrame(): Frame {
  const nonce = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join('');
  const policy = `default-src 'none'; script-src 'nonce-${nonce}' blob: 'wasm-unsafe-eval'; worker-src blob:; base-uri 'none'; form-action 'none'`;
  const frame = document.createElement('iframe');
  const channel = new MessageChannel();
  frame.sandbox.add('allow-scripts');
  frame.hidden = true;
  frame.title = 'Python';
  frame.setAttribute('aria-hidden', 'true');
  frame.srcdoc = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><script nonce="${nonce}">${FRAME}</script>`;
  const greet = ({ source }: MessageEvent) => {
    if (source === null || source !== frame.contentWindow) return;
    removeEventListener('message', greet);
    frame.contentWindow?.postMessage(worker, '*', [channel.port2]);
  };
  addEventListener('message', greet);
  document.body.append(frame);
  return {
    port: channel.port1,
    remove() {
      removeEventListener('message', greet);
      // Removing a frame ends its workers.
      frame.remove();
    },
  };
}

/** Creates a source of workers in separate iframes (openFrame), for a sandbox in the page. */
export function createPageSource(
  workers = Math.max(1, navigator.hardwareConcurrency - 1),
  onLoad?: OnLoad,
): WorkerSource {
  return { workers, open: async (events) => workerIn(openFrame(), events), parts: () => siteParts(onLoad) };
}
