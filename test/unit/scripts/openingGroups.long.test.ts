import { expect, test } from 'vitest';
import { sampledOpening } from '../../../scripts/sampledOpening.ts';
import { openingGroup } from '../../../src/app/picture/groupPicture.ts';
import { ENVIRONMENT_NAMES } from '../../../src/environments/registry.ts';

test.each(ENVIRONMENT_NAMES)(
  'the recorded opening group of %s equals the group that the warm start samples',
  async (name) => {
    expect(await openingGroup(name)).toEqual(JSON.parse(JSON.stringify(await sampledOpening(name))));
  },
);
