import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { ruleTitle } from '../address/pageTables.ts';
import { base } from '../look/styles.ts';
import type { Happening } from '../session/appliedEvents.ts';
import { strings } from '../strings/strings.ts';

/**
 * Note next to the rule switch with the next scheduled rule and its step. A user who has chosen another rule
 * sees that the schedule will replace it, and can cancel the schedule.
 * @fires drop-plan when the user cancels the schedule
 */
@customElement('tw-rule-plan')
export class RulePlan extends LitElement {
  static override styles = [
    base,
    css`
      /* One line for every rule name, so that the content below does not move. */
      p { display: flex; gap: 0.75rem; align-items: center; height: 1.25rem; font-size: 0.8125rem; white-space: nowrap;
        color: var(--ink-2); }
      span { min-width: 0; overflow: hidden; text-overflow: ellipsis; }
      button.plain { flex: none; margin-inline-start: -0.35rem; text-decoration: underline; min-height: 1.25rem;
        font-size: 0.8125rem; }
      @media (max-width: 400px) { p, button.plain { font-size: 0.75rem; } }
    `,
  ];

  @property({ attribute: false }) planned: readonly Happening[] = [];
  @property({ attribute: false }) appliedEvents: readonly Happening[] = [];

  protected override render() {
    const texts = strings.rule;
    const next = nextRule(this.planned);
    const to = next?.changes.find(({ name }) => name === 'rule')?.to;
    if (!next || to === undefined) return nothing;
    const isManual = this.appliedEvents.findLast(setsRule)?.kind === 'change';
    const rule = ruleTitle(String(to));
    const description = isManual ? texts.plannedOver(next.step, rule) : texts.planned(next.step, rule);
    return html`<p>
      <span title=${description}>${description}</span>
      <button class="plain" title=${texts.dropPlanHelp} @click=${this.drop}>${texts.dropPlan}</button>
    </p>`;
  }

  private drop(): void {
    this.dispatchEvent(new CustomEvent('drop-plan', { bubbles: true, composed: true }));
  }
}

/** Returns the first planned event that changes the rule, or undefined if no event does. */
export function nextRule(planned: readonly Happening[]): Happening | undefined {
  return planned.find(setsRule);
}

function setsRule({ changes }: Happening): boolean {
  return changes.some(({ name }) => name === 'rule');
}
