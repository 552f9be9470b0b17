import type { Page } from 'playwright-core';

/** Returns true unless an error is about favicon.ico, which the browser requests for a file without a page. */
export const ofThePage = (error: string) => !error.includes('favicon.ico');

/** Changes the stored runs of the site from a document that does not use them, and then opens the page again. */
export async function inStorage(page: Page, act: () => Promise<void>): Promise<void> {
  const { href } = new URL(page.url());
  await page.goto(new URL('icon.svg', href).href);
  await page.evaluate(act);
  await page.goto(href);
}
