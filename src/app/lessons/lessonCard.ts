import { css, html, nothing, svg } from 'lit';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import type { LessonHead } from '../../lessons/lesson.ts';
import { writeViewAddress } from '../address/viewAddress.ts';
import { lessonStrings } from '../strings/lessonStrings.ts';
import { savedPrediction } from './lessonMemory.ts';
import { recordOf } from './resultMemory.ts';
import { trainingTime } from './teacher/waiting.ts';

/** Width and height of the small chart of a card [px]. */
const WIDTH = 160;
const HEIGHT = 44;

export const cardStyles = css`
  li { display: grid; }
  .card { display: grid; grid-template-columns: 10rem minmax(0, 1fr); gap: 1rem; align-items: center; padding: 0.75rem 0.875rem;
    border: 1px solid var(--line); border-radius: 10px; background: var(--surface); }
  .look { display: grid; gap: 0.375rem; align-content: center; min-height: 5.625rem; }
  .look svg { display: block; width: 100%; height: auto; }
  .curves { border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); }
  .predicted { fill: none; stroke: var(--series-2); stroke-width: 1.5; stroke-dasharray: 5 3; }
  .came { fill: none; stroke: var(--series-1); stroke-width: 2; }
  .card a { font-size: 1.0625rem; font-weight: 620; color: var(--accent); }
  .card p { margin-top: 0.25rem; line-height: 1.45; }
  .facts { display: flex; flex-wrap: wrap; gap: 0.125rem 0.875rem; font-size: 0.8125rem; color: var(--ink-2); }
  .done { color: var(--series-3); font-weight: 620; }
  @media (max-width: 30rem) { .card { grid-template-columns: 6rem minmax(0, 1fr); gap: 0.75rem; padding: 0.625rem; } }
`;

/** Renders the card of a lesson in the list: picture, title, summary, duration, and the progress of the user. */
export function lessonCard({ name, order, title, sentence, minutes, seconds, picture, predict }: LessonHead) {
  const texts = lessonStrings;
  const attempt = recordOf(name)?.attempts.at(-1);
  const state = attempt ? 'done' : savedPrediction(name) ? 'predicted' : 'new';
  const result = attempt?.runs.find((run) => run.name === predict.run)?.curves[predict.line];
  return html`<div class="card">
    <div class="look">${picture ? html`<div role="img" aria-label=${picture.alt}>${unsafeHTML(picture.svg)}</div>` : nothing}
      ${attempt && result ? curves(attempt.prediction, result) : nothing}</div>
    <div><a href=${writeViewAddress('learn', name)}>${title}</a>
      <p>${sentence}</p>
      <p class="facts"><span>${texts.lesson(order)}</span><span>${texts.minutes(minutes)}</span>
        ${seconds === undefined ? nothing : html`<span>${texts.training(trainingTime(seconds))}</span>`}
        <span class=${state}>${state === 'done' ? '✓ ' : ''}${texts.state[state]}</span></p></div></div>`;
}

/** Renders the predicted curve and the measured curve. Values are shares, 0 to 1. */
function curves(predicted: readonly number[], result: readonly (number | null)[]) {
  return html`<svg class="curves" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${lessonStrings.compared}>
    ${svg`<polyline class="predicted" points=${pointsOf(predicted)} /><polyline class="came" points=${pointsOf(result)} />`}</svg>`;
}

function pointsOf(values: readonly (number | null)[]): string {
  const last = Math.max(1, values.length - 1);
  const points = values.flatMap((value, index) =>
    value === null ? [] : [`${((WIDTH * index) / last).toFixed(1)},${(2 + (HEIGHT - 4) * (1 - value)).toFixed(1)}`],
  );
  return points.join(' ');
}
