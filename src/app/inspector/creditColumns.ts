import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Group } from '../../rollouts/forest.ts';
import { viewStyles } from '../drawing/figures.ts';
import { plain, shadeClass, shadeStyle, signed } from '../drawing/numbers.ts';
import { download } from '../look/download.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { allCredits, type CreditChoice, type RuleOutcome, TurnEvent } from './choice.ts';
import type { Inspected, TurnDetail } from './inspected.ts';

/** Number of rows shown before the user requests more. */
const FIRST_ROWS = 120;
/** Maximum number of characters of a turn's summary in the table. */
const TEXT_LIMIT = 120;

/**
 * Table of the advantages of a group: one row per turn, and one column per rule that can read the group.
 * @fires turn-choice when a turn is selected (TurnEvent)
 */
@customElement('tw-credit-columns')
export class CreditColumns extends LitElement {
  static override styles = [
    base,
    viewStyles,
    css`
      :host { min-width: 0; }
      header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.5rem; }
      header .caption { flex-basis: 100%; }
      .scroll { max-height: 26rem; margin-top: 0.375rem; border: 1px solid var(--line); border-radius: 6px; }
      table.data { width: auto; min-width: 100%; }
      thead th { position: sticky; top: 0; z-index: 1; background: var(--surface); box-shadow: 0 1px 0 var(--line-2);
        white-space: nowrap; }
      tbody th { position: sticky; left: 0; background: var(--surface); white-space: nowrap; padding-block: 0; }
      tbody th button.plain { min-height: 1.25rem; font-size: 0.75rem; }
      .n { text-align: end; }
      td .shade { display: inline-block; min-width: 3.1rem; padding: 0 0.2rem; text-align: end; }
      thead th.chosen { color: var(--accent); text-decoration: underline; text-underline-offset: 3px; }
      tr.chosen { background: var(--hover); }
      tr.chosen th { background: var(--hover); box-shadow: inset 3px 0 0 var(--accent); }
      .words { min-width: 11rem; max-width: 20rem; }
      .branch { color: var(--ink-2); }
    `,
  ];

  @property({ attribute: false }) inspected!: Inspected;
  @property({ attribute: false }) choice!: CreditChoice;
  @property({ type: Number }) turn: number | undefined;
  @state() private isComplete = false;

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('inspected')) this.isComplete = false;
  }

  protected override render() {
    const texts = inspectorStrings.columns;
    const { group, details } = this.inspected;
    const outcomes = allCredits(group, this.choice).filter(({ credit }) => credit);
    const hasDescription = details.some(({ summary, text }) => summary || text);
    const depths = depthsOf(this.inspected);
    const rows = group.turns.slice(0, this.isComplete ? undefined : FIRST_ROWS);
    return html`<section role="group" aria-labelledby="title">
      <header>
        <h3 id="title">${texts.title}</h3>
        <span class="tools"><button class="plain" aria-label=${`${inspectorStrings.csv}: ${texts.title}`}
          @click=${this.save}>${inspectorStrings.csv}</button></span>
        <span class="caption">${texts.caption}</span>
      </header>
      <div class="scroll" tabindex="0" role="group" aria-label=${texts.title}>
        <table class="data">
          <thead><tr>
            <th scope="col">${texts.turn}</th>
            ${hasDescription ? html`<th scope="col">${texts.summary}</th>` : nothing}
            <th scope="col" class="n">${texts.reward}</th><th scope="col" class="n">${texts.outcome}</th>
            ${outcomes.map(
              ({ rule: { name, title, idea } }) =>
                html`<th scope="col" class="n ${name === this.choice.rule ? 'chosen' : ''}" title=${idea}>${title}</th>`,
            )}
          </tr></thead>
          <tbody>${rows.map((_, turn) => this.row(turn, depths[turn], hasDescription, outcomes))}</tbody>
        </table>
      </div>
      ${
        rows.length < group.turns.length
          ? html`<button class="small" @click=${this.showAll}>${texts.all(group.turns.length)}</button>`
          : nothing
      }
    </section>`;
  }

  private row(turn: number, depth: number, hasDescription: boolean, outcomes: readonly RuleOutcome[]) {
    const texts = inspectorStrings.columns;
    const { group, details } = this.inspected;
    const { parent, reward, outcome } = group.turns[turn];
    const chosen = turn === this.turn;
    const choose = () => this.dispatchEvent(new TurnEvent(turn));
    return html`<tr class=${chosen ? 'chosen' : ''}>
      <th scope="row"><span class="branch" aria-hidden="true">${'\u2003'.repeat(Math.max(0, depth - 1))}${depth > 0 ? '└ ' : ''}</span><button
        class="plain" aria-pressed=${chosen} title=${parent < 0 ? '' : texts.continues(parent)}
        aria-label=${texts.select(turn)} @click=${choose}>${turn}</button></th>
      ${hasDescription ? html`<td class="words" title=${details[turn]?.text ?? ''}>${tableText(details[turn])}</td>` : nothing}
      <td class="n">${plain(reward)}</td><td class="n">${outcome === undefined ? '' : plain(outcome)}</td>
      ${outcomes.map(({ credit }) => {
        const A = credit?.advantage[turn] ?? Number.NaN;
        return html`<td class="n"><span class="shade ${shadeClass(A)}" style=${shadeStyle(A)}>${signed(A)}</span></td>`;
      })}
    </tr>`;
  }

  private showAll(): void {
    this.isComplete = true;
  }

  private save(): void {
    const { group } = this.inspected;
    download(`turnwise-credit-${group.id}.csv`, 'text/csv', creditsCsv(group, allCredits(group, this.choice)));
  }
}

/** Returns the summary of a turn, or else its text, truncated to TEXT_LIMIT characters. */
function tableText(detail: TurnDetail | undefined): string {
  const text = detail?.summary || detail?.text || '';
  return text.length > TEXT_LIMIT ? `${text.slice(0, TEXT_LIMIT)}…` : text;
}

/** Returns the depths of the turns [turns]; the first turn of a path has depth 0. */
function depthsOf({ group }: Inspected): readonly number[] {
  const depths: number[] = [];
  for (const { parent } of group.turns) depths.push(parent < 0 ? 0 : depths[parent] + 1);
  return depths;
}

/**
 * Formats the advantages of a group as CSV: one row per turn, and one column per rule that can read the group. The cell
 * of a pruned turn is empty.
 */
export function creditsCsv(group: Group, outcomes: readonly RuleOutcome[]): string {
  const read = outcomes.flatMap(({ rule, credit }) => (credit ? [{ name: rule.name, credit }] : []));
  const rows = group.turns.map(({ parent, reward, outcome }, turn) => {
    const advantages = read.map(({ credit }) => credit.advantage[turn]);
    return [turn, parent, reward, outcome ?? '', ...advantages.map((A) => (Number.isNaN(A) ? '' : A))];
  });
  const head = ['turn', 'parent', 'reward', 'outcome', ...read.map(({ name }) => name)];
  return [head, ...rows].map((row) => `${row.join(',')}\n`).join('');
}
