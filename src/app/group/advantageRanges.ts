import { scaleLinear } from 'd3-scale';
import { css, html, LitElement, nothing, svg } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { GroupView } from '../../training/data/protocol.ts';
import { creditUnit, ruleTitle } from '../address/pageTables.ts';
import { signed } from '../drawing/numbers.ts';
import { base } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';

/** Range of the advantages of each turn in a group, under the active rule and under outcome-only credit. */
@customElement('tw-spread')
export class AdvantageRangeStrip extends LitElement {
  static override styles = [
    base,
    css`
      .rows { display: grid; grid-template-columns: max-content minmax(6rem, 1fr) max-content; gap: 0.125rem 0.75rem;
        align-items: center; margin-top: 0.375rem; font-size: 0.8125rem; font-variant-numeric: tabular-nums; }
      .rows > * { min-width: 0; }
      .only { color: var(--ink-2); }
      svg { display: block; width: 100%; height: 26px; overflow: visible; }
      .zero { stroke: var(--ink-3); }
      .base { stroke: var(--line); }
      .span { stroke: var(--ink); stroke-width: 2; }
      circle { fill: var(--accent); fill-opacity: 0.75; stroke: var(--surface); stroke-width: 1; }
      .only circle { fill: var(--surface); stroke: var(--ink-2); stroke-width: 1.5; }
      .only .span { stroke: var(--ink-2); stroke-dasharray: 3 2; }
      .gap { height: 0.25rem; grid-column: 1 / -1; }
      .row { display: contents; }
      @media (max-width: 480px) {
        .rows { grid-template-columns: minmax(0, 1fr); }
        .row { display: grid; grid-template: 'label value' 'strip strip' / minmax(0, 1fr) max-content; gap: 0 0.75rem; }
        .row > .strip { grid-area: strip; }
      }
    `,
  ];

  @property({ attribute: false }) group!: GroupView;

  protected override render() {
    const texts = strings.group;
    const active = listAdvantageRanges(this.group, 'advantage');
    const only = listAdvantageRanges(this.group, 'outcomeOnlyAdvantage');
    const maximum = Math.max(1, ...[...active, ...only].flatMap(({ values }) => values.map(Math.abs)));
    const rule = ruleTitle(this.group.rule);
    return html`
      <h3>${texts.spread}</h3>
      <p class="caption">${texts.deviationCaption}</p>
      <div class="rows">
        ${active.map((range, turn) => {
          const outcomeRange = only[turn] ?? range;
          return html`${this.row(range, maximum, rule, '')}${this.row(outcomeRange, maximum, texts.outcomeOnly, 'only')}
            <div class="gap"></div>`;
        })}
      </div>
    `;
  }

  private row({ turn, values, low, high }: AdvantageRange, maximum: number, rule: string, style: string) {
    const texts = strings.group;
    const x = scaleLinear([-maximum, maximum], [2, 98]);
    const at = (value: number) => `${x(value).toFixed(2)}%`;
    // The offset keeps equal values from hiding one another.
    const height = (index: number) => 13 + ((index % 4) - 1.5) * 3;
    const flat = low === high;
    const label = texts.deviationLabel(turn + 1, rule, signed(low), signed(high));
    return html`
      <div class="row">
      <span class=${style}>${texts.advantage(turn + 1)} ${rule}</span>
      <div class="strip ${style}">
        <svg role="img" aria-label=${label}>
          <line class="base" x1="0" x2="100%" y1="50%" y2="50%"></line>
          <line class="zero" x1="50%" x2="50%" y1="3" y2="23"></line>
          <line class="span" x1=${at(low)} x2=${at(high)} y1="50%" y2="50%"></line>
          ${values.map((value, index) => svg`<circle r="4" cx=${at(value)} cy=${height(index)}></circle>`)}
        </svg>
      </div>
      <span class=${style}>${flat ? texts.noDeviation : texts.deviationRange(signed(low), signed(high))}</span>
      </div>
    `;
  }
}

/** Returns the maximum number of turns in a rollout of the group. */
export function turnCount(group: GroupView): number {
  return Math.max(0, ...group.rollouts.map((rollout) => rollout.turns.length));
}

interface AdvantageRange {
  readonly turn: number;
  readonly values: readonly number[];
  readonly low: number;
  readonly high: number;
}

/** Returns the advantages of each turn [turns] over the rollouts that have this turn. */
export function listAdvantageRanges(group: GroupView, field: 'advantage' | 'outcomeOnlyAdvantage'): AdvantageRange[] {
  return Array.from({ length: turnCount(group) }, (_, turn) => {
    const values = group.rollouts.flatMap((rollout) => rollout.turns[turn]?.[field] ?? []);
    return { turn, values, low: Math.min(...values), high: Math.max(...values) };
  });
}

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
