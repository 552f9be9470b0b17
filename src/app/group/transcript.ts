import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { RolloutView, TokenView } from '../../training/data/protocol.ts';
import { digits, shade, signed } from '../drawing/numbers.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';

/** Text of a rollout by tokens. Each token is shaded by its advantage: more likely or less likely after the update. */
@customElement('tw-transcript')
export class Transcript extends LitElement {
  static override styles = [
    base,
    css`
      .text { margin: 0.5rem 0; line-height: 2;
        font-family: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, monospace;
        font-size: 0.8125rem; min-height: 8rem; }
      .part { display: block; margin-bottom: 0.375rem; padding-inline-start: 0.625rem;
        border-inline-start: 2px solid var(--line-2); }
      .head { display: block; font-family: system-ui, sans-serif; font-size: 0.75rem; color: var(--ink-2);
        line-height: 1.4; }
      .token { padding: 0.15rem 0.3rem; margin-inline-end: 0.15rem; border-radius: 4px; white-space: nowrap;
        -webkit-box-decoration-break: clone; box-decoration-break: clone; }
      .more { background: color-mix(in srgb, var(--more) calc(var(--share) * 60%), transparent);
        border-bottom: 2px solid var(--more); }
      .less { background: color-mix(in srgb, var(--less) calc(var(--share) * 60%), transparent);
        border-bottom: 2px dashed var(--less); }
      .even { border-bottom: 2px solid transparent; background: transparent; box-shadow: inset 0 0 0 1px var(--line); }
      .masked { color: var(--ink-2);
        background: repeating-linear-gradient(135deg, var(--masked) 0 4px, var(--masked-line) 4px 5px); }
      .key { display: flex; flex-wrap: wrap; gap: 0.375rem 0.75rem; font-size: 0.75rem; color: var(--ink-2);
        align-items: center; }
      .key .token { margin: 0; color: var(--ink); --share: 0.7; }
      table { font-variant-numeric: tabular-nums; width: 100%; }
      td, th { font-size: 0.75rem; padding: 0.125rem 0.375rem; }
      td.n { text-align: end; }
      details { margin-top: 0.5rem; font-size: 0.8125rem; }
      .scroll { max-height: 16rem; overflow: auto; }
    `,
  ];

  @property({ attribute: false }) rollout!: RolloutView;
  @property({ type: Number }) number = 1;
  @state() private isTableVisible = false;

  protected override render() {
    const texts = strings.group;
    return html`
      <section role="group" aria-labelledby="title">
        <h3 id="title">${texts.transcript(this.number)}</h3>
        <p class="caption">${texts.transcriptCaption}</p>
        <div class="text">${this.parts().map((part) => this.passage(part))}</div>
        <p class="key" aria-hidden="true">
          <span class="token less">${texts.less}</span><span class="token more">${texts.more}</span>
          <span class="token masked">${texts.environment}</span>
        </p>
        <details @toggle=${this.toggle}>
          <summary>${texts.tokenTable}</summary>
          ${this.isTableVisible ? this.table() : nothing}
        </details>
      </section>
    `;
  }

  /** Groups consecutive tokens of the same turn. Environment tokens form separate parts. */
  private parts(): TokenView[][] {
    const parts: TokenView[][] = [];
    for (const token of this.rollout.tokens) {
      const last = parts.at(-1);
      if (last?.[0]?.turn === token.turn) last.push(token);
      else parts.push([token]);
    }
    return parts;
  }

  private passage(tokens: TokenView[]) {
    const texts = strings.group;
    const turn = tokens[0]?.turn ?? -1;
    const rolloutTurn = this.rollout.turns[turn];
    const mean = tokens[0]?.advantage !== undefined;
    const head = rolloutTurn ? texts.turnHead(turn + 1, signed(rolloutTurn.advantage), mean) : texts.environment;
    return html`<span class="part"><span class="head">${head}</span>${tokens.map((token) => this.token(token))}</span>`;
  }

  private token(token: TokenView) {
    const texts = strings.group;
    const advantage = this.advantage(token);
    if (advantage === undefined) {
      return html`<span class="token masked" title=${texts.environmentTitle(token.kind)}>${token.text}</span> `;
    }
    const style = advantage === 0 ? 'even' : advantage > 0 ? 'more' : 'less';
    const title = texts.tokenTitle(token.kind, signed(advantage), digits(token.logProb), digits(token.entropy));
    return html`<span class="token ${style}" style=${`--share: ${Math.abs(shade(advantage))}`}
      title=${title}>${token.text}</span> `;
  }

  /** Returns the advantage of a token, or of its turn. Returns undefined for environment tokens. */
  private advantage({ advantage, turn }: TokenView): number | undefined {
    return advantage ?? this.rollout.turns[turn]?.advantage;
  }

  private table() {
    const texts = strings.group;
    const heads = [texts.token, texts.kind, 'A', texts.logProb, texts.entropy];
    return html`<div class="scroll" tabindex="0" role="group" aria-label=${texts.tokenTable}>
      <table>
        <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
        <tbody>
          ${this.rollout.tokens.map((token) => {
            const advantage = this.advantage(token);
            return html`<tr>
              <td><code>${token.text}</code></td><td>${token.kind}</td>
              <td class="n">${advantage === undefined ? texts.masked : signed(advantage)}</td>
              <td class="n">${digits(token.logProb)}</td><td class="n">${digits(token.entropy)}</td>
            </tr>`;
          })}
        </tbody>
      </table>
    </div>`;
  }

  private toggle(event: Event): void {
    this.isTableVisible = (event.target as HTMLDetailsElement).open;
  }
}
