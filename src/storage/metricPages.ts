import type { Metrics } from '../training/data/protocol.ts';

/** Updates of one page: page n holds those of the steps from n * PAGE to before (n + 1) * PAGE. */
const PAGE = 1000;

/** The page of a step. */
export function pageOf(step: number): number {
  return Math.floor(step / PAGE);
}

/** Updates by the page that they belong to, in the order of their steps. */
export function pagesOf(rows: readonly Metrics[]): Map<number, Metrics[]> {
  const pages = new Map<number, Metrics[]>();
  for (const row of rows) {
    const number = pageOf(row.step);
    const page = pages.get(number);
    if (page) page.push(row);
    else pages.set(number, [row]);
  }
  return pages;
}
