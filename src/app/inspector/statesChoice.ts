import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Group } from '../../rollouts/forest.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import type { CreditChoice } from './choice.ts';
import { granularities, recordedGranularity } from './granularity.ts';
import { ChoiceEvent } from './inspectorEvents.ts';

/**
 * Choice of the granularity at which states of a group count as equal. The element is empty if the turns have states at
 * fewer than two granularities.
 * @fires credit-choice when another granularity is selected (ChoiceEvent)
 */
@customElement('tw-states-choice')
export class StatesChoice extends LitElement {
  static override styles = [
    base,
    css`
      label { display: flex; flex-wrap: wrap; gap: 0.25rem 0.5rem; align-items: center; font-size: 0.8125rem; }
      select { max-width: 100%; }
    `,
  ];

  @property({ attribute: false }) group!: Group;
  @property({ attribute: false }) choice!: CreditChoice;

  protected override render() {
    const texts = inspectorStrings.states;
    const names = granularities(this.group);
    if (names.length === 0) return nothing;
    const recorded = recordedGranularity(this.group);
    const chosen = names.find((name) => name === this.choice.states) ?? recorded;
    const title = (name: string) => texts.granularities[name] ?? name;
    return html`<label>${texts.granularity}
      <select @change=${this.choose}>
        ${names.map(
          (name) =>
            html`<option value=${name} .selected=${name === chosen}>${
              name === recorded ? texts.recordedStates(title(name)) : title(name)
            }</option>`,
        )}
      </select>
    </label>`;
  }

  private choose(event: Event): void {
    const states = (event.target as HTMLSelectElement).value;
    this.dispatchEvent(new ChoiceEvent({ ...this.choice, states }));
  }
}
