import { css, html, LitElement, nothing, svg } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { ruleTitle } from '../address/pageTables.ts';
import { WidthController } from '../drawing/drawing.ts';
import { drawingTools, viewStyles } from '../drawing/figures.ts';
import { digits, signed } from '../drawing/numbers.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { type ChoiceEvent, type CreditChoice, creditOf, TurnEvent, valuesOf } from './choice.ts';
import { actionText, atGranularity, type Inspected } from './inspected.ts';
import {
  type ActionEdge,
  classifyOutcomes,
  type OutcomeClass,
  type RolloutGraph,
  rolloutGraph,
} from './rolloutGraph.ts';
import type { UsedAdvantages } from './rolloutTables.ts';
import { edgeByKey, type GraphLine, type GraphPicture, layoutGraph } from './treeLayouts.ts';
import './creditChoice.ts';
import './derivation.ts';
import './rolloutTables.ts';

/** Styles of the tree of rollouts. */
const rolloutTreeStyles = css`
  figure, section[aria-labelledby='parameters'], tw-states-choice { margin-top: 0.75rem; }
  section > tw-rule-parameters { margin-top: 0.375rem; }
  .edge .line { fill: none; }
  .edge .hit { fill: none; stroke: transparent; stroke-width: 14; }
  .edge.solved .line { stroke: var(--series-1); }
  .edge.mixed .line { stroke: var(--series-4); stroke-dasharray: 12 4; }
  .edge.failed .line { stroke: var(--series-2); stroke-dasharray: 3 4; }
  .edge.incomplete .line { stroke: var(--ink-3); stroke-dasharray: 1 4; stroke-linecap: round; }
  .edge[aria-selected='true'] .line { stroke: var(--ink); }
  svg .edge:focus, svg .edge:focus-visible { outline: none; }
  .edge:focus-visible .hit { stroke: color-mix(in srgb, var(--focus) 40%, transparent); }
  svg .halo { paint-order: stroke; stroke: var(--surface); stroke-width: 3px; font-size: 10px; fill: var(--ink-2);
    pointer-events: none; }
  svg .halo.strong, svg .strong { fill: var(--ink); font-weight: 620; }
  .ends { font-size: 11px; font-weight: 620; }
  .ends.failed, .ends.incomplete { fill: var(--ink-2); }
  .state rect { fill: var(--surface); stroke: var(--ink-2); stroke-width: 1.5; }
  .state.single rect { fill: var(--ground); stroke: var(--ink-3); stroke-dasharray: 2 3; }
  .state.single text { fill: var(--ink-2); }
  svg .state text { font-size: 10.5px; }
  svg .state .tiny { font-size: 9.5px; }
  .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1rem 1.5rem;
    margin: 1rem 0; align-items: start; }
  .formula { min-width: 0; }
  @media (min-width: 700px) { .formula { min-height: 12rem; } }
  .description { font-size: 0.8125rem; margin: 0.25rem 0 0.5rem; overflow-wrap: anywhere; }
  .taken { display: flex; flex-wrap: wrap; gap: 0.25rem; align-items: center; margin-top: 0.5rem; font-size: 0.8125rem; }
`;

const NODE = { width: 48, height: 30 };
const ROW = 40;
const STEP = [104, 190] as const;
/** Approximate width of a character of a label [CSS px]. */
const CHARACTER = 6.5;
/** Line widths without visits and at the maximum number of visits [CSS px]. */
const WIDTHS = [1.5, 6] as const;

/**
 * Drawing of the tree that rollouts form if equal states are merged. States have V and N, and actions have Q, N and A
 * under RTMC. Below it are the steps on which RTMC and GRPO disagree, and each rollout under three rules.
 * @fires credit-choice when a parameter of RTMC changes (ChoiceEvent)
 * @fires turn-choice when a step is opened or closed (TurnEvent)
 */
@customElement('tw-rollout-tree')
export class RolloutTree extends LitElement {
  static override styles = [base, viewStyles, rolloutTreeStyles, css`:host { min-width: 0; }`];

  @property({ attribute: false }) inspected!: Inspected;
  @property({ attribute: false }) choice: CreditChoice = { rule: 'rtmc', values: {} };
  /** Index of the turn whose step is open; undefined if no step is open. */
  @property({ type: Number }) turn: number | undefined;
  /** True if the element shows the parameters of RTMC. */
  @property({ attribute: false }) controls = true;
  @property({ attribute: false }) formula = true;
  /** Advantages that the update of a run used; undefined if the steps do not show them. */
  @property({ attribute: false }) used: UsedAdvantages | undefined;
  /** Id of the edge with the pointer or the focus; undefined before the first interaction. */
  @state() private active: number | undefined;
  @state() isTableVisible = false;
  private readonly size = new WidthController(this);

