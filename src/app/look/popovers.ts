/** Space between a button and what it opens, and between that and the edge of the window, CSS pixels. */
const GAP = 6;

/**
 * Puts a popover below its button, inside the window; where there is less room below than above, above it.
 * @param width of the popover as CSS says it
 */
export function layoutNextTo(button: Element, popover: HTMLElement, width: string): void {
  const { left, top, bottom } = button.getBoundingClientRect();
  const { style } = popover;
  const below = innerHeight - bottom;
  const up = below < 240 && top > below;
  style.top = up ? 'auto' : `${bottom + GAP}px`;
  style.bottom = up ? `${innerHeight - top + GAP}px` : 'auto';
  style.maxHeight = `${Math.max(120, (up ? top : below) - 2 * GAP)}px`;
  style.left = `max(${GAP}px, min(${left}px, calc(100vw - ${GAP}px - min(${width}, 100vw - ${2 * GAP}px))))`;
}
