import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Number of marks by which the Page keys, and arrow keys with Shift, move. */
const STRIDE = 10;

/**
 * Returns the index of the mark to which a key moves in a drawing. Arrow keys move by one mark. Page keys, and arrow
 * keys with Shift, move by ten marks. Home and End move to the first and the last mark. No key moves past them.
 * @param now index of the current mark, or -1 if no mark is current
 * @param count number of marks
 * @returns undefined for other keys, and if there are no marks
 */
export function indexByKey(
  { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>,
  now: number,
  count: number,
): number | undefined {
  const stride = shiftKey ? STRIDE : 1;
  const positions: Readonly<Record<string, number>> = {
    ...{ ArrowLeft: now - stride, ArrowDown: now - stride, ArrowRight: now + stride, ArrowUp: now + stride },
    ...{ PageDown: now - STRIDE, PageUp: now + STRIDE, Home: 0, End: count - 1 },
  };
  const index = positions[key];
  return index === undefined || count === 0 ? undefined : Math.min(count - 1, Math.max(0, index));
}

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
