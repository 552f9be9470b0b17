import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { LoadedRun } from '../../storage/runStore.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { MAX_LANES } from '../../training/data/protocol.ts';
import { browser, type Outside } from '../runs/outside.ts';
import type { SeriesHost } from '../runs/seedSeries.ts';
import { StorageController } from '../runs/storageController.ts';
import type { OpenRun } from '../session/openRun.ts';
import type { Session } from '../session/pageSession.ts';
import { SessionController } from '../session/sessionController.ts';

/** Host of the sessions of the Lab. It is not an element, because runs continue while the user opens other views. */
class Host implements ReactiveControllerHost {
  readonly updateComplete = Promise.resolve(true);
  private readonly controllers = new Set<ReactiveController>();

  constructor(private readonly changed: () => void) {}

  addController(controller: ReactiveController): void {
    this.controllers.add(controller);
    controller.hostConnected?.();
  }

  removeController(controller: ReactiveController): void {
    this.controllers.delete(controller);
  }

  requestUpdate(): void {
    this.changed();
  }
}

/**
 * Sessions for the runs of claims, in a separate worker, so that the Playground's run continues unchanged. The runs are
 * saved in this browser like other runs.
 */
export class LabLanes implements SeriesHost {
  private readonly listeners = new Set<() => void>();
  private readonly host = new Host(() => this.changed());
  private readonly lent = new Set<SessionController>();
  private opened: StorageController | undefined;
  private worker: Session | undefined;

  constructor(private readonly outside: Outside = browser()) {}

  /** Adds a listener for changes of the runs. @returns a function that removes it */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  borrow(configuration: RunConfiguration): SessionController | undefined {
    if (this.lent.size >= MAX_LANES) return undefined;
    // The first run of the worker is never begun. All runs are additional runs, so that each of them can be closed.
    this.worker ??= this.outside.openWorker((message) => {
      if (message.type === 'status' && message.status === 'stopped') this.worker = undefined;
    });
    const { worker } = this;
    const session = new SessionController(this.host, configuration);
    session.open((listener) => {
      const lane = worker.lane?.(listener);
      if (!lane) throw new Error('no worker is available for training');
      return lane;
    });
    this.lent.add(session);
    this.storage.follow(session);
    return session;
  }

  release(session: SessionController): void {
    this.lent.delete(session);
    session.end();
  }

  find(link: string): Promise<LoadedRun | undefined> {
    return this.storage.find(
      link,
      [...this.lent].map(({ id }) => id),
    );
  }

  resume(stored: LoadedRun): OpenRun {
    return this.storage.resume(stored);
  }

  now(): number {
    return performance.now();
  }

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  private get storage(): StorageController {
    const { openStore, tabs } = this.outside;
    this.opened ??= new StorageController(this.host, openStore, tabs);
    return this.opened;
  }
}
