import type { GroupView, RolloutView } from '../../training/data/protocol.ts';
import { strings } from '../strings/strings.ts';

/** Advantages at or beyond this have the fullest colour and the longest bar. */
export const FULL = 2;

/** A number with its sign, a true minus, and two digits: "+0.67", "−0.14", "0". */
export function signed(value: number, digits = 2): string {
  if (!Number.isFinite(value)) return '–';
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return '0';
  return `${value < 0 ? '−' : '+'}${text}`;
}

/** A measured number with two digits and a true minus, none before a zero: "−0.69", "0.00"; a dash for none. */
export function digits(value: number | null): string {
  if (value === null) return '–';
  return value
    .toFixed(2)
    .replace(/^-(?=0\.00$)/, '')
    .replace('-', '−');
}

/** A reward: no plus, no trailing zeros. */
export function plain(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toFixed(3))).replace('-', '−') : '–';
}

/** True if an advantage is larger than its bar or its shade can show. */
export function isCut(advantage: number): boolean {
  return Math.abs(advantage) > FULL;
}

/** Strength of the shade of an advantage, -1 (less likely) to 1 (more likely). */
export function shade(advantage: number): number {
  return Math.max(-1, Math.min(1, advantage / FULL)) || 0;
}

/** The parts of some turns' rewards that are not zero, summed by name, in words. */
export function describeComponents(turns: RolloutView['turns']): string {
  const sums = new Map<string, number>();
  for (const { components } of turns) {
    for (const [name, value] of Object.entries(components)) sums.set(name, (sums.get(name) ?? 0) + value);
  }
  const parts = [...sums].filter(([, value]) => Math.abs(value) > 1e-9);
  return parts.map(([name, value]) => `${strings.group.components[name] ?? name} ${plain(value)}`).join(', ');
}

/** Most turns that any rollout of the group has. */
export function turnCount(group: GroupView): number {
  return Math.max(0, ...group.rollouts.map((rollout) => rollout.turns.length));
}

export interface AdvantageRange {
  readonly turn: number;
  readonly values: readonly number[];
  readonly low: number;
  readonly high: number;
}

/** The advantages of each turn over the rollouts that have it. */
export function listAdvantageRanges(group: GroupView, field: 'advantage' | 'outcomeOnlyAdvantage'): AdvantageRange[] {
  return Array.from({ length: turnCount(group) }, (_, turn) => {
    const values = group.rollouts.flatMap((rollout) => rollout.turns[turn]?.[field] ?? []);
    return { turn, values, low: Math.min(...values), high: Math.max(...values) };
  });
}
