import type { PicturedTurn, TurnBox } from '../turnPicture.ts';

/** Words of at most five letters for the tools of the box. */
const SHORT: Readonly<Partial<Record<string, string>>> = {
  search: 'find',
  modify: 'edit',
  create: 'add',
  execute: 'run',
  finish: 'done',
};

/** Box of a step: its tool in one short word. */
export function repoBox({ call = '' }: PicturedTurn): TurnBox {
  const [, tool] = /^(\w+)\(/.exec(call) ?? [];
  return tool === undefined ? { kind: 'malformed', text: '?' } : { kind: 'action', text: SHORT[tool] ?? tool };
}
