import type { SessionController } from '../session/sessionController.ts';

/**
 * Lets a run that is about to begin go on until it has so many updates, and then hand out what it is.
 * @param updated is called at each update
 * @returns what keeps it from getting there, for people; undefined where it got there
 */
export function trainTo(
  session: Pick<SessionController, 'listen' | 'send'>,
  steps: number,
  updated: () => void,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let problem = '';
    let begun = false;
    let enough = false;
    const over = session.listen((message) => {
      if (message.type === 'problem') problem = message.problem.message;
      // A rule of one's own failed: the run stands still, and would for ever.
      const failed = message.type === 'problem' && message.problem.kind === 'rule';
      // Until this run is there, updates and states are still those of the run before.
      if (message.type === 'ready') begun = true;
      if (message.type === 'metrics' && begun) {
        updated();
        if (message.metrics.step + 1 >= steps && !enough) {
          enough = true;
          session.send({ type: 'pause' });
        }
      }
      const kept = enough && message.type === 'checkpoint' && message.saved.step >= steps;
      const stopped = message.type === 'left' || (message.type === 'status' && message.status === 'stopped');
      if (!kept && !stopped && !failed) return;
      over();
      resolve(kept ? undefined : problem);
    });
  });
}
