import { max } from 'd3-array';
import { type ScaleLinear, scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import { css, html, LitElement, nothing, svg } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { type TurnReward, VERPO_PARAMETERS, verpo } from '../../credit/rules/tests/verpo.ts';
import { type ParameterValues, valuesOf as parametersOf } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';
import { indexByKey, WidthController } from '../drawing/drawing.ts';
import { dataTable, drawingTools, viewStyles } from '../drawing/figures.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { type ChoiceEvent, type CreditChoice, creditOf, valuesOf } from './choice.ts';
import './creditChoice.ts';

const HEIGHT = 230;
const MARGIN = { top: 24, right: 38, bottom: 44, left: 40 };

/** Formats a number with three significant digits, which distinguish the weights of the tests. */
const digits = (value: number) => String(Number(value.toPrecision(3)));

interface Scales {
  readonly x: ScaleLinear<number, number>;
  readonly weight: ScaleLinear<number, number>;
  readonly density: ScaleLinear<number, number> | undefined;
}

/** Names of the parameters that affect the weights, by turn reward. Only these are shown next to the plot. */
const ADJUSTABLE: Readonly<Record<TurnReward, readonly string[]>> = {
  'difficulty-density': ['turn', 'alpha', 'bandwidth'],
  difficulty: ['turn', 'alpha'],
  'failure-rate': ['turn', 'alpha'],
  'pass-rate': ['turn'],
  none: ['turn'],
};

/**
 * Weights that VeRPO computes from a group's unit tests. Each test is shown by its pass rate, with its final weight.
 * The plot also shows the density of the pass rates and the weight by difficulty, if the rule's parameter `turn`
 * requires them.
 * @fires credit-choice when the turn reward, alpha or the bandwidth changes (ChoiceEvent)
 */
@customElement('tw-test-weights')
export class TestWeightsChart extends LitElement {
  static override styles = [
    base,
    viewStyles,
    css`
      :host { min-width: 0; }
      .density { fill: color-mix(in srgb, var(--series-4) 16%, transparent); }
      .densityLine { fill: none; stroke: var(--series-4); stroke-width: 1.5; stroke-dasharray: 5 3; }
      .axis line { stroke: var(--line-2); }
      .grid line { stroke: var(--line); }
      .stem { stroke: var(--line-2); stroke-width: 1.5; }
      .rate { stroke: var(--ink); stroke-width: 2; }
      .difficulty { fill: var(--surface); stroke: var(--series-2); stroke-width: 2; }
      .weight { fill: var(--series-1); stroke: var(--surface); stroke-width: 1; }
      .mark:hover .stem, .mark[aria-selected='true'] .stem { stroke: var(--ink); }
      .hit { fill: transparent; }
      .description { min-height: 2.8em; font-size: 0.8125rem; margin-top: 0.25rem; }
      .key svg { overflow: visible; }
    `,
  ];

  @property({ attribute: false }) group!: Group;
  @property({ attribute: false }) choice: CreditChoice = { rule: 'verpo', values: {} };
  @state() private active = 0;
  @state() isTableVisible = false;
  private readonly size = new WidthController(this);

  protected override render() {
    const texts = inspectorStrings.weights;
    const { problem } = creditOf(this.group, this.choice, 'verpo');
    if (problem !== undefined) return html`<p class="problem">${problem}</p>`;
    const weights = testWeights(this.group, valuesOf(this.choice, 'verpo'));
    const active = weights.marks[Math.min(this.active, weights.marks.length - 1)];
    return html`
      <figure aria-labelledby="title">
        <figcaption>
          <h3 id="title">${texts.title}</h3>${drawingTools(this, texts.title, 'turnwise-tests.svg')}
          <span class="caption">${texts.captions[weights.turn]}</span>
        </figcaption>
        <div class="drawing">${this.size.width > 0 ? this.chart(weights) : nothing}</div>
        ${this.key(weights)}
        <p class="description number">${active ? this.describe(active, weights) : nothing}</p>
        <tw-rule-parameters rule="verpo" .choice=${this.choice} .names=${ADJUSTABLE[weights.turn]}
          @credit-choice=${this.choose}></tw-rule-parameters>
        ${this.isTableVisible ? this.table(weights) : nothing}
      </figure>
    `;
  }

  private chart(weights: TestWeights) {
    const texts = inspectorStrings.weights;
    const width = Math.max(240, this.size.width - 8);
    const [left, right, bottom] = [MARGIN.left, width - MARGIN.right, HEIGHT - MARGIN.bottom];
    const maximum = max(weights.marks, ({ difficulty = 0, weight }) => Math.max(difficulty, weight)) ?? 1;
    const scales: Scales = {
      x: scaleLinear([0, 1], [left + 8, right - 8]),
      weight: scaleLinear([0, maximum || 1], [bottom, MARGIN.top]).nice(4),
      density:
        weights.density &&
        scaleLinear([0, max(weights.density.curve, ([, density]) => density) ?? 1], [bottom, MARGIN.top]).nice(4),
    };
    const { x, weight } = scales;
    return html`<svg role="listbox" aria-label=${texts.label} width=${width} height=${HEIGHT}
      viewBox="0 0 ${width} ${HEIGHT}" @keydown=${(event: KeyboardEvent) => this.move(event, weights)}>
      <g aria-hidden="true">
        <g class="grid">${weight.ticks(4).map((tick) => svg`<line x1=${left} x2=${right} y1=${weight(tick)} y2=${weight(tick)}></line>`)}</g>
        ${this.densities(weights, scales, bottom, right)}
        <g class="axis">
          <line x1=${left} x2=${right} y1=${bottom} y2=${bottom}></line>
          ${weight.ticks(4).map((tick) => svg`<text class="quiet" x=${left - 6} y=${weight(tick) + 4} text-anchor="end">${digits(tick)}</text>`)}
          ${x.ticks(5).map((tick) => svg`<text class="quiet" x=${x(tick)} y=${bottom + 24} text-anchor="middle">${digits(tick)}</text>`)}
          <text class="quiet" x=${(left + right) / 2} y=${HEIGHT - 4} text-anchor="middle">${texts.axis}</text>
          <text class="quiet" x="0" y="10">${texts.weightAxis}</text>
          ${weights.density ? svg`<text class="quiet" x=${width} y="10" text-anchor="end">${texts.densityAxis}</text>` : nothing}
        </g>
      </g>
      ${weights.marks.map((mark, index) => this.mark(mark, index, weights, scales, bottom))}
    </svg>`;
  }

  /** Renders the density of the pass rates and its axis, if the weights depend on the density. */
  private densities({ density: densityCurve }: TestWeights, { x, density }: Scales, bottom: number, right: number) {
    if (!densityCurve || !density) return nothing;
    const point = ([at]: readonly [number, number]) => x(at);
    const up = ([, value]: readonly [number, number]) => density(value);
    return svg`<path class="density" d=${area<readonly [number, number]>(point, bottom, up)(densityCurve.curve)}></path>
      <path class="densityLine" d=${line<readonly [number, number]>(point, up)(densityCurve.curve)}></path>
      ${density.ticks(4).map((tick) => svg`<text class="quiet" x=${right + 6} y=${density(tick) + 4}>${digits(tick)}</text>`)}`;
  }

  private mark(mark: WeighedTests, index: number, weights: TestWeights, { x, weight }: Scales, bottom: number) {
    const at = x(mark.passRate);
    const [high, low] = [weight(mark.difficulty ?? mark.weight), weight(mark.weight)];
    const top = Math.min(high, low);
    const show = () => {
      this.active = index;
    };
    return svg`<g class="mark" role="option" data-index=${index} aria-label=${this.describe(mark, weights)}
      aria-selected=${index === this.active} tabindex=${index === this.active ? 0 : -1}
      @pointerenter=${show} @focus=${show} @click=${show}>
      <rect class="hit" x=${at - 8} y=${MARGIN.top} width="16" height=${bottom - MARGIN.top + 12}></rect>
      <line class="stem" x1=${at} x2=${at} y1=${top} y2=${bottom}></line>
      <line class="rate" x1=${at} x2=${at} y1=${bottom - 2} y2=${bottom + 9}></line>
      ${mark.difficulty === undefined ? nothing : svg`<circle class="difficulty" cx=${at} cy=${high} r="4.5"></circle>`}
      <path class="weight" d="M${at},${low - 6}l6,6l-6,6l-6,-6z"></path>
    </g>
    <text class="words" aria-hidden="true" x=${at} y=${top - 9} text-anchor="middle">${
      mark.tests.length > 1 ? inspectorStrings.weights.many(mark.tests.length) : nothing
    }</text>`;
  }

  /** Returns the columns of the tests by name, in the order in which the final weight is computed. */
  private columns({ turn, density }: TestWeights): readonly (readonly [string, (mark: WeighedTests) => number])[] {
    const texts = inspectorStrings.weights;
    const difficulty = turn === 'failure-rate' ? texts.failure : texts.difficulty;
    return [
      [texts.passRate, ({ passRate }) => passRate],
      ...(density || turn === 'failure-rate'
        ? [[difficulty, (mark: WeighedTests) => mark.difficulty ?? Number.NaN] as const]
        : []),
      ...(density ? [[texts.density, (mark: WeighedTests) => mark.density ?? Number.NaN] as const] : []),
      [texts.weight, ({ weight }) => weight],
    ];
  }

  private describe(mark: WeighedTests, weights: TestWeights): string {
    const texts = inspectorStrings.weights;
    const columns = this.columns(weights).map(([name, value]) => [name, digits(value(mark))] as const);
    return texts.testText(texts.tests(mark.tests), columns);
  }

  private key({ turn, density }: TestWeights) {
    const texts = inspectorStrings.weights;
    const swatch = (content: unknown, label: string) => html`<li>
      <svg width="18" height="14" aria-hidden="true">${content}</svg>${label}</li>`;
    const circle = svg`<circle class="difficulty" cx="9" cy="7" r="4.5"></circle>`;
    return html`<ul class="key">
      ${swatch(svg`<line class="rate" x1="9" x2="9" y1="1" y2="12"></line>`, texts.passRate)}
      ${turn === 'failure-rate' ? swatch(circle, texts.failure) : nothing}
      ${density ? swatch(circle, texts.difficulty) : nothing}
      ${swatch(svg`<path class="weight" d="M9,1l6,6l-6,6l-6,-6z"></path>`, texts.weight)}
      ${density ? swatch(svg`<path class="densityLine" d="M0,7h18"></path>`, texts.density) : nothing}
      ${density ? html`<li class="number">${texts.bandwidth(digits(density.bandwidth))}</li>` : nothing}
    </ul>`;
  }

  private table(weights: TestWeights) {
    const texts = inspectorStrings.weights;
    const columns = this.columns(weights);
    const rows = weights.marks.flatMap((mark) => mark.tests.map((test) => ({ mark, test })));
    return dataTable(
      texts.title,
      [texts.test, ...columns.map(([name]) => name)],
      rows
        .sort((a, b) => a.test - b.test)
        .map(
          ({ mark, test }) => html`<tr><th scope="row">${test + 1}</th>
              ${columns.map(([, value]) => html`<td>${digits(value(mark))}</td>`)}</tr>`,
        ),
    );
  }

  private async move(event: KeyboardEvent, { marks }: TestWeights): Promise<void> {
    const index = indexByKey(event, Math.min(this.active, marks.length - 1), marks.length);
    if (index === undefined) return;
    event.preventDefault();
    this.active = index;
    await this.updateComplete;
    this.renderRoot.querySelector<SVGElement>(`[data-index="${index}"]`)?.focus();
  }

  private choose(event: ChoiceEvent): void {
    this.choice = event.detail;
  }
}

/** Unit tests with the same pass rate, and therefore the same weight. */
interface WeighedTests {
  /** Indices of the tests, from 0. */
  readonly tests: readonly number[];
  /** Share of turns that pass the tests, rho. */
  readonly passRate: number;
  /**
   * Weight by difficulty, before division by the density or normalization. Absent if it is not used or is the final
   * weight.
   */
  readonly difficulty?: number;
  /** Kernel density d of the pass rates at this pass rate. Absent if the weights do not depend on it. */
  readonly density?: number;
  /** Final weight: the reward for passing one of the tests. */
  readonly weight: number;
}

interface TestWeights {
  /** Kind of turn reward from which the weights are computed. */
  readonly turn: TurnReward;
  /** Tests by pass rate, in ascending order. */
  readonly marks: readonly WeighedTests[];
  /** Bandwidth sigma and density for pass rates from 0 to 1. Absent if the weights do not depend on them. */
  readonly density?: {
    readonly bandwidth: number;
    readonly curve: readonly (readonly [passRate: number, density: number])[];
  };
}

/** Number of points of the density curve. */
const POINTS = 101;

/**
 * Computes the weights of a group's tests under VeRPO. The final weights come from the rule itself.
 * @throws {CreditError} if VeRPO cannot read the group
 */
export function testWeights(group: Group, parameters: ParameterValues): TestWeights {
  const { passRate, weights, bandwidth } = verpo.credit(group, parameters).intermediate;
  const { turn, alpha } = parametersOf(VERPO_PARAMETERS, parameters);
  const sigma = bandwidth[0];
  const density = (at: number) =>
    passRate.reduce((sum, rho) => sum + Math.exp(-((at - rho) ** 2) / (2 * sigma ** 2)), 0);
  const difficulty = (rate: number) => {
    if (turn === 'difficulty-density') return { difficulty: Math.exp(-alpha * rate), density: density(rate) };
    return turn === 'failure-rate' ? { difficulty: (1 - rate) ** alpha } : {};
  };

  const byRate = new Map<number, number[]>();
  passRate.forEach((rho, test) => {
    const tests = byRate.get(rho);
    if (tests) tests.push(test);
    else byRate.set(rho, [test]);
  });
  const marks = [...byRate]
    .sort(([a], [b]) => a - b)
    .map(([rate, tests]) => ({ tests, passRate: rate, ...difficulty(rate), weight: weights[tests[0]] }));
  if (turn !== 'difficulty-density') return { turn, marks };
  const curve = Array.from({ length: POINTS }, (_, point) => {
    const at = point / (POINTS - 1);
    return [at, density(at)] as const;
  });
  return { turn, marks, density: { bandwidth: sigma, curve } };
}
