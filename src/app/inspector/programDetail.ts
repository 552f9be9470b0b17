import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { ProgramDetail, TestDetail } from '../../rollouts/rolloutBatch.ts';
import { plain } from '../group/groupNumbers.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { viewStyles } from './viewStyles.ts';

/** Threshold for highlighting the reward of the reward model: its excess over the share of passed tests. */
const APART = 0.4;

/** Program with its test results and the feedback that the policy received. */
@customElement('tw-program')
export class ProgramView extends LitElement {
  static override styles = [
    base,
    viewStyles,
    css`
      pre { margin: 0.25rem 0 0.625rem; padding: 0.5rem 0.625rem; overflow: auto; border: 1px solid var(--line);
        border-radius: 6px; background: var(--ground); font-size: 0.8125rem; line-height: 1.45; }
      .feedback { margin: 0.25rem 0 0.625rem; padding-inline-start: 0.625rem; border-inline-start: 2px solid var(--line-2);
        font-size: 0.8125rem; }
      .model { margin: 0 0 0.625rem; font-size: 0.8125rem; }
      .model.overrated { color: var(--bad); font-weight: 600; }
      tr.failed .result { color: var(--bad); font-weight: 600; }
      .result { white-space: nowrap; }
    `,
  ];

  @property({ attribute: false }) detail!: ProgramDetail;

  protected override render() {
    const texts = inspectorStrings.turn;
    const { program, reflection, tests, feedback, modelReward } = this.detail;
    const passed = tests.filter((test) => test.passed).length;
    const written = tests.some(({ agrees }) => agrees !== undefined);
    const heads = [texts.arguments, texts.expected, texts.got, texts.result, written ? texts.agrees : texts.visible];
    const agreeing = tests.filter(({ agrees }) => agrees).length;
    const caption = written ? texts.written(agreeing, tests.length) : texts.tests(passed, tests.length);
    return html`
      ${reflection === undefined ? nothing : html`<h4>${texts.reflection}</h4><p class="feedback reflection">${reflection}</p>`}
      <h4>${written ? texts.tested : texts.program}</h4>
      <pre tabindex="0" role="group" aria-label=${texts.program}><code>${program}</code></pre>
      ${
        modelReward === undefined
          ? nothing
          : html`<p class="model ${modelReward > passed / tests.length + APART ? 'overrated' : ''}">${texts.byModel(plain(modelReward), passed, tests.length)}</p>`
      }
      <div class="scroll" tabindex="0" role="group" aria-label=${caption}>
        <table class="data">
          <caption>${caption}</caption>
          <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
          <tbody>${tests.map((test) => this.row(test))}</tbody>
        </table>
      </div>
      ${feedback === undefined ? nothing : html`<h4>${texts.feedback}</h4><p class="feedback">${feedback}</p>`}
    `;
  }

  private row({ args, expected, got, passed, visible, agrees }: TestDetail) {
    const texts = inspectorStrings.turn;
    return html`<tr class=${passed ? 'passed' : 'failed'}>
      <td class="code">${args}</td><td class="code">${expected}</td><td class="code">${got}</td>
      <td class="result">${passed ? texts.passed : texts.failed}</td><td>${(agrees ?? visible) ? texts.yes : texts.no}</td>
    </tr>`;
  }
}