  protected override render() {
    const { group } = this.inspected;
    const { problem } = creditOf(group, this.choice, 'rtmc');
    if (problem !== undefined) return html`<p class="problem">${problem}</p>`;
    const texts = inspectorStrings.states;
    const graph = withActionTexts(
      rolloutGraph(atGranularity(group, this.choice.states), valuesOf(this.choice, 'rtmc')),
      this.inspected,
    );
    const edge = graph.edges[this.active ?? -1];
    return html`<div @credit-choice=${this.choose} @turn-choice=${this.follow}>
      ${
        this.controls
          ? html`<section role="group" aria-labelledby="parameters">
              <h3 id="parameters">${inspectorStrings.parameters(ruleTitle('rtmc'))}</h3>
              <tw-rule-parameters rule="rtmc" .choice=${this.choice}></tw-rule-parameters>
            </section>`
          : nothing
      }
      <tw-states-choice .group=${group} .choice=${this.choice}></tw-states-choice>
      <figure aria-labelledby="title">
        <figcaption>
          <h3 id="title">${texts.title}</h3>${drawingTools(this, texts.title, 'turnwise-states.svg')}
          <span class="caption">${texts.caption}</span>
        </figcaption>
        <div class="drawing">${this.size.width > 0 ? this.graph(graph) : nothing}</div>
        ${this.key(graph)}
        ${this.isTableVisible ? html`<tw-state-table .graph=${graph}></tw-state-table>` : nothing}
      </figure>
      <div class="pair">
        ${this.formulaOf(edge, graph)}
        <tw-quadrants .group=${group} .choice=${this.choice} .rollouts=${graph.rollouts}></tw-quadrants>
      </div>
      <tw-rollout-strips .inspected=${this.inspected} .choice=${this.choice} .rollouts=${graph.rollouts}
        .turn=${this.turn} .marked=${edge?.turns ?? []} .formula=${this.formula} .used=${this.used}></tw-rollout-strips>
    </div>`;
  }

  private graph(graph: RolloutGraph) {
    const picture = layoutGraph(graph, { width: this.size.width - 44, node: NODE, row: ROW, step: STEP });
    const width = picture.width + 36;
    return html`<svg role="listbox" aria-label=${inspectorStrings.states.label} width=${width} height=${picture.height}
      viewBox="0 0 ${width} ${picture.height}" @keydown=${(event: KeyboardEvent) => this.move(event, graph, picture)}>
      ${picture.order.map((edge) => this.edge(graph, picture, edge))}
      <g aria-hidden="true">
        <g class="words">${picture.lines.map((line) => this.label(line, graph.edges[line.edge], picture))}</g>
        ${graph.states.map((node) => this.state(graph, picture, node.id))}
      </g>
    </svg>`;
  }

  private edge(graph: RolloutGraph, picture: GraphPicture, id: number) {
    const edge = graph.edges[id];
    const maximum = Math.max(1, ...graph.edges.map(({ visits }) => visits));
    const width = WIDTHS[0] + ((WIDTHS[1] - WIDTHS[0]) * edge.visits) / maximum;
    const chosen = id === this.active;
    const show = () => {
      this.active = id;
    };
    const lines = picture.lines.filter((line) => line.edge === id);
    const kind = classifyOutcomes(edge);
    return svg`<g class="edge ${kind}" role="option" data-edge=${id} aria-selected=${chosen}
      aria-label=${this.describe(edge)} tabindex=${id === (this.active ?? picture.order[0]) ? 0 : -1}
      @pointerenter=${show} @click=${show} @focus=${show}>
      ${lines.map(({ path }) => svg`<path class="hit" d=${path}></path><path class="line" d=${path} stroke-width=${width}></path>`)}
    </g>`;
  }

  /**
   * Renders the label of a line of the tree. A crossing line has no label; it is described when the user points at it.
   */
  private label({ tree, state: to, end }: GraphLine, edge: ActionEdge, picture: GraphPicture) {
    const ends =
      to < 0
        ? svg`<text class="ends ${classifyOutcomes(edge.ended)}" x=${end.x + 5} y=${end.y + 4}>${inspectorStrings.states.ends(edge.ended)}</text>`
        : nothing;
    if (!tree) return ends;
    const width = Math.abs(end.x - picture.states[edge.from].x - NODE.width / 2) - 8;
    const letters = Math.max(3, Math.floor(width / CHARACTER));
    const action = shortLabel(edge.action, letters);
    // The end of each line of the tree has a separate row.
    const [x, y] = [end.x - 6, end.y];
    return svg`${ends}<text class="halo" x=${x} y=${y - 5} text-anchor="end">${action}</text>
      <text class="halo strong" x=${x} y=${y + 13} text-anchor="end">A ${signed(edge.advantage)}</text>`;
  }

