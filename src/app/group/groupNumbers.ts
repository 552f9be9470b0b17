import type { GroupView, RolloutView } from '../../training/data/protocol.ts';
import { strings } from '../strings/strings.ts';

/** Absolute advantage from which the colour is fully saturated and the bar has its maximum length. */
export const FULL = 2;

/** Formats a number with its sign and two decimals: "+0.67", "−0.14", "0". Returns a dash for NaN. */
export function signed(value: number, digits = 2): string {
  if (!Number.isFinite(value)) return '–';
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return '0';
  return `${value < 0 ? '−' : '+'}${text}`;
}

/** Formats a measured number with two decimals and no minus before zero: "−0.69", "0.00". Returns a dash for null. */
export function digits(value: number | null): string {
  if (value === null) return '–';
  return value
    .toFixed(2)
    .replace(/^-(?=0\.00$)/, '')
    .replace('-', '−');
}

/** Formats a reward with at most three decimals, without plus sign or trailing zeros. Returns a dash for NaN. */
export function plain(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toFixed(3))).replace('-', '−') : '–';
}

/** Returns true if an advantage exceeds the range of its bar and shade. */
export function isCut(advantage: number): boolean {
  return Math.abs(advantage) > FULL;
}

/** Returns the strength of the shade of an advantage, -1 (less likely) to 1 (more likely). */
export function shade(advantage: number): number {
  return Math.max(-1, Math.min(1, advantage / FULL)) || 0;
}

/** Describes the non-zero reward components of some turns, summed by name. */
export function describeComponents(turns: RolloutView['turns']): string {
  const sums = new Map<string, number>();
  for (const { components } of turns) {
    for (const [name, value] of Object.entries(components)) sums.set(name, (sums.get(name) ?? 0) + value);
  }
  const parts = [...sums].filter(([, value]) => Math.abs(value) > 1e-9);
  return parts.map(([name, value]) => `${strings.group.components[name] ?? name} ${plain(value)}`).join(', ');
}

/** Returns the maximum number of turns in a rollout of the group. */
export function turnCount(group: GroupView): number {
  return Math.max(0, ...group.rollouts.map((rollout) => rollout.turns.length));
}

export interface AdvantageRange {
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
