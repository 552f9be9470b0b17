import type { PicturedTurn, TurnBox } from '../turnPicture.ts';

/** First actions by their effect, which is the reply to the action. */
const BOXES: Readonly<Partial<Record<string, TurnBox>>> = {
  enabled: { kind: 'action', text: 'key' },
  spoiled: { kind: 'plain', text: 'bait' },
  nothing: { kind: 'skipped', text: 'nothing' },
};

/** Box of a turn of the bandit: the effect of the first action, or the door. */
export function banditBox({ turn: { action = '' }, reply: [first] }: PicturedTurn): TurnBox {
  return BOXES[first?.text ?? ''] ?? { kind: 'plain', text: `door ${action}` };
}
