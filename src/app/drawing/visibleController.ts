import type { ReactiveController, ReactiveControllerHost } from 'lit';

/**
 * Margin around the viewport. An element inside the margin counts as visible, so that it is up to date when it appears.
 */
const MARGIN = '300px';

/** Observes if an element is in or near the viewport, and updates the element when that changes. */
export class VisibleController implements ReactiveController {
  visible = false;
  private readonly observer: IntersectionObserver;

  /** @param margin margin around the viewport inside which the element counts as visible, as a CSS length */
  constructor(
    private readonly host: ReactiveControllerHost & Element,
    margin = MARGIN,
  ) {
    const updateVisibility = (entries: readonly IntersectionObserverEntry[]) => {
      const visible = entries.at(-1)?.isIntersecting ?? false;
      if (visible === this.visible) return;
      this.visible = visible;
      this.host.requestUpdate();
    };
    this.observer = new IntersectionObserver(updateVisibility, { rootMargin: margin });
    host.addController(this);
  }

  hostConnected(): void {
    this.observer.observe(this.host);
  }

  hostDisconnected(): void {
    this.observer.disconnect();
    this.visible = false;
  }
}
