import { expect, test } from 'vitest';
import { GroupTable } from '../../../../src/app/group/groupTable.ts';
import { groupOf } from '../appFixtures.ts';
import { renderedMarkup } from '../renderedMarkup.ts';

test('the caption of the group table states the number of rollouts', () => {
  const [, caption] = /<caption[^>]*>(.*?)<\/caption>/.exec(
    renderedMarkup(new GroupTable(), { group: groupOf() }),
  ) as RegExpExecArray;
  expect(caption).toBe('Current group: 2 rollouts of one prompt');
});
