import { css, html, LitElement, nothing, svg } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { WidthController } from '../drawing/drawing.ts';
import { dataTable, drawingTools, viewStyles } from '../drawing/figures.ts';
import { plain, shadeClass, shadeStyle, signed } from '../drawing/numbers.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { type ChoiceEvent, type CreditChoice, creditOf, readTurnCredit, TurnEvent } from './choice.ts';
import type { Inspected } from './inspected.ts';
import { type ForestPicture, layoutForest, linkPath, turnByKey } from './treeLayouts.ts';
import './creditChoice.ts';
import './turnView.ts';

/** Styles of the trees of turns. */
const programTreeStyles = css`
  .body { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem 1.5rem; align-items: start;
    margin-top: 0.75rem; }
  .side { border-top: 1px solid var(--line); padding-top: 0.75rem; scroll-margin-top: 20vh; }
  :host { container-type: inline-size; }
  .close { float: inline-end; }
  .hint { display: none; }
  .drawing { max-height: 65vh; }
  /* The column next to the trees is empty until a turn is open, so that opening a turn moves nothing. */
  @container (min-width: 1000px) {
    .drawing { max-height: none; }
    .body { grid-template-columns: minmax(0, 2fr) minmax(0, 1fr); }
    .side { position: sticky; top: 4.5rem; max-height: calc(100vh - 5rem); overflow: auto; border-top: 0;
      padding-top: 0; border-inline-start: 1px solid var(--line); padding-inline-start: 1.25rem; }
    .hint { display: block; }
  }
  .links path { fill: none; stroke: var(--line-2); stroke-width: 1.5; }
  .node .box { fill: var(--surface); stroke: var(--line-2); stroke-width: 1.5; }
  .node.more .box { fill: color-mix(in srgb, var(--more) calc(var(--share) * 45%), var(--surface)); stroke: var(--more); }
  .node.less .box { fill: color-mix(in srgb, var(--less) calc(var(--share) * 45%), var(--surface)); stroke: var(--less);
    stroke-dasharray: 5 3; }
  .node.pruned .box { fill: var(--masked); stroke: var(--ink-3); stroke-dasharray: 1 3; }
  .node.pruned text { fill: var(--ink-2); }
  .node .solved { fill: none; stroke: var(--ink-2); stroke-width: 1; }
  .node .advantage { font-weight: 650; font-size: 12px; }
  .node.more .quiet, .node.less .quiet { fill: var(--ink); }
  svg .node .tiny { font-size: 10px; }
  .node.chosen .box { stroke: var(--ink); stroke-width: 2.5; }
  .node:hover .box { stroke-width: 2.5; }
`;

const NODE = { width: 108, height: 38 };
const NARROW_NODE = { width: 94, height: 38 };
const GAP = { x: 26, y: 6 };
const NARROW_GAP = { x: 20, y: 6 };

/** Formats a reward for a box, with two decimals. */
const short = (reward: number) => plain(Math.round(reward * 100) / 100);

/**
 * Drawing of the turns of a group as trees, or as rows if they are chains. Each box has the reward, the credited value
 * and the advantage of its turn. The selected turn is shown next to the drawing.
 * @fires credit-choice when the rule or a parameter changes (ChoiceEvent)
 * @fires turn-choice when another turn is opened (TurnEvent)
 */
@customElement('tw-program-tree')
export class ProgramTree extends LitElement {
  static override styles = [base, viewStyles, programTreeStyles, css`:host { min-width: 0; }`];

  @property({ attribute: false }) inspected!: Inspected;
  @property({ attribute: false }) choice: CreditChoice = { rule: 'murphy-mars', values: {} };
  /** Index of the open turn; undefined if no turn is open. */
  @property({ type: Number }) turn: number | undefined;
  /** True if the element shows the choice of the rule. */
  @property({ attribute: false }) controls = true;
  @property({ attribute: false }) formula = true;
  @state() isTableVisible = false;
  private readonly size = new WidthController(this);

