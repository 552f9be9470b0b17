import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { GroupView } from '../../training/data/protocol.ts';
import { creditsTokens } from '../address/pageTables.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';
import { type Spread, spreads } from './groupNumbers.ts';

/** Advantages closer than this are the same: they come from float32. */
const SAME = 1e-6;

/** Whether the advantages of a turn tell its rollouts apart. */
const width = (spread: Spread | undefined) => (spread && spread.values.length > 0 ? spread.high - spread.low : 0);

/** What a group was credited by: for each token, each turn, or each rollout alike; nothing where nobody got credit. */
export function creditedBy({ rule, rollouts }: GroupView): 'token' | 'turn' | 'rollout' | undefined {
  const turns = rollouts.map((rollout) => rollout.turns.map(({ advantage }) => advantage));
  if (!turns.some((advantages) => advantages.some((advantage) => Math.abs(advantage) > SAME))) return undefined;
  if (creditsTokens(rule)) return 'token';
  const apart = turns.some((advantages) => Math.max(...advantages) - Math.min(...advantages) > SAME);
  return apart ? 'turn' : 'rollout';
}

/** In a few words: what is credited here, and whether turn 1 learns anything from this group, under the rule and under outcome-only credit. */
@customElement('tw-group-badges')
export class GroupBadges extends LitElement {
  static override styles = [
    base,
    css`
      ul { display: flex; flex-wrap: wrap; gap: 0.375rem; list-style: none; margin: 0 0 0.625rem; padding: 0; font-size: 0.8125rem; }
      li { border: 1px solid var(--line); border-radius: 999px; padding: 0.125rem 0.625rem; font-variant-numeric: tabular-nums; }
      li.dead { border-style: dashed; color: var(--ink-2); }
      b { font-weight: 620; }
    `,
  ];

  @property({ attribute: false }) group!: GroupView;

  protected override render() {
    const texts = strings.group.badges;
    const credit = creditedBy(this.group);
    const [own] = spreads(this.group, 'advantage');
    const [only] = spreads(this.group, 'outcomeOnlyAdvantage');
    const signal = (spread: Spread | undefined, name: string) => {
      const wide = width(spread);
      const alive = wide > SAME;
      return html`<li class=${alive ? '' : 'dead'}>${name} <b>${alive ? texts.alive(wide.toFixed(2)) : texts.dead}</b></li>`;
    };
    return html`<ul aria-label=${texts.label}>
      ${credit ? html`<li>${texts.credit} <b>${texts.per[credit]}</b></li>` : nothing}
      ${signal(own, texts.first)}${this.group.rule === 'grpo-or' ? nothing : signal(only, texts.firstOnly)}
    </ul>`;
  }
}
