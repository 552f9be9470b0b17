import type { SessionController } from '../session/sessionController.ts';

/**
 * Waits until a run that is about to begin has `steps` updates and has sent its state. Pauses the run at that step.
 * @param updated callback for each update
 * @returns undefined if the run reached `steps`, otherwise the message of the problem that stopped it
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
      // After a failure of a custom rule, the run does not continue.
      const failed = message.type === 'problem' && message.problem.kind === 'rule';
      // Before `ready`, updates and states are from the previous run.
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