  protected override render() {
    const texts = inspectorStrings.programs;
    const { group } = this.inspected;
    return html`
      ${
        this.controls
          ? html`<tw-credit-choice .group=${group} .choice=${this.choice} @credit-choice=${this.choose}></tw-credit-choice>`
          : nothing
      }
      <div class="body">
        <figure aria-labelledby="title">
          <figcaption>
            <h3 id="title">${texts.title}</h3>${drawingTools(this, texts.title, 'turnwise-turns.svg')}
            <span class="caption">${texts.caption}</span>
          </figcaption>
          <div class="drawing">${this.size.width > 0 ? this.forest() : nothing}</div>
          ${this.key()}
          ${this.isTableVisible ? this.table() : nothing}
        </figure>
        ${
          this.turn === undefined
            ? html`<p class="side hint caption">${texts.choose}</p>`
            : html`<div class="side"><button class="small close" aria-label=${texts.closeLabel(this.turn)}
                @click=${this.close}>${texts.close}</button>
              <tw-turn .inspected=${this.inspected} .choice=${this.choice} .turn=${this.turn}
                .formula=${this.formula}></tw-turn></div>`
        }
      </div>
    `;
  }

  /**
   * Available width [CSS px]. On wide pages the open turn occupies a third next to the drawing (programTreeStyles).
   */
  private get width(): number {
    const { width } = this.size;
    return (width >= 1000 ? (2 / 3) * (width - 24) : width) - 8;
  }

  private forest() {
    const [node, gap] = this.size.width < 480 ? [NARROW_NODE, NARROW_GAP] : [NODE, GAP];
    const picture = layoutForest(this.inspected.group, { width: this.width, node, gap });
    const { positioned, order, width, height } = picture;
    return html`<svg role="tree" aria-label=${inspectorStrings.programs.label} width=${width} height=${height}
      viewBox="0 0 ${width} ${height}" @keydown=${(event: KeyboardEvent) => this.move(event, picture)}>
      <g class="links" aria-hidden="true">${positioned.map((item) =>
        item.parent < 0 ? nothing : svg`<path d=${linkPath(positioned[item.parent], item, node)}></path>`,
      )}</g>
      ${order.map((turn) => this.node(picture, turn, node))}
    </svg>`;
  }

  private node(
    { positioned, order }: ForestPicture,
    turn: number,
    node: { readonly width: number; readonly height: number },
  ) {
    const texts = inspectorStrings.programs;
    const { x, y, depth } = positioned[turn];
    const { reward, solved } = this.inspected.group.turns[turn];
    const A = this.advantage(turn);
    const credit = readTurnCredit(this.credit, turn);
    const line =
      credit === undefined || plain(credit) === plain(reward)
        ? texts.nodeReward(short(reward))
        : texts.nodeBackedUp(short(reward), short(credit));
    const focus = this.turn ?? order[0];
    const chosen = turn === this.turn;
    return svg`<g class="node ${shadeClass(A)} ${chosen ? 'chosen' : ''}" style=${shadeStyle(A)}
      transform="translate(${x},${y})">
      <g role="treeitem" data-turn=${turn} aria-level=${depth + 1} aria-selected=${chosen} aria-label=${this.describe(turn)}
        tabindex=${turn === focus ? 0 : -1} @click=${() => this.press(turn)}>
        <rect class="box" width=${node.width} height=${node.height} rx="6"></rect>
        ${solved ? svg`<rect class="solved" x="3" y="3" width=${node.width - 6} height=${node.height - 6} rx="4"></rect>` : nothing}
      </g>
      <g class="words" aria-hidden="true">
        <text class="quiet" x="8" y="15">${solved ? '✓ ' : ''}${line}</text>
        <text class="quiet tiny" x=${node.width - 6} y="31" text-anchor="end">${texts.number(turn)}</text>
        <text class="advantage" x="8" y="31">${Number.isNaN(A) ? texts.pruned : texts.nodeAdvantage(signed(A))}</text>
      </g>
    </g>`;
  }

  private get credit() {
    return this.choice.rule === '' ? undefined : creditOf(this.inspected.group, this.choice).credit;
  }

