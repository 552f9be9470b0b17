import { describe, expect, it, test } from 'vitest';
import type { StepResult } from '../../../../src/environments/environment.ts';
import { sitePriors } from '../../../../src/environments/repair/demonstrator.ts';
import { controlledPrompts } from '../../../../src/environments/repair/evaluation.ts';
import { refuses } from '../../../../src/environments/repair/index.ts';
import { createRepairEnvironment } from '../../../../src/environments/repair/open.ts';
import { ProgramRunner } from '../../../../src/environments/repair/programRunner.ts';
import {
  CONTEXT,
  PROGRAM_LIMIT,
  REPAIR_CONTROLS,
  VERIFICATION_LIMIT,
} from '../../../../src/environments/repair/repairSettings.ts';
import { loadProblems } from '../../../../src/environments/repair/repairTasks.ts';
import {
  END,
  spell,
  tokenNumber,
  VERIFY,
  VERIFYING_VOCABULARY,
} from '../../../../src/environments/repair/vocabulary.ts';
import { defaults } from '../../../../src/parameters/parameters.ts';
import { CounterRandom } from '../../../../src/random/counter.ts';
import { checkConfiguration, defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import { warmStartName } from '../../../../src/training/data/worlds.ts';
import { FakePython, SUM_TASK, written } from './repairWorld.ts';

const RIGHT = 't = 0\nfor x in a:\n    if x > 5:\n        t += x\nreturn t';
const NEARLY = RIGHT.replace('>', '>=');
const problems = await loadProblems();
const controls = defaults(REPAIR_CONTROLS);
const tests = (text: string) => [...text.split(' ').map(tokenNumber), END];
/** Two right tests, of which NEARLY fails the second, and a wrong test that the reference fails. */
const EMPTY = 'in: [ ] want 0';
const FIVE = 'in: [ 5 ] want 0';
const WRONG = 'in: [ 6 ] want 0';

function world(settings = {}) {
  const python = new FakePython();
  const merged = { verification: 'written', ...settings };
  const environment = createRepairEnvironment(merged, { execute: python.execute, problems, tasks: [SUM_TASK] });
  return { python, environment };
}

/** Plays an episode with these turns and returns their results. */
async function runEpisode(
  turns: readonly (readonly number[])[],
  { mode = 'train' as 'train' | 'evaluate', maxTurns = 3, rewardControls = {} } = {},
): Promise<StepResult[]> {
  const episode = world().environment.begin(SUM_TASK, { ...controls, ...rewardControls }, { mode, maxTurns });
  const results: StepResult[] = [];
  for (const turn of turns) results.push(await episode.act(turn));
  return results;
}

describe('alternating programs and tests', () => {
  it('a program is followed by a prompt for tests that contains no feedback', async () => {
    const [program] = await runEpisode([written(RIGHT)]);
    expect(spell(program.prompt ?? [])).toMatch(/^<p> sum of above 5 def\(a\) <c> t = 0 NL .* return t <test>$/);
    expect(program).toMatchObject({ reward: 1, solved: true, facts: { solved: 1, firstSolved: 1 } });
    expect(program.outcome).toBeUndefined();
    expect(program.detail).not.toHaveProperty('feedback');
  });

  it('tests are rewarded with the share of right tests, and the next prompt shows the first failed test', async () => {
    const [, result] = await runEpisode([written(NEARLY), tests(`${EMPTY} ${WRONG} ${FIVE}`)]);
    expect(result.reward).toBeCloseTo(2 / 3, 12);
    expect(spell(result.prompt ?? [])).toMatch(/ return t <fb> in: \[ 5 \] want 0 got 5 <c>$/);
    expect(result).toMatchObject({
      solved: false,
      action: `${EMPTY} ${WRONG} ${FIVE} <eos>`,
      summary: 'writes 3 tests, 2 of them right; the program fails 1 of the 2 run',
      facts: { testsWritten: 3, testsDistinct: 3, testsUnreadable: 0, caught: 1, accepted: 0 },
      detail: { feedback: 'f([5]) should give 0 and gives 5' },
    });
    expect(result.facts.testsAgree).toBeCloseTo(2 / 3, 12);
    expect(result.passed).toBeUndefined();
    expect(result.detail?.tests).toEqual([
      { args: '[]', expected: '0', got: '0', passed: true, visible: true, agrees: true },
      { args: '[6]', expected: '0', got: 'not run', passed: false, visible: false, agrees: false },
      { args: '[5]', expected: '0', got: '5', passed: false, visible: true, agrees: true },
    ]);
  });

  it('a program after tests is scored by the tests of the task, and ends the rollout', async () => {
    const results = await runEpisode([written(NEARLY), tests(FIVE), written(RIGHT)]);
    expect(results.map(({ reward, outcome }) => [reward, outcome])).toEqual([
      [0.8, undefined],
      [1, undefined],
      [1, 1],
    ]);
    expect(results[2]).toMatchObject({ solved: true, facts: { repaired: 1, firstSolved: 0 } });
  });

  it('an episode ends if a right or wrong program passes all tests that were run', async () => {
    const [, accepted] = await runEpisode([written(NEARLY), tests(EMPTY)]);
    expect(accepted).toMatchObject({ reward: 1, outcome: 0, solved: false, facts: { accepted: 1, caught: 0 } });
    expect(accepted.prompt).toBeUndefined();
    expect(accepted.components).toEqual({ turn: 0, outcome: 0 });
    const [, right] = await runEpisode([written(RIGHT), tests(EMPTY)], {
      rewardControls: { outcomeReward: 'pass-rate' },
    });
    expect(right).toMatchObject({ outcome: 1, solved: true });
    const [, share] = await runEpisode([written(NEARLY), tests(EMPTY)], {
      rewardControls: { outcomeReward: 'pass-rate' },
    });
    expect(share.outcome).toBe(0.8);
  });

  it('evaluations do not use the right program: a wrong test counts like any other test', async () => {
    const [, wronged] = await runEpisode([written(RIGHT), tests(WRONG)], { mode: 'evaluate' });
    expect(spell(wronged.prompt ?? [])).toMatch(/<fb> in: \[ 6 \] want 0 got 6 <c>$/);
    expect(wronged).toMatchObject({ reward: 0, facts: { wronged: 1, testsAgree: 0 } });
    const [, retained] = await runEpisode([written(RIGHT), tests(WRONG)]);
    expect(retained.prompt).toEqual(SUM_TASK.prompt);
    expect(retained).toMatchObject({ facts: { wronged: 0 }, summary: 'writes 1 test, 0 of them right; none is run' });
  });

  it('without a readable test, the next prompt is the prompt of the task', async () => {
    for (const [turn, count] of [
      [[END], 0],
      [tests('want want'), 1],
      [Array.from({ length: VERIFICATION_LIMIT }, () => tokenNumber('in:')), 3],
    ] as const) {
      const [, result] = await runEpisode([written(NEARLY), turn], { mode: 'evaluate' });
      expect(result).toMatchObject({ reward: 0, prompt: SUM_TASK.prompt, facts: { testsAgree: 0, accepted: 0 } });
      expect(result.facts.testsWritten).toBe(count);
    }
  });

  it('a test that is written three times counts once in testsDistinct', async () => {
    const [, result] = await runEpisode([written(NEARLY), tests(`${EMPTY} ${EMPTY} ${EMPTY}`)]);
    expect(result).toMatchObject({ reward: 1, facts: { testsWritten: 3, testsDistinct: 1 } });
  });

  it('a program that does not end fails every test that the policy wrote for it', async () => {
    const endless = Array.from({ length: PROGRAM_LIMIT }, () => tokenNumber('x'));
    const [, result] = await runEpisode([endless, tests(EMPTY)]);
    expect(spell(result.prompt ?? [])).toMatch(/<fb> in: \[ \] want 0 got SyntaxError <c>$/);
    expect(result.prompt?.length).toBeLessThanOrEqual(CONTEXT - PROGRAM_LIMIT);
  });

  it('an episode and its fork continue independently', async () => {
    const episode = world().environment.begin(SUM_TASK, controls);
    await episode.act(written(NEARLY));
    const fork = episode.fork?.();
    expect((await episode.act(tests(EMPTY))).prompt).toBeUndefined();
    expect((await fork?.act(tests(FIVE)))?.prompt).toBeDefined();
    await expect(episode.act(written(RIGHT))).rejects.toThrow('the episode is over');
  });
});

test('the control turnReward selects the rewards of programs and tests', async () => {
  const two = [written(NEARLY), tests(`${EMPTY} ${WRONG}`)];
  const collectRewards = async (turnReward: string) =>
    (await runEpisode(two, { rewardControls: { turnReward } })).map(({ reward }) => reward);
  expect(await collectRewards('pass-rate')).toEqual([0.8, 0.5]);
  expect(await collectRewards('solved')).toEqual([0, 0]);
  expect(await collectRewards('none')).toEqual([0, 0]);
});

test('with verification=written, Repair has one more token, room for tests, and a turn between attempts', () => {
  const { environment } = world({ maxTurns: 3 });
  expect(environment.vocabulary).toBe(VERIFYING_VOCABULARY);
  expect([environment.context, environment.maxTurns, environment.attemptTurns?.(2)]).toEqual([CONTEXT, 5, 3]);
  expect([0, 1, 2].map((turn) => environment.turnLimit(turn))).toEqual([44, 44, 44]);
  const longest = Math.max(...problems.map(({ prompt }) => prompt.length));
  expect(longest + PROGRAM_LIMIT + 1 + VERIFICATION_LIMIT).toBeLessThanOrEqual(CONTEXT);
  expect(warmStartName('repair', { ...environment.settings })).toBe(
    'repair_prior-sharp_repairShare-0.57_repairs-feedback_verification-written_warmSeed-0',
  );
});

test('without verifications, the turns and the name of the warm start do not change', () => {
  const environment = createRepairEnvironment({}, { execute: new FakePython().execute, problems, tasks: [SUM_TASK] });
  expect([environment.settings.verification, environment.maxTurns, environment.attemptTurns?.(3)]).toEqual([
    'none',
    2,
    3,
  ]);
  expect(warmStartName('repair', { ...environment.settings })).toBe(
    'repair_prior-sharp_repairShare-0.57_repairs-feedback_warmSeed-0',
  );
});

test('feedback controls do not change prompts for tests and prompts without feedback', () => {
  const fed = (answer: number) => [...SUM_TASK.prompt, tokenNumber('<fb>'), answer];
  const request = [...SUM_TASK.prompt, tokenNumber('<fb>'), VERIFY];
  const prompts = [fed(30), request, SUM_TASK.prompt, fed(31), fed(32)];
  const fresh = prompts.map(() => [...SUM_TASK.prompt]);
  const shuffled = controlledPrompts('shuffled', prompts, fresh, new CounterRandom(3, 1));
  expect([shuffled[1], shuffled[2]]).toEqual([request, SUM_TASK.prompt]);
  expect([0, 3, 4].map((at) => shuffled[at].at(-1)).sort()).toEqual([30, 31, 32]);
  const retried = controlledPrompts('retry', prompts, fresh, new CounterRandom(3, 1));
  expect(retried).toEqual([SUM_TASK.prompt, request, ...fresh.slice(2)]);
});

describe('the warm start with verifications', () => {
  /** Returns the length of the list for the reference, and 99 for other programs. */
  const execute = async (executions: Parameters<FakePython['execute']>[0]) =>
    executions.map(({ program, inputs }) =>
      inputs.map(([list]) => ({ value: program.includes('x < 7') ? (list as number[]).length : 99 })),
    );

  it('the warm start has three kinds of demonstrations of weight 1 in the usual number of sequences', async () => {
    const python = { execute: async (all: Parameters<FakePython['execute']>[0]) => (await execute(all)) as never };
    const environment = createRepairEnvironment(
      { verification: 'written' },
      { execute: python.execute, problems: problems.filter(({ heldOut, signature }) => !heldOut && signature === 'a') },
    );
    const [stage] = environment.warmStart;
    const demonstrations = await stage.demonstrations(3);
    expect(demonstrations).toHaveLength(112);
    expect(demonstrations.reduce((sum, { weights }) => sum + weights.reduce((a, b) => a + b, 0), 0)).toBeCloseTo(3, 9);
    const verifications = demonstrations.filter(({ tokens }) => tokens.includes(VERIFY));
    expect(verifications.length).toBeGreaterThan(20);
    for (const { tokens, weights } of verifications) {
      const start = tokens.indexOf(VERIFY) + 1;
      expect(weights.findIndex((weight) => weight > 0)).toBe(start);
      expect(tokens.length - start).toBeLessThanOrEqual(VERIFICATION_LIMIT);
      expect([tokens[start], tokens.at(-1)]).toEqual([tokenNumber('in:'), END]);
    }
    expect(await stage.demonstrations(3)).toEqual(demonstrations);
  });

  it('warm-start demonstrations of verification contain only right tests', async () => {
    const { showVerification, TestPool } = await import('../../../../src/environments/repair/demonstrations.ts');
    const runner = new ProgramRunner(execute as never);
    const [problem] = problems;
    expect(problem.promptTerms.join(' ')).toBe('sum of below 7');
    const pool = new TestPool(runner, 0);
    const known = new Set((await pool.of(problem)).map(({ args, expected }) => JSON.stringify([args, expected])));
    expect(known.size).toBeGreaterThan(10);
    for (const text of known) {
      const [[list], expected] = JSON.parse(text);
      expect(expected).toBe(list.length);
    }
    const prior = sitePriors(problem.family, problem.template, 'sharp', 0);
    const demonstration = await showVerification(runner, problem, prior, pool, new CounterRandom(1, 2));
    expect(demonstration?.prompt.at(-1)).toBe(VERIFY);
    expect(demonstration?.completion.filter((token) => token === tokenNumber('in:'))).toHaveLength(3);
  });
});

describe('conflicting settings are refused with a reason', () => {
  const on = { verification: 'written', reflection: 'none' };
  test.each([
    [on, { rule: 'murphy-mars' }, 'rule', 'murphy-mars compares programs that continue one program'],
    [on, { rule: 'tree-grpo' }, 'rule', 'tapo credits both'],
    [on, { rule: 'verpo' }, 'rule', 'verpo weighs the tests that every turn passes'],
    [on, { rule: 'turn-credit' }, 'rule', 'for the score of a program'],
    [on, { rule: 'tapo', turnReward: 'model' }, 'turnReward', 'the reward model reads programs'],
    [on, { rule: 'tapo', outcomeReward: 'model' }, 'outcomeReward', 'the reward model reads programs'],
    [{ ...on, reflection: 'written' }, { rule: 'tapo' }, 'verification', 'either reflections or tests'],
    [{ verification: 'none' }, { rule: 'tapo' }, 'rule', 'no tests are written here; set verification=written'],
  ])('settings %j with controls %j are refused with a reason', (settings, chosen, parameter, why) => {
    const rejection = refuses(settings, chosen);
    expect(rejection?.parameter).toBe(parameter);
    expect(rejection?.why).toContain(why);
  });

  test('compatible settings of verification and rule are accepted', () => {
    for (const rule of ['tapo', 'grpo-mt', 'grpo-or', 'ppo-or', 'mt-ppo'])
      expect(refuses(on, { rule })).toBeUndefined();
    expect(refuses({ verification: 'none', reflection: 'written' }, { rule: 'murphy-mars' })).toBeUndefined();
  });

  test('a configuration throws an error at the change that causes a conflict', () => {
    const { settings, controls: standard, ...rest } = defaultConfiguration('repair');
    const configuration = {
      ...rest,
      settings: { ...settings, verification: 'written' },
      controls: { ...standard, rule: 'tapo' },
    };
    expect(checkConfiguration(configuration).controls.rule).toBe('tapo');
    const scheduled = { ...configuration, schedule: [{ step: 5, changes: { rule: 'murphy-mers' } }] };
    expect(() => checkConfiguration(scheduled)).toThrow('murphy-mers compares programs');
    expect(() => checkConfiguration({ ...configuration, settings })).toThrow('no tests are written here');
  });
});
