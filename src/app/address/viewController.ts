import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { readViewAddress, type ViewAddress, writeViewAddress } from './viewAddress.ts';

/** Tracks the view in the address. Links, Back and Forward change the view, and the run continues. */
export class ViewController implements ReactiveController {
  at: ViewAddress = readViewAddress(location.hash);
  /** True if an address with the name of a view was open at any time. The page then shows links to all views. */
  named = this.at.named;

  /** @param changed callback for a change of the view or of its path */
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

  /** Replaces the address in the present entry of the history, because the content has not changed. */
  replace(hash: string): void {
    try {
      history.replaceState(history.state, '', `${location.pathname}${location.search}${hash}`);
    } catch {
      // A sandboxed frame may forbid changes of the history.
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