  private state(graph: RolloutGraph, { states }: GraphPicture, id: number) {
    const texts = inspectorStrings.states;
    const { x, y } = states[id];
    const { visits, value: V, state: signature } = graph.states[id];
    return svg`<g class="state ${visits === 1 ? 'single' : ''}" transform="translate(${x - NODE.width / 2},${y - NODE.height / 2})">
      <title>${texts.stateText(id, signature, visits, digits(V), visits === 1)}</title>
      <rect width=${NODE.width} height=${NODE.height} rx="6"></rect>
      <text class="strong" x=${NODE.width / 2} y="13" text-anchor="middle">${texts.value(digits(V))}</text>
      <text class="quiet tiny" x=${NODE.width / 2} y="25" text-anchor="middle">${texts.state(id)} · ${texts.visits(visits)}</text>
    </g>`;
  }

  private describe(edge: ActionEdge): string {
    const { from, action, visits, q, advantage } = edge;
    const texts = inspectorStrings.states;
    return texts.edgeText(from, action, visits, digits(q), signed(advantage), texts.ended(edge));
  }

  private formulaOf(edge: ActionEdge | undefined, graph: RolloutGraph) {
    const texts = inspectorStrings.states;
    if (!edge) return html`<div class="formula"><h3>${texts.formula}</h3><p class="caption">${texts.choose}</p></div>`;
    return html`<div class="formula">
      <h3>${texts.formula}</h3>
      <p class="description">${this.describe(edge)}</p>
      <tw-worked rule="rtmc" .group=${this.inspected.group} .choice=${this.choice} .turn=${edge.turns[0]}></tw-worked>
      <p class="taken"><span class="muted">${texts.turns}</span>
        ${edge.turns.map((turn) => {
          const rollout = graph.rolloutOf[turn];
          const step = graph.rollouts[rollout].indexOf(turn) + 1;
          return html`<button class="small" @click=${() => this.dispatchEvent(new TurnEvent(turn))}>
            ${texts.step(rollout + 1, step)}</button>`;
        })}
      </p>
    </div>`;
  }

  private key(graph: RolloutGraph) {
    const { key } = inspectorStrings.states;
    const swatch = (kind: OutcomeClass) => html`<li>
      <svg width="34" height="8" aria-hidden="true"><g class="edge ${kind}">
        <path class="line" d="M0,4h34" stroke-width="3"></path></g></svg>${key[kind]}</li>`;
    return html`<ul class="key">
      ${swatch('solved')}${swatch('mixed')}${swatch('failed')}
      ${graph.edges.some((edge) => classifyOutcomes(edge) === 'incomplete') ? swatch('incomplete') : nothing}
      <li><svg width="26" height="16" aria-hidden="true"><g class="state single">
        <rect x="1" y="1" width="24" height="14" rx="4"></rect></g></svg>${key.single}</li>
    </ul>`;
  }

  private async move(event: KeyboardEvent, graph: RolloutGraph, picture: GraphPicture): Promise<void> {
    const from = Number((event.target as Element).closest<SVGElement>('[data-edge]')?.dataset.edge ?? Number.NaN);
    const to = Number.isNaN(from) ? undefined : edgeByKey(graph, picture, from, event.key);
    if (to === undefined) return;
    event.preventDefault();
    this.active = to;
    await this.updateComplete;
    this.renderRoot.querySelector<SVGElement>(`[data-edge="${to}"]`)?.focus();
  }

  private choose(event: ChoiceEvent): void {
    this.choice = event.detail;
  }

  private follow(event: TurnEvent): void {
    this.turn = event.detail;
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    const before = changed.get('choice') as CreditChoice | undefined;
    // With other states, the same turns have other edges.
    if (changed.has('inspected') || (before && before.states !== this.choice.states)) this.active = undefined;
  }
}

/** Returns a graph whose actions are texts for users. Actions that rules compare can be abbreviations. */
export function withActionTexts(graph: RolloutGraph, inspected: Inspected): RolloutGraph {
  return { ...graph, edges: graph.edges.map((edge) => ({ ...edge, action: actionText(inspected, edge.turns[0]) })) };
}

/**
 * Shortens a label by an ellipsis before its last word, because neighbouring labels mostly differ at the end. For
 * example, "answer v32" becomes "ans…v32".
 * @param letters maximum number of characters
 */
export function shortLabel(text: string, letters: number): string {
  if (text.length <= letters) return text;
  const capacity = Math.max(2, letters) - 1;
  const last = text.length - (text.lastIndexOf(' ') + 1);
  const end = last <= capacity ? last : endOf(capacity);
  return `${text.slice(0, capacity - end).trimEnd()}…${text.slice(text.length - end)}`;
}

/**
 * Returns the number of characters from the end of a last word that is too long: half of them, or all if there are few.
 */
function endOf(capacity: number): number {
  return capacity < 5 ? capacity : Math.ceil(capacity / 2);
}
