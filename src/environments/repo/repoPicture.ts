import type { PicturedTurn, TurnBox } from '../turnPicture.ts';

/** Tools in at most four letters. Their first letters differ. */
const SHORT: Readonly<Partial<Record<string, string>>> = {
  search: 'find',
  modify: 'edit',
  create: 'add',
  execute: 'run',
  think: 'plan',
  finish: 'done',
};

/** Box of a step: its tool in one short word. */
export function repoBox({ call = '' }: PicturedTurn): TurnBox {
  const [, tool] = /^(\w+)\(/.exec(call) ?? [];
  return tool === undefined ? { kind: 'malformed', text: '?' } : { kind: 'action', text: SHORT[tool] ?? tool };
}
