import type { Page } from 'playwright-core';
import { choice, integerFlag } from '../src/cli/framework/flags.ts';
import type { App } from '../test/browser/app.ts';
import { ADAPTERS, withBuiltPage } from './builtPage.ts';
import { runBenchmark } from './options.ts';

/** Limits of the first screen and of the first minute: controls, words, first picture [ms], loss of tool use [s]. */
const LIMITS = { controls: 20, text: 120, pictureMs: 1000, dropSeconds: 15 };
/** Update after which the benchmark selects the second rule, and the tool use that ends the measurement. */
const PRESSED = 30;
const DROPPED = 0.5;

interface Screen {
  /** Number of visible controls that Tab reaches. A list of tabs and the lanes of the picture are one control each. */
  readonly controls: number;
  readonly tabs: number;
  readonly text: number;
}

/** Counts the visible controls and words. The function runs in the page. */
function countScreen(): Screen {
  const interactive = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
  let [controls, tabs, text] = [0, 0, ''];
  const isInView = (element: Element) => {
    const { top, bottom, left, right, width, height } = element.getBoundingClientRect();
    const isInside = top < innerHeight && bottom > 0 && left < innerWidth && right > 0;
    return width > 1 && height > 1 && isInside && element.checkVisibility();
  };
  const visit = (parent: ParentNode & Node) => {
    const isVisible =
      parent instanceof Element && isInView(parent) && !parent.closest('.visually-hidden, style, svg title, desc');
    for (const node of parent.childNodes) {
      if (node instanceof Text && isVisible) text += node.data;
      if (!(node instanceof Element)) continue;
      // A word can consist of several inline elements.
      const isInline = getComputedStyle(node).display === 'inline';
      if (!isInline) text += ' ';
      if (isInView(node)) {
        if (node.getAttribute('role') === 'tab') tabs++;
        if (node.matches(interactive) && node.matches(':not([tabindex="-1"])')) controls++;
      }
      if (node.shadowRoot) visit(node.shadowRoot);
      visit(node);
      if (!isInline) text += ' ';
    }
  };
  visit(document);
  return { controls, tabs, text: text.split(/\s+/).filter((part) => /[\p{L}]/u.test(part)).length };
}

/** Script that measures the time from the navigation to the first lane [ms]. */
const FIRST_LANE = `(() => {
  // tsx calls this for the functions that run in the page.
  globalThis.__name = (value) => value;
  const look = () => {
    const lane = document.querySelector('tw-app')?.shadowRoot?.querySelector('tw-picture')?.shadowRoot?.querySelector('.lane');
    if (lane) globalThis.__firstLane = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();`;

/** Selects GRPO-OR, and counts the bars of credit before the click and in the next frame. */
function pressSecondRule(): Promise<{ before: number; after: number }> {
  const page = document.querySelector('tw-app')?.shadowRoot;
  const header = page?.querySelector('tw-page-header')?.shadowRoot;
  const radio = header
    ?.querySelector('tw-rule-switch')
    ?.shadowRoot?.querySelector<HTMLElement>('input[value="grpo-or"]');
  const bars = () => page?.querySelector('tw-picture')?.shadowRoot?.querySelectorAll('.bar').length ?? 0;
  const before = bars();
  radio?.click();
  return new Promise((resolve) => requestAnimationFrame(() => resolve({ before, after: bars() })));
}

const step = (page: Page) => page.evaluate(() => (document.querySelector('tw-app') as App).run.session.model.step);
const toolUse = (page: Page) =>
  page.evaluate(() => {
    const rows = (document.querySelector('tw-app') as App).run.session.model.metrics.slice(-3);
    return rows.reduce((sum, row) => sum + (row.toolUse ?? 0), 0) / rows.length;
  });

async function waitFor(page: Page, isReached: () => Promise<boolean>, seconds: number): Promise<number> {
  const start = performance.now();
  while (!(await isReached()) && performance.now() - start < 1000 * seconds) await page.waitForTimeout(100);
  return (performance.now() - start) / 1000;
}

interface Options {
  readonly adapter: string;
  readonly width: number;
  readonly height: number;
}

async function main({ adapter, width, height }: Options): Promise<number> {
  return withBuiltPage(adapter, async ({ browser, address }) => {
    const page = await browser.newPage({ viewport: { width, height } });
    await page.addInitScript(FIRST_LANE);
    await page.goto(address(''));
    const pictureMs = await page
      .waitForFunction('globalThis.__firstLane')
      .then((value) => value.jsonValue() as Promise<number>);
    const updateSeconds = await waitFor(page, async () => (await step(page)) >= 1, 60);
    const screen = await page.evaluate(countScreen);
    const pressSeconds = await waitFor(page, async () => (await step(page)) >= PRESSED, 300);
    const { before, after } = await page.evaluate(pressSecondRule);
    const pressedAt = await step(page);
    const dropSeconds = await waitFor(page, async () => (await toolUse(page)) < DROPPED, 300);
    const updates = (await step(page)) - pressedAt;
    const within = [
      [
        `controls in view         ${screen.controls}, with one for the ${screen.tabs} tabs`,
        screen.controls <= LIMITS.controls,
      ],
      [`words in view            ${screen.text}`, screen.text <= LIMITS.text],
      [`first lane               ${pictureMs.toFixed(0)} ms`, pictureMs <= LIMITS.pictureMs],
      [`bars before the press    ${before}, in the next frame ${after}`, after > 0 && after < before],
      [`press to tool use < 50 % ${dropSeconds.toFixed(1)} s, ${updates} updates`, dropSeconds <= LIMITS.dropSeconds],
    ] as const;
    for (const [line, isWithin] of within) console.log(`${line}${isWithin ? '' : '  OVER THE LIMIT'}`);
    console.log(`first update             ${updateSeconds.toFixed(1)} s after the first lane`);
    console.log(`update ${PRESSED}                ${pressSeconds.toFixed(1)} s after the first one`);
    return within.every(([, isWithin]) => isWithin) ? 0 : 1;
  });
}

process.exit(
  await runBenchmark({
    name: 'bench:first-minute',
    description:
      'Opens the built page in Chromium and measures its first minute: controls and words in view, the time of the first ' +
      'picture, the picture in the frame after a press of GRPO-OR, and the time until tool use drops below 50 %. ' +
      'The exit code is 1 if a figure is over its limit.',
    flags: {
      adapter: choice('Chromium’s adapter; with a GPU choose default.', [...ADAPTERS], 'swiftshader'),
      width: integerFlag('Width of the window [CSS pixels].', { min: 320, max: 3840, default: 1280 }),
      height: integerFlag('Height of the window [CSS pixels].', { min: 320, max: 2160, default: 900 }),
    },
    examples: ['--width 390 --height 844'],
    run: main,
  }),
);
