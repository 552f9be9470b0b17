import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import type { RewardNote } from '../../environments/descriptor.ts';
import {
  allowed,
  type ChoiceParameter,
  clampParameter,
  type NumberParameter,
  optionLabel,
  type Parameter,
  type ParameterValue,
} from '../../parameters/parameters.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import { presetRun, presetsOf } from '../../training/data/worlds.ts';
import { DEFAULT_VIEW, writeUrl } from '../address/url.ts';
import { ParameterChangeEvent } from '../look/pageEvent.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';

/**
 * Label and field of one parameter (slider and number, menu, tick box or text), with a reset button and help text. The
 * help text appears if the user presses the question mark, or the `tw-explain` button of the surrounding panel.
 */
@customElement('tw-parameter')
export class ParameterControl extends LitElement {
  static override styles = [
    base,
    css`
      .row { display: grid; grid-template-columns: minmax(0, 1fr) 5.25rem; gap: 0 0.625rem; align-items: center; }
      .name { display: flex; align-items: center; gap: 0.25rem; min-width: 0; font-size: 0.8125rem; }
      .name label { overflow-wrap: anywhere; }
      sub { font-size: 0.7em; }
      .symbol { color: var(--ink-2); font-style: italic; font-family: 'Cambria Math', 'STIX Two Math', Georgia, serif; }
      .field { grid-row: 1 / 3; grid-column: 2; width: 100%; text-align: end; }
      .row.choice { grid-template-columns: minmax(5.5rem, 1fr) minmax(7.5rem, auto); }
      select.field { grid-row: 1; text-align: start; }
      .row.boolean { grid-template-columns: minmax(0, 1fr) auto; }
      input[type='checkbox'].field { grid-row: 1; width: 1.5rem; height: 1.5rem; }
      input[type='range'] { width: 100%; min-height: 1.25rem; }
      .changed { font-weight: 650; }
      .note { grid-column: 1 / -1; font-size: 0.75rem; line-height: 1.35; color: var(--ink-2); }
      .note a { color: var(--accent); }
      .inactive label, .inactive .field { color: var(--ink-2); }
      .inactive input[type='range'] { opacity: 0.35; }
      .help { grid-column: 1 / -1; font-size: 0.75rem; color: var(--ink-2); padding: 0.125rem 0 0.25rem;
        line-height: 1.4; }
      button.plain { min-height: 1.25rem; padding: 0 0.3rem; font-size: 0.75rem; color: var(--ink-2); }
      .question { border: 1px solid var(--line-2) !important; border-radius: 50%; width: 1.125rem; min-width: 1.125rem;
        min-height: 1.125rem; padding: 0; font-size: 0.6875rem; }
      @media (pointer: coarse) { .question { width: 1.75rem; min-height: 1.75rem; } }
    `,
  ];

  @property({ attribute: false }) parameter!: Parameter;
  @property({ attribute: false }) value: ParameterValue | undefined;
  /** Value for the reset button, if the control does not change the run. By default, the default of the parameter. */
  @property({ attribute: false }) start: ParameterValue | undefined;
  /**
   * True if changes are sent while a slider is dragged. This is for values that are computed immediately and do not
   * change a run.
   */
  @property({ type: Boolean }) live = false;
  /** True if the surrounding panel shows the help of all its controls. */
  @property({ type: Boolean }) explained = false;
  /** Note about the present effect of the parameter. */
  @property({ attribute: false }) note: RewardNote | undefined;
  /** Environment of the preset of the note. */
  @property() environment: EnvironmentName = DEFAULT_ENVIRONMENT;
  @state() private helped = false;
  /** Value of the slider during a drag; otherwise undefined. */
  @state() private draft: number | undefined;

  protected override render() {
    const { parameter } = this;
    const { label, symbol, help } = parameter;
    const start = this.start ?? parameter.default;
    const value = this.draft ?? this.value ?? start;
    const changed = value !== start;
    const texts = strings.controls;
    return html`
      <div class="row ${parameter.kind} ${this.note?.isInactive ? 'inactive' : ''}">
        <div class="name">
          <label for="field" class=${changed ? 'changed' : ''}>${label}</label>
          ${symbol ? this.symbol(symbol) : nothing}
          <button class="plain question" tabindex="-1" title=${help} aria-label=${texts.help(label)}
            aria-expanded=${this.isDescribed} @click=${this.toggleHelp}>?</button>
          ${
            changed
              ? html`<button class="plain" aria-label=${this.start === undefined ? texts.reset(label) : texts.resetToRun(label)}
                @click=${() => this.change(start)}>
                  ${texts.resetShort}</button>`
              : nothing
          }
        </div>
        ${this.field(parameter, value)}
        ${this.note ? this.noteText(this.note) : nothing}
        <div class="help" id="help" ?hidden=${!this.isDescribed}>${help} (${allowed(parameter)})</div>
      </div>
    `;
  }

