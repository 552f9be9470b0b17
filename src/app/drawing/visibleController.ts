import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Elements this near to what can be seen count as visible: they are up to date when they are scrolled to. */
const MARGIN = '300px';

/** Observes if an element can be seen; updates when that changes. */
export class VisibleController implements ReactiveController {
  visible = false;
  private readonly observer: IntersectionObserver;

  /** @param margin how near to what can be seen counts as visible */
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
