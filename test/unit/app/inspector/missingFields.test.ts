import { expect, test } from 'vitest';
import { allCredits } from '../../../../src/app/inspector/choice.ts';
import { missingFields } from '../../../../src/app/inspector/creditChoice.ts';
import type { Group, Turn } from '../../../../src/rollouts/forest.ts';

const NO_CHOICE = { rule: '', values: {} };

function missingIn(turns: readonly Turn[]) {
  const group: Group = { id: 'group', turns };
  const unreadable = allCredits(group, NO_CHOICE).filter(({ credit }) => !credit);
  return missingFields(group, unreadable);
}

const CHAINS: readonly Turn[] = [
  { parent: -1, reward: 0.5 },
  { parent: 0, reward: 0, outcome: 1 },
  { parent: -1, reward: 0.2 },
  { parent: 2, reward: 0, outcome: 0 },
];

test('the missing fields of a group are the fields that further rules require', () => {
  const missing = missingIn(CHAINS);
  const rtmc = missing.find(({ rules }) => rules.includes('RTMC'));
  expect(rtmc?.fields).toContain('state');
  expect(missing.flatMap(({ fields }) => fields)).not.toContain('outcome');
});

test('a group with its missing fields added is no longer rejected for them', () => {
  const missing = missingIn(
    CHAINS.map((turn, index) => ({ ...turn, state: 's', action: `${index}`, solved: index === 1 })),
  );
  expect(missing.flatMap(({ rules }) => rules)).not.toContain('RTMC');
});