  private noteText({ text, preset }: RewardNote) {
    const match = presetsOf(this.environment).find(({ name }) => name === preset);
    const link = match ? html` <a href=${writeUrl(presetRun(match), DEFAULT_VIEW)}>${match.title}</a>` : nothing;
    return html`<p class="note" id="note">${text}${link}</p>`;
  }

  /** Renders a symbol. The part after an underscore is a subscript. */
  private symbol(symbol: string) {
    const [letter, index] = symbol.split('_');
    return html`<span class="symbol" aria-hidden="true">${letter}${index ? html`<sub>${index}</sub>` : nothing}</span>`;
  }

  private field(parameter: Parameter, value: ParameterValue) {
    if (parameter.kind === 'choice') return this.choice(parameter, String(value));
    if (parameter.kind === 'number') return this.number(parameter, Number(value));
    if (parameter.kind === 'boolean') return this.tick(value === 'true');
    return html`<input type="text" id="field" class="field" aria-describedby="note help" .value=${String(value)}
      @change=${this.type} />`;
  }

  private choice(parameter: ChoiceParameter, value: string) {
    const chosen = (event: Event) => this.change((event.target as HTMLSelectElement).value);
    return html`<select id="field" class="field" aria-describedby="note help" @change=${chosen}>
      ${parameter.options.map(
        (option) => html`<option value=${option}
        .selected=${option === value}>${optionLabel(parameter, option)}</option>`,
      )}
    </select>`;
  }

  private tick(yes: boolean) {
    const ticked = (event: Event) => this.change(String((event.target as HTMLInputElement).checked));
    return html`<input type="checkbox" id="field" class="field" aria-describedby="note help" .checked=${live(yes)}
      @change=${ticked} />`;
  }

  private number(parameter: NumberParameter, value: number) {
    return html`
      <input type="range" min="0" max=${SLIDER_STEPS} step="any" aria-label=${parameter.label}
        aria-describedby="note help" aria-valuetext=${String(value)} .value=${String(toSlider(parameter, value))}
        @input=${this.drag} @change=${this.drop} @keydown=${this.nudge} />
      <input type="number" id="field" class="field" aria-describedby="note help" min=${parameter.min} max=${parameter.max} step="any"
        .value=${String(value)} @change=${this.type} />
    `;
  }

  private drag(event: Event): void {
    this.draft = fromSlider(this.parameter as NumberParameter, Number((event.target as HTMLInputElement).value));
    if (this.live) this.change(this.draft);
  }

  private drop(): void {
    if (this.draft !== undefined) this.change(this.draft);
  }

  /** Moves the value by the step of the parameter. The browser would move the slider by a fixed fraction instead. */
  private nudge(event: KeyboardEvent): void {
    const direction = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    const parameter = this.parameter as NumberParameter;
    const value = Number(this.value ?? parameter.default);
    const moved =
      parameter.scale === 'log'
        ? fromSlider(parameter, toSlider(parameter, value) + direction * (SLIDER_STEPS / 50))
        : Number((value + direction * parameter.step).toPrecision(10));
    this.change(clampParameter(parameter, moved));
  }

  private type(event: Event): void {
    const field = event.target as HTMLInputElement;
    const value = clampParameter(this.parameter, field.value);
    field.value = String(value);
    this.change(value);
  }

  private change(value: ParameterValue): void {
    this.draft = undefined;
    if (value !== (this.value ?? this.parameter.default)) {
      this.dispatchEvent(new ParameterChangeEvent({ [this.parameter.name]: value }));
    }
    this.requestUpdate();
  }

  private get isDescribed(): boolean {
    return this.helped || this.explained;
  }

  private toggleHelp(): void {
    this.helped = !this.helped;
  }
}

/** Largest position of a slider. Positions are 0 to this value. */
export const SLIDER_STEPS = 1000;

/** Returns the smallest value that a logarithmic slider distinguishes from zero. */
function logFloor({ min, step }: NumberParameter): number {
  return min > 0 ? min : step;
}

/** Returns the position of a value on its slider, 0 to SLIDER_STEPS. */
export function toSlider(parameter: NumberParameter, value: number): number {
  const { min, max } = parameter;
  if (parameter.scale !== 'log') return ((value - min) / (max - min)) * SLIDER_STEPS;
  const floor = logFloor(parameter);
  if (value <= floor) return value < floor ? 0 : 1;
  return (Math.log(value / floor) / Math.log(max / floor)) * SLIDER_STEPS;
}

/** Returns the value at a position: a multiple of the step, or two significant digits on a logarithmic slider. */
export function fromSlider(parameter: NumberParameter, position: number): number {
  const { min, max, step } = parameter;
  if (parameter.scale === 'log') {
    if (position < 0.5 && min <= 0) return min;
    const floor = logFloor(parameter);
    const value = floor * (max / floor) ** (position / SLIDER_STEPS);
    return Number(clampParameter(parameter, Number(value.toPrecision(2))));
  }
  const value = min + Math.round(((position / SLIDER_STEPS) * (max - min)) / step) * step;
  return Number(clampParameter(parameter, Number(value.toPrecision(10))));
}