  /** Returns the advantage of a turn; 0 if the rule cannot read the group. */
  private advantage(turn: number): number {
    return this.credit?.advantage[turn] ?? 0;
  }

  private describe(turn: number): string {
    const texts = inspectorStrings.programs;
    const { parent, reward, solved } = this.inspected.group.turns[turn];
    const A = this.advantage(turn);
    const credit = readTurnCredit(this.credit, turn);
    const advantage = Number.isNaN(A) ? texts.prunedText : texts.advantageText(signed(A));
    const with_ = credit === undefined ? '' : texts.backedUpText(plain(credit));
    return texts.turnText(turn, parent, plain(reward), with_, advantage, solved ? texts.solvedText : '');
  }

  private key() {
    const { key } = inspectorStrings.programs;
    const swatch = (name: 'more' | 'less' | 'even' | 'pruned') => html`<li>
      <svg width="26" height="16" aria-hidden="true"><g class="node ${name}" style="--share: 0.6">
        <rect class="box" x="1" y="1" width="24" height="14" rx="4"></rect></g></svg>${key[name]}</li>`;
    return html`<ul class="key">
      ${swatch('more')}${swatch('less')}${swatch('even')}${swatch('pruned')}
      <li>${key.solved}</li><li>${key.credited}</li>
    </ul>`;
  }

  private table() {
    const texts = inspectorStrings;
    const heads = [texts.columns.turn, texts.programs.parentHead, texts.columns.reward, texts.columns.outcome];
    const more = [texts.programs.solvedHead, texts.programs.backedUpHead, 'A'];
    return dataTable(
      texts.programs.title,
      [...heads, ...more],
      this.inspected.group.turns.map(({ parent, reward, outcome, solved }, turn) => {
        const [A, credit] = [this.advantage(turn), readTurnCredit(this.credit, turn)];
        return html`<tr>
            <th scope="row">${turn}</th><td>${parent < 0 ? '' : parent}</td><td>${plain(reward)}</td>
            <td>${outcome === undefined ? '' : plain(outcome)}</td>
            <td>${solved === undefined ? '' : solved ? texts.turn.yes : texts.turn.no}</td>
            <td>${credit === undefined ? '' : plain(credit)}</td>
            <td>${Number.isNaN(A) ? texts.programs.pruned : signed(A, 4)}</td>
          </tr>`;
      }),
    );
  }

  private async move(event: KeyboardEvent, picture: ForestPicture): Promise<void> {
    const from = Number((event.target as Element).closest<SVGElement>('[data-turn]')?.dataset.turn ?? Number.NaN);
    if (Number.isNaN(from)) return;
    const to = event.key === 'Enter' || event.key === ' ' ? from : turnByKey(picture, from, event.key);
    if (event.key === 'Escape' && this.turn !== undefined) this.open(undefined);
    if (to === undefined) return;
    event.preventDefault();
    this.open(to);
    await this.updateComplete;
    this.renderRoot.querySelector<SVGElement>(`[data-turn="${to}"]`)?.focus();
  }

  private open(turn: number | undefined): void {
    this.turn = turn;
    this.dispatchEvent(new TurnEvent(turn));
  }

  /**
   * Opens a clicked turn and scrolls to it if it is far down: on a phone the turn is below the tree. Keyboard
   * navigation does not scroll.
   */
  private async press(turn: number): Promise<void> {
    this.open(turn);
    await this.updateComplete;
    const detail = this.renderRoot.querySelector('.side');
    const far = (detail?.getBoundingClientRect().top ?? 0) > 0.6 * innerHeight;
    if (far) detail?.scrollIntoView({ block: 'start' });
  }

  private async close(event: MouseEvent): Promise<void> {
    const { turn } = this;
    this.open(undefined);
    // After a key press the focus must return to the turn, because the focused button is removed.
    if (event.detail > 0) return;
    await this.updateComplete;
    this.renderRoot.querySelector<SVGElement>(`[data-turn="${turn}"]`)?.focus();
  }

  private choose(event: ChoiceEvent): void {
    this.choice = event.detail;
  }
}
