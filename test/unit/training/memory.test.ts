import { describe, expect, test } from 'vitest';
import { ENVIRONMENT_LIST, type EnvironmentName } from '../../../src/environments/registry.ts';
import { defaults } from '../../../src/parameters/parameters.ts';
import { parameterLayout } from '../../../src/policy/weights.ts';
import { CRITIC_CONTROLS } from '../../../src/training/data/controls.ts';
import { loadEnvironment, policyFor } from '../../../src/training/run/openEnvironment.ts';

/** Returns the size of the parameters of a network with a value head [MB]. */
async function valueNetwork(name: EnvironmentName): Promise<number> {
  const environment = ENVIRONMENT_LIST.find((candidate) => candidate.name === name) ?? expect.fail(name);
  const loaded = await loadEnvironment(name);
  const settings = defaults(environment.settings);
  const execute = () => Promise.reject(new Error('nothing runs here'));
  const opened = await loaded.create(settings, await loaded.load(settings), { execute });
  return (4 * parameterLayout({ ...policyFor(opened), valueHead: true }).size) / 1e6;
}

describe('memory in the help of controls', () => {
  test('the help of criticRate states the memory of a critic, from the smallest to the largest environment', async () => {
    const { help } = CRITIC_CONTROLS.find(({ name }) => name === 'criticRate') ?? expect.fail('no such control');
    const [, least, maximum] = help.match(/takes (\d+) to (\d+) MB/) ?? [];
    // Each parameter, its gradient and two moments take 4 bytes each, and its flag of weight decay takes 1 byte
    // (src/policy/optimizer.ts).
    const all = await Promise.all(ENVIRONMENT_LIST.map(async ({ name }) => (17 / 4) * (await valueNetwork(name))));
    expect([Math.min(...all), Math.max(...all)].map(Math.round)).toEqual([Number(least), Number(maximum)]);
  });

  test.each([
    ['search', 'turnReward'],
    ['repair', 'turnReward'],
    ['repair', 'outcomeReward'],
  ] as const)('the help of a reward model in %s states its memory (%s)', async (name, control) => {
    const { rewards } = ENVIRONMENT_LIST.find((candidate) => candidate.name === name) ?? expect.fail(name);
    const { help } = rewards.find((reward) => reward.name === control) ?? expect.fail(control);
    expect(help).toContain(`${(await valueNetwork(name)).toFixed(1)} MB`);
  });
});
