import type { Credit, CreditRule } from '../../credit/rule.ts';
import { endsOf, type FlatReason, flatReason, reasonsText } from '../../rollouts/flatGroups.ts';
import type { Group } from '../../rollouts/forest.ts';

/**
 * Rules that distinguish the turns of a rollout by turn rewards only. A test compares this list with computed credits.
 */
export const TURN_REWARD_RULES: readonly string[] = ['grpo-mr', 'mt-grpo', 'mt-grpo-exact'];

/** Counter of the groups to which a rule gives no credit, with their reasons. */
export class CreditReport {
  private groups = 0;
  private zeros = 0;
  private unnoticed = 0;
  private turnRewards = false;
  private readonly reasons = new Map<FlatReason, number>();

  constructor(private readonly rule: Pick<CreditRule, 'name' | 'label' | 'rewards'>) {}

  see(group: Group, { advantage, tokens }: Pick<Credit, 'advantage' | 'tokens'>): void {
    this.groups++;
    this.turnRewards ||= group.turns.some(({ reward }) => reward !== 0);
    const isZero = (value: number) => value === 0 || Number.isNaN(value);
    if (!advantage.every(isZero) || tokens?.advantages.some((value) => !isZero(value))) return;
    this.zeros++;
    const reason = flatReason(endsOf(group));
    if (reason) this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
    else this.unnoticed++;
  }

  /** Returns the lines of the report. The last line has the number of groups. */
  lines(): readonly string[] {
    const { name, label = name, rewards } = this.rule;
    const lines: string[] = [];
    if (this.unnoticed > 0) {
      const hint = rewards === 'attempts' ? ': it compares turns that continue the same turn' : '';
      const groups = this.groups === 1 ? 'the group' : `${this.unnoticed} of ${this.groups} groups`;
      lines.push(`warning: ${label} gives 0 to every turn of ${groups}, although outcomes differ${hint}`);
    }
    if (TURN_REWARD_RULES.includes(name) && !this.turnRewards) {
      lines.push(
        `warning: no turn has a reward, so ${name} gives all turns of a rollout the same credit; \`import --turn-rewards COLUMN\` reads rewards of turns`,
      );
    }
    const lone = this.reasons.get('one rollout alone') ?? 0;
    const compare =
      lone > 0
        ? `; ${this.groups === 1 ? 'the group holds' : `${lone} of ${this.groups} groups hold`} one rollout: no rule that compares rollouts gives credit there`
        : '';
    const why = this.zeros > 0 ? `, ${this.zeros} without credit (${this.why()})` : '';
    lines.push(`${this.groups} group${this.groups === 1 ? '' : 's'}${why}${compare}`);
    return lines;
  }

  private why(): string {
    const unnoticed = this.unnoticed > 0 ? `${this.unnoticed} with different outcomes` : '';
    return [reasonsText(this.reasons), unnoticed].filter((part) => part !== '').join(', ');
  }
}
