import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { ProgramDetail, Span, TestDetail, ToolDetail } from '../../rollouts/rolloutBatch.ts';
import { dataTable, viewStyles } from '../drawing/figures.ts';
import { plain, shadeClass, shadeStyle, signed } from '../drawing/numbers.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { type CreditChoice, creditOf } from './choice.ts';
import { type Inspected, listRemainingFields } from './inspected.ts';
import './derivation.ts';

/** Details of one turn: its numbers, its program or tool call, its tokens, and the derivation of its advantage. */
@customElement('tw-turn')
export class TurnElement extends LitElement {
  static override styles = [
    base,
    viewStyles,
    css`
      :host { min-width: 0; }
      section > p { font-size: 0.875rem; }
      .facts { display: flex; flex-wrap: wrap; gap: 0.125rem 0.875rem; margin: 0.25rem 0; padding: 0; list-style: none;
        font-size: 0.8125rem; }
      .tokens { margin: 0.25rem 0; line-height: 2; font-size: 0.8125rem; }
      .tokens .shade { padding: 0.15rem 0.3rem; margin-inline-end: 0.15rem; border-radius: 4px; white-space: pre; }
      .text { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.8125rem; max-height: 16rem; overflow: auto;
        margin: 0.25rem 0; }
      dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.125rem 0.75rem; margin: 0.25rem 0;
        font-size: 0.75rem; }
      dt { color: var(--ink-2); }
      dd { margin: 0; overflow-wrap: anywhere; max-height: 6rem; overflow: auto; }
      tw-worked { margin-top: 0.625rem; }
    `,
  ];

  @property({ attribute: false }) inspected!: Inspected;
  @property({ attribute: false }) choice!: CreditChoice;
  @property({ type: Number }) turn = 0;
  /** Name of the rule; empty for the selected rule. */
  @property() rule = '';
  /** True if the derivation of the advantage is shown. */
  @property({ attribute: false }) formula = true;

  protected override render() {
    const texts = inspectorStrings.turn;
    const { group, details } = this.inspected;
    const turn = group.turns[this.turn];
    if (!turn) return nothing;
    const { summary, detail, tool, text, tokens } = details[this.turn] ?? {};
    const remainingFields = listRemainingFields(turn);
    const bare = !summary && !detail && !tool && !text && !tokens && remainingFields.length === 0;
    return html`
      <section role="group" aria-labelledby="title">
        <h3 id="title">${texts.title(this.turn)}</h3>
        ${this.facts()}
        ${summary ? html`<p>${summary}</p>` : nothing}
        ${detail ? html`<tw-program .detail=${detail}></tw-program>` : nothing}
        ${tool ? html`<tw-tool-call .tool=${tool}></tw-tool-call>` : nothing}
        ${tokens && tokens.length > 0 ? this.tokens(tokens) : nothing}
        ${text && !tokens?.length ? this.text(text) : nothing}
        ${remainingFields.length > 0 ? this.renderRemaining(remainingFields) : nothing}
        ${bare ? html`<p class="caption">${texts.bare}</p>` : nothing}
        ${
          this.formula
            ? html`<tw-worked .group=${group} .choice=${this.choice} .rule=${this.rule} .turn=${this.turn}></tw-worked>`
            : nothing
        }
      </section>
    `;
  }

  private facts() {
    const texts = inspectorStrings.turn;
    const { parent, reward, outcome, solved } = this.inspected.group.turns[this.turn];
    const name = this.rule || this.choice.rule;
    const { rule, credit } = name === '' ? {} : creditOf(this.inspected.group, this.choice, name);
    const A = credit?.advantage[this.turn];
    return html`<ul class="facts number">
      <li class="muted">${parent < 0 ? texts.first : texts.continues(parent)}</li>
      <li>${texts.reward} <b>${plain(reward)}</b></li>
      ${outcome === undefined ? nothing : html`<li>${texts.outcome} <b>${plain(outcome)}</b></li>`}
      ${solved === undefined ? nothing : html`<li>${solved ? texts.solved : texts.unsolved}</li>`}
      ${
        rule === undefined || A === undefined
          ? nothing
          : html`<li>${texts.advantage(rule.title)} <b class="shade ${shadeClass(A)}" style=${shadeStyle(A)}>${
              Number.isNaN(A) ? texts.pruned : signed(A)
            }</b></li>`
      }
    </ul>`;
  }

