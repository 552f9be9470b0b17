import { html, type LitElement } from 'lit';
import { svgFile } from '../curves/svgFile.ts';
import { download } from '../look/download.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';

/** Element that draws an SVG as the child of `.drawing` and can show a table of the same numbers. */
export interface DrawingHost extends LitElement {
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
