/** Time that charts may take of one frame; a chart that has begun is finished. */
const FRAME_BUDGET_MS = 6;

const waiting: (() => void)[] = [];
let serving = false;

/**
 * Resolves in an animation frame in which there is time left. Charts wait here before they draw, so that many of them
 * do not draw in one long task; whoever came first is first.
 */
export function drawingTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (!serving) requestAnimationFrame(serve);
    serving = true;
  });
}

async function serve(): Promise<void> {
  const start = performance.now();
  do {
    waiting.shift()?.();
    // The chart draws in the microtasks that the promise wakes; after them its time counts.
    for (let microtask = 0; microtask < 4; microtask += 1) await undefined;
  } while (waiting.length > 0 && performance.now() - start < FRAME_BUDGET_MS);
  serving = waiting.length > 0;
  if (serving) requestAnimationFrame(serve);
}
