import { describe, expect, test } from 'vitest';
import { GroupPicture } from '../../../../src/app/picture/groupPicture.ts';
import { laneCredit } from '../../../../src/app/picture/laneCredit.ts';
import { childrenOf } from '../../../../src/rollouts/forest.ts';
import type { GroupView } from '../../../../src/training/data/protocol.ts';
import { openingRun } from '../../../../src/training/data/worlds.ts';
import { groupOf } from '../appFixtures.ts';
import { treeView } from '../appLiveFixtures.ts';
import { renderedMarkup } from '../renderedMarkup.ts';

/** Returns the markup of the picture of a group after the code of the rules is loaded. */
function picture(group: GroupView | undefined, environment: 'search' | 'repair' = 'search', rule = 'mt-grpo'): string {
  const { settings, controls } = openingRun(environment);
  const properties = { group, environment, settings, controls: { ...controls, rule }, credit: laneCredit };
  return renderedMarkup(new GroupPicture(), properties as Partial<GroupPicture>);
}

/** Returns a group with a number of rollouts of one turn. */
function groupWith(count: number): GroupView {
  const { rollouts } = groupOf();
  const forest = {
    id: 'group',
    turns: Array.from({ length: count }, (_, at) => ({ parent: -1, reward: 0, outcome: at % 2 })),
  };
  return groupOf({
    forest,
    rollouts: forest.turns.map((_, at) => ({
      ...rollouts[0],
      turns: [{ ...rollouts[0].turns[0], forestTurn: at }],
    })),
  });
}

describe('the picture of a group', () => {
  test('a group with more attempts than lanes states the number of further attempts for each screen', () => {
    const more = (count: number) =>
      [...picture(groupWith(count)).matchAll(/class=(wide|narrow)>(.*?)</g)].map(([, screen, text]) => [screen, text]);
    expect(picture(groupWith(10)).match(/class="lane"/g)).toHaveLength(8);
    expect(more(10)).toEqual([
      ['wide', 'and 2 more'],
      ['narrow', 'and 7 more'],
    ]);
    expect(more(8)).toEqual([['narrow', 'and 5 more']]);
    expect(more(3)).toEqual([]);
  });

  test('the lanes are buttons only if they belong to a group of the run', () => {
    const buttons = (markup: string) => markup.match(/<button class="lane"/g)?.length ?? 0;
    expect(picture(undefined).match(/<div class="lane"/g)).toHaveLength(8);
    expect(buttons(picture(undefined))).toBe(0);
    expect(buttons(picture(groupOf()))).toBe(2);
  });

  test('the picture of a sample states the updates before it, and the picture of an update its number', () => {
    expect(picture(groupOf({ step: 12 }))).toContain('>update 13<');
    expect(picture(groupOf({ step: 12, sampleOnly: true, sample: 1 }))).toContain('>after update 12<');
  });

  test('under a rule for trajectories, a tree names the groups that the rule needs', () => {
    const tree = treeView();
    expect(childrenOf(tree.forest).some(({ length }) => length > 1)).toBe(true);
    expect(picture(tree, 'repair', 'grpo-mt')).toContain(
      'GRPO-MT needs a group without branches. The next group under it has none.',
    );
    expect(picture(tree, 'repair', 'murphy-mars')).not.toContain('needs a group');
  });
});