  /**
   * Renders tokens, coloured by their advantages. If the rule has no advantages of tokens, the turn's advantage is
   * used.
   */
  private tokens(tokens: readonly { readonly text: string; readonly kind?: string }[]) {
    const { group } = this.inspected;
    const name = this.rule || this.choice.rule;
    const credit = name === '' ? undefined : creditOf(group, this.choice, name).credit;
    const before = group.turns.slice(0, this.turn).reduce((sum, { tokens: tokenCount }) => sum + (tokenCount ?? 0), 0);
    const advantageOf = (index: number) =>
      credit?.tokens?.advantages[before + index] ?? credit?.advantage[this.turn] ?? 0;
    return html`<h4>${inspectorStrings.turn.tokens}</h4>
      <p class="tokens code">${tokens.map(({ text, kind }, index) => {
        const A = advantageOf(index);
        const title = `${kind ? `${kind} · ` : ''}A ${signed(A)}`;
        return html`<span class="shade ${shadeClass(A)}" style=${shadeStyle(A)} title=${title}>${text}</span> `;
      })}</p>`;
  }

  private text(text: string) {
    return html`<h4>${inspectorStrings.turn.text}</h4>
      <p class="text code" tabindex="0" role="group" aria-label=${inspectorStrings.turn.text}>${text}</p>`;
  }

  private renderRemaining(fields: ReturnType<typeof listRemainingFields>) {
    return html`<details>
      <summary>${inspectorStrings.turn.remainingFields}</summary>
      <dl>${fields.map(([name, value]) => html`<dt class="code">${name}</dt><dd class="code">${value}</dd>`)}</dl>
    </details>`;
  }
}

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
      ${dataTable(
        caption,
        heads,
        tests.map((test) => this.row(test)),
        caption,
      )}
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

/** Tool call with its output, in which errors and corrections are marked. */
@customElement('tw-tool-call')
export class ToolCall extends LitElement {
  static override styles = [
    base,
    viewStyles,
    css`
      pre { margin: 0.25rem 0 0.5rem; padding: 0.5rem 0.625rem; overflow: auto; border: 1px solid var(--line);
        border-radius: 6px; background: var(--ground); font-size: 0.8125rem; line-height: 1.5; }
      .call { font-size: 0.875rem; overflow-wrap: anywhere; }
      mark { color: inherit; background: none; border-radius: 2px; }
      .wrong { background: var(--bad-ground); text-decoration: underline wavy var(--bad); text-underline-offset: 3px; }
      .changed { background: color-mix(in srgb, var(--series-3) 18%, transparent);
        border-bottom: 2px solid var(--series-3); }
    `,
  ];

  @property({ attribute: false }) tool!: ToolDetail;

  protected override render() {
    const texts = inspectorStrings.turn;
    const { call, answer } = this.tool;
    const marks = new Set(answer.flat().flatMap(({ mark }) => mark ?? []));
    return html`
      <h4>${texts.call}</h4>
      <p class="code call">${call}</p>
      <h4>${texts.answer}</h4>
      ${
        answer.length === 0
          ? html`<p class="caption">${texts.nothing}</p>`
          : html`<pre tabindex="0" role="group" aria-label=${texts.answer}>${answer.map(
              (line, index) => html`${index > 0 ? '\n' : ''}${line.map((span) => this.span(span))}`,
            )}</pre>`
      }
      <ul class="key" ?hidden=${marks.size === 0}>
        ${[...marks].map((mark) => html`<li><mark class=${mark}>abc</mark> ${texts[mark]}</li>`)}
      </ul>
    `;
  }

  private span({ text, mark }: Span) {
    return mark ? html`<mark class=${mark} title=${inspectorStrings.turn[mark]}>${text}</mark>` : text;
  }
}
