import type { TrainedAgain } from '../../../lessons/results/reruns.ts';
import type { RunConfiguration } from '../../../training/data/configuration.ts';
import type { Message, Metrics } from '../../../training/data/protocol.ts';
import type { Session, SessionFactory } from '../../session/pageSession.ts';
import { openWorker } from '../../session/workerSession.ts';
import { teacherStrings } from '../../strings/teacherStrings.ts';

/** Somebody asked to stop. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** What is told of a run while it is trained, and what ends it. */
export interface Watching {
  /** Updates that are done. */
  readonly told: (steps: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Trains a run from its beginning in a worker of its own, as fast as it goes.
 * @param steps updates
 * @throws {Stopped} where `signal` asks for it
 * @throws {Error} with the words of the worker, where the run cannot be trained
 */
export function trainAgain(
  configuration: RunConfiguration,
  steps: number,
  { told, signal }: Watching,
  open: SessionFactory = openWorker,
): Promise<TrainedAgain> {
  return new Promise((resolve, reject) => {
    let device = '';
    let session: Session | undefined;
    const metrics: Metrics[] = [];
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', stop);
      session?.close();
      session = undefined;
      settle();
    };
    const stop = () => end(() => reject(new Stopped(teacherStrings.check.stopped)));
    const hear = (message: Message) => {
      if (!session) return;
      if (message.type === 'ready') device = message.device.name;
      if (message.type === 'problem' && message.problem.recovery !== 'automatic') {
        end(() => reject(new Error(message.problem.message)));
      }
      if (message.type !== 'metrics') return;
      // After a lost device the updates since the last checkpoint come again.
      metrics.length = Math.min(metrics.length, message.metrics.step);
      metrics.push(message.metrics);
      told(metrics.length);
      if (metrics.length >= steps) end(() => resolve({ metrics, device }));
    };
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop);
    session = open(hear);
    session.send({ type: 'pace', updatesPerSecond: null });
    session.send({ type: 'start', configuration, play: true });
  });
}
