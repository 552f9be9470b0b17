import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { LabLanes } from './labLanes.ts';

/** Updates its host element with each change of the Lab's runs. */
export class LanesController implements ReactiveController {
  private unlisten: (() => void) | undefined;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly lanes: () => Pick<LabLanes, 'listen'>,
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    this.unlisten = this.lanes().listen(() => this.host.requestUpdate());
  }

  hostDisconnected(): void {
    this.unlisten?.();
  }
}
