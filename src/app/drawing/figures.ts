import { css, html, type LitElement, nothing } from 'lit';
import { download } from '../look/download.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { svgFile } from './svgFile.ts';

/** Shared styles of the views of groups: shades of advantages, tables and drawings. */
export const viewStyles = css`
  code, pre, .code { font-family: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, monospace; }
  h4 { margin: 0.625rem 0 0; font-size: 0.8125rem; font-weight: 620; }
  figure { margin: 0; }
  figcaption { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.5rem; }
  figcaption .caption { flex-basis: 100%; }
  .tools { margin-inline-start: auto; display: flex; }
  .tools button { color: var(--ink-2); font-size: 0.75rem; padding: 0 0.25rem; min-height: 1.5rem; }
  details { font-size: 0.8125rem; }
  .scroll { overflow: auto; max-width: 100%; }
  .drawing { overflow: auto; max-width: 100%; padding: 4px; }
  .drawing > svg { display: block; overflow: visible; }
  svg text { font-family: system-ui, sans-serif; font-size: 11px; fill: var(--ink); font-variant-numeric: tabular-nums; }
  svg .quiet { fill: var(--ink-2); }
  svg [tabindex] { cursor: pointer; }
  svg .words { pointer-events: none; }
  svg [tabindex]:focus:not(:focus-visible) { outline: none; }
  table.data { width: 100%; font-variant-numeric: tabular-nums; }
  table.data caption { text-align: start; color: var(--ink-2); font-size: 0.75rem; padding: 0.25rem 0; }
  table.data td, table.data th { font-size: 0.75rem; padding: 0.2rem 0.4rem; border-bottom: 1px solid var(--line);
    vertical-align: top; }
  table.data .n { text-align: end; white-space: nowrap; }
  table.data .code { overflow-wrap: break-word; max-width: 18rem; }
  .shade { border-bottom: 2px solid transparent; white-space: nowrap; }
  .shade.more { background: color-mix(in srgb, var(--more) calc(var(--share) * 55%), transparent);
    border-bottom: 2px solid var(--more); }
  .shade.less { background: color-mix(in srgb, var(--less) calc(var(--share) * 55%), transparent);
    border-bottom: 2px dashed var(--less); }
  .shade.pruned { color: var(--ink-2);
    background: repeating-linear-gradient(135deg, var(--masked) 0 4px, var(--masked-line) 4px 5px); }
  .key { display: flex; flex-wrap: wrap; gap: 0.25rem 0.875rem; margin: 0.375rem 0 0; padding: 0; list-style: none;
    font-size: 0.75rem; color: var(--ink-2); }
  .key li { display: inline-flex; align-items: center; gap: 0.375rem; }
  .problem { color: var(--bad); font-size: 0.8125rem; }
`;

/** Element that draws an SVG as the child of `.drawing` and can show a table of the same numbers. */
interface DrawingHost extends LitElement {
  /** True if the table is shown. Reactive. */
  isTableVisible: boolean;
}

/** Renders the buttons next to the title of a drawing. One toggles the table, the other saves the drawing as `file`. */
export function drawingTools(host: DrawingHost, title: string, file: string) {
  const texts = inspectorStrings;
  const toggle = () => {
    host.isTableVisible = !host.isTableVisible;
  };
  const save = () => {
    const drawing = host.renderRoot.querySelector<SVGSVGElement>('.drawing > svg');
    if (drawing) download(file, 'image/svg+xml', svgFile(drawing));
  };
  return html`<span class="tools">
    <button class="plain" aria-expanded=${host.isTableVisible} aria-label=${`${texts.table}: ${title}`}
      @click=${toggle}>${texts.table}</button>
    <button class="plain" aria-label=${texts.saveSvg(title)} @click=${save}>${texts.svg}</button>
  </span>`;
}

/**
 * Renders a table of numbers that scrolls inside its box.
 * @param label title for screen readers
 * @param rows `tr` elements
 * @param caption visible caption, if the table has one
 */
export function dataTable(label: string, heads: readonly unknown[], rows: unknown, caption?: unknown) {
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${label}>
    <table class="data">
      ${caption === undefined ? nothing : html`<caption>${caption}</caption>`}
      <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;
}
