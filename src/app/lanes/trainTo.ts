import type { SessionController } from '../session/sessionController.ts';

/**
 * Lets a run that is about to begin continue until it has `steps` updates and has sent its state.
 * @param updated is called at each update
 * @returns the message of the problem that stopped the run before; undefined if the run reached `steps`
 */
export function trainTo(
  session: Pick<SessionController, 'listen' | 'send'>,
  steps: number,
  updated: () => void,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let problem = '';
    let hasStarted = false;
    let isComplete = false;
    const over = session.listen((message) => {
      if (message.type === 'problem') problem = message.problem.message;
      // A custom rule failed: the run is stopped and would not continue.
      const failed = message.type === 'problem' && message.problem.kind === 'rule';
      // Until this run is there, updates and states are still those of the run before.
      if (message.type === 'ready') hasStarted = true;
      if (message.type === 'metrics' && hasStarted) {
        updated();
        if (message.metrics.step + 1 >= steps && !isComplete) {
          isComplete = true;
          session.send({ type: 'pause' });
        }
      }
      const isSaved = isComplete && message.type === 'checkpoint' && message.saved.step >= steps;
      const stopped = message.type === 'left' || (message.type === 'status' && message.status === 'stopped');
      if (!isSaved && !stopped && !failed) return;
      over();
      resolve(isSaved ? undefined : problem);
    });
  });
}
