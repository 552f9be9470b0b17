/**
 * Yields to the event queue of the thread, so that messages arrive within the time of one minibatch. It uses a channel,
 * because timers wait at least 4 ms.
 */
export function rest(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
