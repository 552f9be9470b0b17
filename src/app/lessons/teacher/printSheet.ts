import { ticks } from 'd3-array';
import { css, html, LitElement, nothing, svg } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Lesson } from '../../../lessons/lesson.ts';
import { base } from '../../look/styles.ts';
import { teacherStrings } from '../../strings/teacherStrings.ts';
import '../lessonProse.ts';

const WIDTH = 640;
const HEIGHT = 240;
const EDGE = { left: 46, right: 12, top: 10, bottom: 30 };

/** Printable worksheet of a lesson, or its answer key. The sheet is white in all themes. */
@customElement('tw-print-sheet')
export class PrintSheet extends LitElement {
  static override styles = [
    base,
    css`
      :host { --ink: #111; --ink-2: #444; --line: #c9c9c9; --line-2: #999; --surface: #fff; --accent: #111; --hover: #eee;
        color-scheme: light; color: #111; background: #fff; }
      article { max-width: 46rem; margin: 0 auto; padding: 1.5rem; }
      header { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; justify-content: space-between; font-size: 0.9375rem; color: #444; }
      header span { flex: 1; min-width: 12rem; border-bottom: 1px solid #999; }
      h1 { margin: 1.25rem 0 0.25rem; font-size: 1.5rem; }
      .question { font-size: 1.0625rem; line-height: 1.5; margin-bottom: 0.75rem; }
      svg { display: block; width: 100%; height: auto; break-inside: avoid; }
      text { font-family: inherit; font-size: 13px; fill: #444; }
      .grid { stroke: #ddd; }
      .axis { stroke: #111; }
      .mark { stroke: #111; stroke-dasharray: 3 3; }
      ol.choices { margin: 0.25rem 0 1rem; line-height: 1.5; list-style: upper-alpha; }
      @media print {
        article { padding: 0; max-width: none; font-size: 0.8125rem; }
        h1 { margin-top: 0.75rem; font-size: 1.25rem; }
        .question { font-size: 0.875rem; }
        svg { max-height: 52mm; }
        ol.choices { margin-bottom: 0.5rem; }
        .noprint { display: none; }
      }
    `,
  ];

  @property({ attribute: false }) lesson!: Lesson;
  @property() kind: 'worksheet' | 'key' = 'worksheet';
  /** Text of the sheet, as HTML. */
  @property() text = '';

  protected override render() {
    const texts = teacherStrings.sheet;
    const { lesson, kind } = this;
    return html`<article>
      <p class="noprint"><button @click=${() => print()}>${teacherStrings.print}</button></p>
      ${
        kind === 'worksheet'
          ? html`<header><span>${texts.name}:</span><span>${texts.date}:</span></header>`
          : html`<header>${texts.key}</header>`
      }
      <h1>${lesson.title}</h1>
      ${kind === 'worksheet' ? this.prediction() : nothing}
      <tw-lesson-prose .text=${this.text}></tw-lesson-prose>
    </article>`;
  }

  /** Renders the question with empty axes, in which a student draws the prediction. */
  private prediction() {
    const texts = teacherStrings.sheet;
    const { predict, runs } = this.lesson;
    const run = runs.find(({ name }) => name === predict.run) ?? runs[0];
    const steps = run?.steps ?? 1;
    const x = (step: number) => EDGE.left + (step / steps) * (WIDTH - EDGE.left - EDGE.right);
    const y = (share: number) => HEIGHT - EDGE.bottom - share * (HEIGHT - EDGE.top - EDGE.bottom);
    return html`<p class="question">${predict.question}</p>
      <svg role="img" aria-label=${texts.predict} viewBox="0 0 ${WIDTH} ${HEIGHT}">
        ${[0, 0.25, 0.5, 0.75, 1].map(
          (share) => svg`<line class="grid" x1=${x(0)} x2=${x(steps)} y1=${y(share)} y2=${y(share)}></line>
            <text x=${x(0) - 6} y=${y(share) + 4} text-anchor="end">${100 * share}%</text>`,
        )}
        ${ticks(0, steps, 7).map(
          (step) => svg`<line class="grid" x1=${x(step)} x2=${x(step)} y1=${y(0)} y2=${y(1)}></line>
            <text x=${x(step)} y=${HEIGHT - 10} text-anchor="middle">${step === 0 ? `${texts.steps} 0` : step}</text>`,
        )}
        ${run?.schedule.map(
          ({ step }, index) => svg`<line class="mark" x1=${x(step)} x2=${x(step)} y1=${y(0)} y2=${y(1)}></line>
            <text x=${x(step) + 5} y=${y(1) + 14}>${run.changes[index] ?? ''}</text>`,
        )}
        <path class="axis" fill="none" d="M${x(0)} ${y(1)}V${y(0)}H${x(steps)}"></path>
      </svg>
      <p>${texts.choices}</p>
      <ol class="choices">${predict.choices.map(({ label }) => html`<li>${label}</li>`)}</ol>`;
  }
}
