import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { GroupView } from '../../training/data/protocol.ts';
import { creditUnit } from '../address/pageTables.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';
import { type AdvantageRange, listAdvantageRanges } from './groupNumbers.ts';

/** Tolerance for equal advantages, which are computed in float32. */
const SAME = 1e-6;
/** Threshold below which a range counts as 0, because it displays as 0.00. */
const NO_RANGE = 0.005;

/** Returns the width of a turn's range of advantages. It is above 0 if the advantages distinguish the rollouts. */
const width = (range: AdvantageRange | undefined) => (range && range.values.length > 0 ? range.high - range.low : 0);

/** Returns true if a rule assigns credit to turns, but all turns of each rollout have the same advantage. */
export function hasEqualTurns({ rule, rollouts }: GroupView): boolean {
  if (creditUnit(rule) !== 'turn') return false;
  return rollouts.every(({ turns: [first, ...rest] }) =>
    rest.every(({ advantage }) => Math.abs(advantage - (first?.advantage ?? 0)) <= SAME),
  );
}

/**
 * Badges of a group: the unit of credit, and the range of the advantages of turn 1 under the rule and under
 * outcome-only credit. Turn 1 has no learning signal if its range is 0.
 */
@customElement('tw-group-badges')
export class GroupBadges extends LitElement {
  static override styles = [
    base,
    css`
      ul { display: flex; flex-wrap: wrap; gap: 0.375rem; list-style: none; margin: 0 0 0.625rem; padding: 0; font-size: 0.8125rem; }
      li { border: 1px solid var(--line); border-radius: 999px; padding: 0.125rem 0.625rem; font-variant-numeric: tabular-nums; }
      li.none { border-style: dashed; color: var(--ink-2); }
      b { font-weight: 620; }
    `,
  ];

  @property({ attribute: false }) group!: GroupView;

  protected override render() {
    const texts = strings.group.badges;
    const [advantage] = listAdvantageRanges(this.group, 'advantage');
    const [only] = listAdvantageRanges(this.group, 'outcomeOnlyAdvantage');
    const signal = (range: AdvantageRange | undefined, name: string) => {
      const wide = width(range);
      const hasSignal = wide >= NO_RANGE;
      return html`<li class=${hasSignal ? '' : 'none'}>${name} <b>${hasSignal ? texts.signal(wide.toFixed(2)) : texts.noSignal}</b></li>`;
    };
    return html`<ul aria-label=${texts.label}>
      <li>${texts.credit} <b>${texts.per[creditUnit(this.group.rule)]}</b>${hasEqualTurns(this.group) ? texts.equalTurns : ''}</li>
      ${signal(advantage, texts.first)}${this.group.rule === 'grpo-or' ? nothing : signal(only, texts.firstOnly)}
    </ul>`;
  }
}
