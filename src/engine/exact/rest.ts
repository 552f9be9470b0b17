/**
 * Gives the thread's queue a turn, so that messages arrive within the time of one minibatch. A channel is used, because timers wait
 * at least 4 ms.
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
