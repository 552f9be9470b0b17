/** Space between a button and its popover, and between the popover and the edge of the window [CSS px]. */
const GAP = 6;

/**
 * Positions a popover next to its button, inside the window. The popover is above the button if the space below is less
 * than 240 px and less than the space above; otherwise it is below.
 * @param width width of the popover, as a CSS length
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
