import { html, type LitElement } from 'lit';
import { svgFile } from '../curves/svgFile.ts';
import { download } from '../runs/download.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';

/** An element that draws an SVG as the only child of `.drawing`, and has a table of the same numbers. */
export interface DrawingHost extends LitElement {
  /** Reactive: whether the table is shown. */
  isTableVisible: boolean;
}

/** Renders the buttons next to a drawing's title: one shows and hides its table, one saves the drawing as `file`. */
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
