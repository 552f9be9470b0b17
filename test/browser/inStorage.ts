import type { Page } from 'playwright-core';

/** A file that is opened by itself makes the browser ask for an icon that this site keeps elsewhere. */
export const ofThePage = (error: string) => !error.includes('favicon.ico');

/** Runs code on the runs of this device, on a page of this site that does not use them. */
export async function inStorage(page: Page, act: () => Promise<void>): Promise<void> {
  const { href } = new URL(page.url());
  await page.goto(new URL('icon.svg', href).href);
  await page.evaluate(act);
  await page.goto(href);
}
