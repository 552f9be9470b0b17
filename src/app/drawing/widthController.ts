import type { ReactiveController, ReactiveControllerHost } from 'lit';

/**
 * Measures the content width of an element [CSS px] and updates the element when the width changes. The width is 0
 * before the first measurement.
 */
export class WidthController implements ReactiveController {
  width = 0;
  private readonly observer = new ResizeObserver(([entry]) => {
    const width = Math.floor(entry?.contentRect.width ?? 0);
    if (width === this.width) return;
    this.width = width;
    this.host.requestUpdate();
  });

  constructor(private readonly host: ReactiveControllerHost & Element) {
    host.addController(this);
  }

  hostConnected(): void {
    this.observer.observe(this.host);
  }

  hostDisconnected(): void {
    this.observer.disconnect();
  }
}
