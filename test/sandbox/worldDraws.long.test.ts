import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import { afterAll, describe, expect, test } from 'vitest';
import { sitePriors } from '../../src/environments/repair/demonstrator.ts';
import { type RepairEnvironment, environmentModule as repairModule } from '../../src/environments/repair/open.ts';
import { loadProblems } from '../../src/environments/repair/repairTasks.ts';
import { type RepoEnvironment, environmentModule as repoModule } from '../../src/environments/repo/open.ts';
import { loadProblems as loadRepositories } from '../../src/environments/repo/repoTasks.ts';
import { sandboxExecute } from '../../src/environments/shared/execution.ts';

/** Timeout [ms]. Python creates the problems of a world in half a minute, or in several minutes on a busy machine. */
const LONG = 400_000;

const sandbox = new Sandbox(createNodeSource());
afterAll(() => sandbox.close());
let executions = 0;
const execute: ReturnType<typeof sandboxExecute> = (list) => {
  executions += list.length;
  return sandboxExecute(sandbox)(list);
};

describe('the worlds of repair', () => {
  const open = async (worldSeed: number) =>
    (await repairModule.create({ worldSeed }, await loadProblems(), { execute })) as unknown as RepairEnvironment;

  test('world seed 0 of repair is the shipped world and runs no program', async () => {
    const before = executions;
    const [{ tasks }, shipped] = [await open(0), await loadProblems()];
    expect(tasks).toEqual(shipped);
    expect(executions).toBe(before);
  });

  test('worlds of repair with different seeds have different priors, tests and splits', {
    timeout: LONG,
  }, async () => {
    const [environment, shipped] = [await open(1), await loadProblems()];
    const executionCount = executions;
    expect((await open(1)).tasks).toEqual(environment.tasks);
    expect(executions).toBe(executionCount);
    expect(environment.tasks.map(({ promptTerms }) => promptTerms)).toEqual(
      shipped.map(({ promptTerms }) => promptTerms),
    );
    const differ = (of: (task: (typeof shipped)[number]) => unknown) =>
      environment.tasks.filter(
        (task, index) => JSON.stringify(of(task as never)) !== JSON.stringify(of(shipped[index])),
      ).length;
    expect(differ(({ tests }) => tests)).toBeGreaterThan(600);
    expect(differ(({ heldOut }) => heldOut)).toBeGreaterThan(100);
    const evaluationCount = environment.tasks.filter(({ heldOut }) => heldOut).length;
    expect(evaluationCount).toBeGreaterThan(100);
    expect(evaluationCount).toBeLessThan(200);
    const priors = (world: number) =>
      shipped.map(({ family, template }) => sitePriors(family, template, 'sharp', world));
    const same = priors(0).filter((prior, index) => JSON.stringify(prior) === JSON.stringify(priors(1)[index]));
    expect(same.length).toBeLessThan(10);
    // A reference solves its task in each world.
    const episode = environment.begin(environment.tasks[5], { turnReward: 'pass-rate', outcomeReward: 'solved' });
    expect(await episode.act([...environment.tasks[5].reference, ...environment.stopTokens])).toMatchObject({
      solved: true,
    });
  });
});

describe('the worlds of repo', () => {
  const open = async (worldSeed: number) =>
    (await repoModule.create({ worldSeed }, await loadRepositories('two'), { execute })) as unknown as RepoEnvironment;

  test('seed 0 of repo is the shipped world, and other seeds differ', { timeout: LONG }, async () => {
    const shipped = await loadRepositories('two');
    expect((await open(0)).problems).toEqual(shipped);
    const { problems } = await open(1);
    expect([problems.training.length, problems.heldOut.length]).toEqual([600, 128]);
    const known = new Set(shipped.training.map(({ broken }) => JSON.stringify(broken)));
    const again = problems.training.filter(({ broken }) => known.has(JSON.stringify(broken)));
    expect(again.length).toBeLessThan(60);
    const executionCount = executions;
    expect((await open(1)).problems).toEqual(problems);
    expect(executions).toBe(executionCount);
  });
});
