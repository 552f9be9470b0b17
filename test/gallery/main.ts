import '../../src/app/look/theme.css';
import './gallery.css';
import { ELEMENTS } from 'virtual:elements';
import { html, LitElement, nothing, render, type TemplateResult } from 'lit';
import '../../src/app/look/themeSwitch.ts';
import { readPictures } from './pictures.ts';
import type { Specimen } from './specimen.ts';
import { ELSEWHERE, FOLDERS } from './specimens/index.ts';

/**
 * Query of the address. The gallery displays all elements of the page in their states without a GPU. `?only=NAME`
 * displays one element, `#NAME` scrolls to it, and `?frame` omits the header for the column of 320 pixels.
 */
const query = new URLSearchParams(location.search);
const only = query.get('only');
const inFrame = query.has('frame');
/** Specimens with much data that the user has requested; they are drawn only on request. */
const requested = new Set<Specimen>();
let narrow = false;

declare global {
  /** Functions that the test of the gallery calls. */
  var gallery: { readonly pictures: typeof readPictures; readonly settled: () => Promise<void> };
}

function page(): TemplateResult {
  return html`${inFrame ? nothing : head()}
    ${narrow ? html`<iframe title="The gallery in 320 pixels" src=${frameAddress()} @load=${mirrorTheme}></iframe>` : all()}`;
}

function head(): TemplateResult {
  return html`<header>
    <h1>Elements of Turnwise</h1>
    <div class="bar">
      <tw-theme-switch></tw-theme-switch>
      <label><input type="checkbox" .checked=${narrow} @change=${toggleColumn} />A column of 320 pixels</label>
      ${only ? html`<a href="?">All elements</a>` : nothing}
    </div>
    ${narrow || only ? nothing : html`<nav aria-label="Elements"><ul>${ELEMENTS.map(({ name }) => html`<li><a href="#${name}">${name}</a></li>`)}</ul></nav>`}
  </header>`;
}

function all(): TemplateResult {
  return html`<main>
    ${Object.entries(FOLDERS).map(([folder, specimens]) => {
      const names = Object.keys(specimens).filter((name) => !only || name === only);
      if (names.length === 0) return nothing;
      return html`<h2>${folder}</h2>${names.map((name) => kind(name, specimens[name] ?? []))}`;
    })}
    ${Object.entries(ELSEWHERE)
      .filter(([name]) => !only || name === only)
      .map(
        ([name, address]) =>
          html`<section class="kind" id=${name}>${title(name)}<p><a href=${address}>Seen at ${address}</a></p></section>`,
      )}
  </main>`;
}

/** Renders an element with the description from its source and all its states. */
function kind(name: string, specimens: readonly Specimen[]): TemplateResult {
  return html`<section class="kind" id=${name}>${title(name)}
    ${specimens.map((specimen, index) => stage(name, specimen, index))}
  </section>`;
}

function title(name: string): TemplateResult {
  const { about = '', file = '', fires = [] } = ELEMENTS.find((element) => element.name === name) ?? {};
  return html`<h3><a href="?only=${name}">${name}</a></h3>
    <p>${about}</p>
    <p><code>${file}</code>${fires.length > 0 ? html`, events: <code>${fires.join(', ')}</code>` : nothing}</p>`;
}

function stage(name: string, specimen: Specimen, index: number): TemplateResult {
  const { state, note, content, onDemand } = specimen;
  const isPending = onDemand !== undefined && !requested.has(specimen);
  const show = () => {
    requested.add(specimen);
    draw();
  };
  return html`<h4><b>${state}</b>${note ? html`: ${note}` : nothing}</h4>
    <div class="stage" data-name=${name} data-picture="${name} ${index + 1}, ${state}${note ? `: ${note}` : ''}">${
      isPending ? html`${onDemand} <button class="show" @click=${show}>Show</button>` : content()
    }</div>`;
}

function frameAddress(): string {
  return `?${new URLSearchParams({ frame: '', ...(only ? { only } : {}) })}${location.hash}`;
}

function toggleColumn(): void {
  narrow = !narrow;
  draw();
}

/** Copies the colour theme of the page to the page in the column. */
function mirrorTheme(): void {
  const inside = document.querySelector('iframe')?.contentDocument?.documentElement;
  if (inside) inside.dataset.theme = document.documentElement.dataset.theme;
}

/** Returns the element that a stage displays, or undefined if the element has not been requested. */
function findElement(stage: Element): LitElement | undefined {
  const element = stage.querySelector(stage.getAttribute('data-name') ?? '');
  return element instanceof LitElement ? element : undefined;
}

/** Performs the action of each specimen on its element after the element is drawn. */
async function actAll(): Promise<void> {
  const specimens = Object.values(FOLDERS).flatMap((folder) => Object.entries(folder));
  await Promise.all(
    specimens.flatMap(([name, variants]) => {
      const stages = document.querySelectorAll(`.stage[data-name="${name}"]`);
      return variants.map(async ({ act }, index) => {
        const stage = stages[index];
        const element = stage && findElement(stage);
        if (!act || !element) return;
        await element.updateComplete;
        act(element);
        await element.updateComplete;
      });
    }),
  );
}

function draw(): void {
  render(page(), document.body);
}

/** Scrolls over all stages once, so that elements that are drawn only when visible are drawn. */
async function seeAll(): Promise<void> {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const stages = [...document.querySelectorAll('.stage')];
  for (let top = 0; top < document.documentElement.scrollHeight; top += innerHeight) {
    scrollTo(0, top);
    // In the first frame the elements are notified that they are visible.
    await frame();
    await frame();
    const visible = stages.filter((stage) => {
      const { top: above, bottom } = stage.getBoundingClientRect();
      return bottom > 0 && above < innerHeight;
    });
    await Promise.all(visible.map((stage) => findElement(stage)?.updateComplete));
  }
  scrollTo(0, 0);
}

draw();
new MutationObserver(mirrorTheme).observe(document.documentElement, { attributeFilter: ['data-theme'] });
const acted = actAll().then(() => {
  // Answers scroll into view on their own; a link to an element has priority.
  scrollTo(0, 0);
  if (location.hash) document.querySelector(location.hash)?.scrollIntoView();
});

globalThis.gallery = {
  pictures: readPictures,
  settled: async () => {
    await acted;
    await seeAll();
  },
};
