import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { readViewAddress, type ViewAddress, writeViewAddress } from './viewAddress.ts';

/** Follows the place that the address names. Links, Back and Forward change the place, and the run continues. */
export class ViewController implements ReactiveController {
  at: ViewAddress = readViewAddress(location.hash);
  /** True if the page was opened with the name of a place, or moved to one. Users of such a page have seen places. */
  named = this.at.named;

  /** @param changed is called when another place was come to, or another page of one */
  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly changed: () => void = () => {},
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    addEventListener('hashchange', this.read);
  }

  hostDisconnected(): void {
    removeEventListener('hashchange', this.read);
  }

  /** Another address of the same place, in the present entry of the history: what is seen has not become another thing. */
  replace(hash: string): void {
    try {
      history.replaceState(history.state, '', `${location.pathname}${location.search}${hash}`);
    } catch {
      // A sandboxed frame may forbid it.
    }
    this.apply(readViewAddress(location.hash));
  }

  private read = (): void => {
    const before = writeViewAddress(this.at.view, ...this.at.path);
    this.apply(readViewAddress(location.hash));
    if (before !== writeViewAddress(this.at.view, ...this.at.path)) this.changed();
  };

  private apply(at: ViewAddress): void {
    this.at = at;
    this.named ||= at.named;
    this.host.requestUpdate();
  }
}
