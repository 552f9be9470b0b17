import worker from 'virtual:python-worker';

/**
 * Script of the frame: it makes the worker from the text that it receives, and passes messages on. It admits no other
 * content.
 */
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

/** Messages from a frame to the holder of its port: from the worker, and when the worker has ended by itself. */
export type FrameMessage = { readonly message: unknown } | { readonly end: string };

/** A worker in a separate iframe. */
export interface Frame {
  /**
   * Port that receives FrameMessages; a posted message goes to the worker as it is. The port may be transferred to
   * another thread.
   */
  readonly port: MessagePort;
  /** Ends the worker at once, whatever it is doing. */
  remove(): void;
}

/**
 * Opens a worker in an iframe with an opaque origin and a policy that allows no connection: whatever runs there has no
 * network, no storage and no page.
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
      // A frame's workers end with it.
      frame.remove();
    },
  };
}
