import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Detection } from '../../experiments/detectors.ts';
import { updateOf } from '../curves/series.ts';
import { base, panel } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';
import '../glossary/panelGlossary.ts';
import type { GroupView } from '../../training/data/protocol.ts';
import { DETECTOR_TERMS } from '../glossary/terms.ts';
import type { Happening, Sampled } from '../session/runEvents.ts';

/** Maximum number of events that the log shows. The file of the run has all events. */
const MAX_EVENTS = 200;

/** Event of the user opening a sampled group again. */
export class SampleEvent extends CustomEvent<GroupView> {
  constructor(group: GroupView) {
    super('sample', { detail: group, bubbles: true, composed: true });
  }
}

/**
 * Events of the run, newest first: changes, detected events and samples.
 * @fires sample when the user opens a sampled group again (SampleEvent)
 */
@customElement('tw-event-log')
export class EventLog extends LitElement {
  static override styles = [
    base,
    panel,
    css`
      .scroll { max-height: 15rem; overflow: auto; margin-top: 0.375rem; }
      table { width: 100%; }
      td:first-child { color: var(--ink-2); text-align: end; width: 4rem; font-variant-numeric: tabular-nums; }
      td { border-top: 1px solid var(--line); overflow-wrap: anywhere; }
      .caption { margin-top: 0.375rem; }
    `,
  ];

  @property({ attribute: false }) appliedEvents: readonly Happening[] = [];
  /** Events detected in the curves. */
  @property({ attribute: false }) detected: readonly Detection[] = [];

  /** Sampled groups. */
  @property({ attribute: false }) samples: readonly Sampled[] = [];

  protected override render() {
    const texts = strings.log;
    // Detections of an update come before the changes at the start of the next update.
    const detected = this.detected.map(({ step, text, name, rule }) => ({
      ...{ step: updateOf({ step }), text, at: step + 0.5 },
      meaning: html` <tw-words-here .term=${DETECTOR_TERMS[name]} .rule=${rule ?? ''}></tw-words-here>`,
    }));
    const changes = this.appliedEvents.map(({ step, text }) => ({ step, text, at: step, meaning: nothing }));
    const all = [...changes, ...detected, ...this.samples.map((sample) => this.sampleRow(sample))];
    all.sort((a, b) => a.at - b.at);
    return html`
      <section aria-labelledby="title">
        <h2 id="title">${texts.title}</h2>
        ${
          all.length === 0
            ? html`<p class="caption">${texts.empty}</p>`
            : html`<div class="scroll" tabindex="0" role="group" aria-labelledby="title">
                <table>
                  <thead class="visually-hidden">
                    <tr><th scope="col">${texts.step}</th><th scope="col">${texts.eventHead}</th></tr>
                  </thead>
                  <tbody>
                    ${all
                      .slice(-MAX_EVENTS)
                      .reverse()
                      .map(
                        ({ step, text, meaning }) =>
                          html`<tr><td>${step}</td><td><span>${text}</span>${meaning}</td></tr>`,
                      )}
                  </tbody>
                </table>
              </div>`
        }
      </section>
    `;
  }

  private sampleRow({ step, group, isTied, samples = 0 }: Sampled) {
    const texts = strings.log;
    const show = () => group && this.dispatchEvent(new SampleEvent(group));
    const text = group ? (isTied ? texts.tieSample : texts.sample)(group.sample ?? 1) : texts.noTie(samples);
    const meaning = group ? html` <button class="small" @click=${show}>${texts.show}</button>` : nothing;
    return { step, text, at: step + 0.75, meaning };
  }
}
