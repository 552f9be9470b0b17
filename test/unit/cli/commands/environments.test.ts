import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { warmStartFile } from '../../../../src/cli/framework/policyFiles.ts';
import { flat, progressNote } from '../../../../src/cli/framework/worldRuns.ts';
import { writeRunFile } from '../../../../src/storage/runFile.ts';
import { checkSavedRun } from '../../../../src/storage/savedRun.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import { metricsOf, savedRun } from '../../app/appFixtures.ts';
import { turnwise } from '../cliTerminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-environments-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Metrics of an update of the Repair environment. */
const REPAIR = metricsOf(0, {
  ...{ rule: 'verpo', toolUse: null, retrieval: null, answer: null, format: null, searches: null, fill: 0.7 },
  facts: { pass1: 0.4, pass2: null, solved: 0.5 },
});

describe('help of an environment', () => {
  test.each([
    ['train --help', ['--knownShare', '--alpha', 'one of mt-grpo'], ['--programs', '--repairShare']],
    ['train --environment repair --help', ['--programs N', '--repairShare', 'default 0.0004'], ['--knownShare']],
    ['train --environment=repo --help', ['--granularity', '--filterUniform', 'default 0.1)'], ['--programs']],
    [
      'evaluate --environment repair --help',
      ['--iterations N', '--feedback NAMES', '--samples N', '--passAt N,N', '--runs N', '--scaffold NAMES'],
      ['--episodes', '--sharing'],
    ],
    ['evaluate --environment repo --help', ['--sharing N,N', '--json FILE'], ['--runs']],
    ['evaluate --help', ['--episodes N'], ['--iterations N']],
    ['warm-start --environment repo --help', ['--bugs'], ['--knownShare']],
  ])('%s prints only the flags of its environment', async (line, has, lacks) => {
    const { code, out } = await turnwise(line);
    expect(code).toBe(0);
    for (const text of has) expect(out).toContain(text);
    for (const text of lacks) expect(out).not.toContain(text);
  });
});

describe('wrong command lines', () => {
  const savedFile = join(folder, 'kept.json');
  const configuration = defaultConfiguration('repair');
  const warmStart = warmStartFile(defaultConfiguration('search').settings);
  writeFileSync(savedFile, writeRunFile(savedRun({ configuration, metrics: [REPAIR] })));

  test.each([
    ['train --environment maze', '--environment: "maze" is not one of search, repair, repo, bandit'],
    ['train --environment repair --preset mt-grpo', 'mt-grpo is for the environment search, and --environment is'],
    ['train --environment repair --rule mt-grpo', '--rule: "mt-grpo" is not one of grpo-mt, grpo-or'],
    ['train --environment repo --knownShare 1', 'unknown flag --knownShare'],
    ['train --programs 100', 'unknown flag --programs'],
    ['train --environment repair --at 3:prior=flat', 'prior is a setting of the world and cannot change during a run'],
    ['evaluate --environment repair --passAt 8', '--passAt: pass@8 needs --samples 8 or more, and --samples is 4'],
    [
      'evaluate --environment repair --passAt 1,x',
      '--passAt: "1,x" is not whole numbers from 1 to 1000, separated by commas',
    ],
    ['evaluate --environment repair --passAt 1,', '--passAt: "1," is not whole numbers'],
    ['evaluate --environment repair --feedback true,no', '--feedback: "no" is not one of true, shuffled, retry'],
    [
      'evaluate --environment repair --scaffold lats,beam',
      '--scaffold: "beam" is not one of refine, best-of-n, lats, dot',
    ],
    ['evaluate --environment repair --budget 65', '--budget: "65" is not a whole number from 0 to 64'],
    [
      'evaluate --environment repair --scaffold lats --feedback retry',
      '--feedback: scaffolds show true feedback; other values need --scaffold refine',
    ],
    ['evaluate --environment repair --budget 4 --passAt 1', '--passAt: pass@k needs --scaffold refine'],
    ['evaluate --environment repair --budget 4 --iterations 5', '--iterations: --budget 4 sets the number of programs'],
    [
      'evaluate --environment repair --scaffold refine,dot --verifier model',
      '--verifier: --scaffold refine,dot uses no verifier; use best-of-n or lats',
    ],
    [
      'evaluate --environment repair --scaffold lats --verifier model --worldSeed 3',
      '--verifier: there is no reward model of this world; make it with\n  npm run turnwise -- reward-model --environment repair --worldSeed 3',
    ],
    [
      'evaluate --environment repair --scaffold refine,reflexion',
      '--scaffold: reflexion: the policy of this world writes no reflections; use --reflection written',
    ],
    [
      'evaluate --environment repair --reflection written --scaffold reflexion',
      'warm-start --environment repair --reflection written',
    ],
    [
      `evaluate --environment repair --reflection written --scaffold reflexion --checkpoint ${warmStartFile(configuration.settings, 'repair')}`,
      'this policy needs 139; it was made with --reflection none',
    ],
    [
      'expert-iteration --environment repair --reflection written --out nowhere',
      '--reflection: expert iteration imitates programs',
    ],
    [
      'train --environment repair --verification written --rule murphy-mars',
      'murphy-mars compares programs that continue one program, and with verification=written tests come between them',
    ],
    [
      'compare --environment repair --verification written --rules tapo,verpo',
      'verpo weighs the tests that every turn passes',
    ],
    ['train --environment repair --rule tapo', 'no tests are written here; set verification=written'],
    [
      'train --environment repair --verification written --reflection written',
      'a policy writes either reflections or tests, each with a separate warm start',
    ],
    [
      'evaluate --environment repair --verification written --scaffold lats',
      '--scaffold: scaffolds need visible tests, and --verification written shows no visible test',
    ],
    [
      'expert-iteration --environment repair --verification written --out nowhere',
      '--verification: expert iteration has no targets for turns that write tests',
    ],
    ['reward-model --environment repair --verification written', '--verification: a reward model reads programs'],
    [
      'evaluate --environment repair --scaffold best-of-n --children 2',
      '--children: --scaffold best-of-n expands no program',
    ],
    ['evaluate --environment repo --scaffold lats', 'unknown flag --scaffold'],
    ['evaluate --environment repo --sharing 1,2', '--sharing: "1,2" is not whole numbers from 2 to 1000'],
    ['evaluate --json none/of/this.json', '--json'],
    ['train --environment repair --repairShare 0.13', 'warm-start --environment repair --repairShare 0.13'],
    ['reward-model --environment repo', 'Repository has no reward model'],
    ['reward-model --environment repair --bias 0.5', '--bias: Repair has no bias of a judge'],
    ['reward-model --noise 2', '--noise: "2" is not a number from 0 to 1'],
    [`reward-model --resume ${savedFile} --noise 0.2`, '--noise: not allowed with --resume'],
    [
      'expert-iteration --out any',
      '--environment search: expert iteration imitates programs, and Search has no programs',
    ],
    ['expert-iteration --environment repair', '--out is missing: name a folder'],
    [
      'expert-iteration --environment repair --out x --expert oracle',
      '"oracle" is not one of verifier, tests, tests-verifier',
    ],
    [
      'expert-iteration --environment repair --out x --verifier none.safetensors',
      '--verifier: there is no file none.safetensors',
    ],
    ['expert-iteration --environment repair --out x --checkpoint none', '--checkpoint: there is no file none'],
    ['train --turnReward jury', '--turnReward: "jury" is not one of rules, judge, unreliable'],
    ['train --turnReward judge --rewardModel none.safetensors', '--rewardModel: there is no file none.safetensors'],
    [`train --turnReward judge --rewardModel ${warmStart}`, 'the checkpoint is not a reward model'],
    ['train --environment repo --rewardModel any.safetensors', 'unknown flag --rewardModel'],
    [`train --resume ${savedFile} --environment repair`, '--environment: not allowed with --resume'],
    // The known flags depend on the environment of the saved run.
    [`train --resume ${savedFile} --repairShare 0.5`, '--repairShare: not allowed with --resume'],
    [`train --resume ${savedFile} --programs 999`, '--programs: "999" is not a whole number from 0 to 256'],
  ])('%s is rejected with exit code 2', async (line, message) => {
    const { code, out, err } = await turnwise(line);
    expect(err).toContain(message);
    expect([code, out]).toEqual([2, '']);
  });
});

test('metrics are written as flat lines that contain the metrics of the environment', () => {
  const search = flat(metricsOf(3));
  expect(search).toMatchObject({ step: 3, toolUse: 0.5, searchProbability: null });
  expect(search).not.toHaveProperty('facts');
  const repair = flat(REPAIR);
  expect(repair).toMatchObject({ rule: 'verpo', pass1: 0.4, pass2: null, fill: 0.7 });
  for (const name of ['toolUse', 'retrieval', 'answer', 'format', 'searches', 'searchProbability', 'facts']) {
    expect(repair).not.toHaveProperty(name);
  }
  expect(progressNote(metricsOf(3))).toBe('mt-grpo · tool 0.50 · answer 0.50 · 100 ms');
  expect(progressNote(REPAIR)).toBe('verpo · at once 0.40 · solved 0.50 · 256 turns of 16 tasks · 100 ms');
});

describe('saved runs', () => {
  test('a saved run of the Repair environment is read', () => {
    const run = savedRun({ configuration: defaultConfiguration('repair'), metrics: [REPAIR] });
    expect(checkSavedRun(run)).toEqual(run);
  });

  test('a saved run with a change of an unknown parameter is rejected', () => {
    const events = [{ step: 0, kind: 'change', changes: { searchCost: 0.1 }, text: 'x' }] as const;
    const run = savedRun({ configuration: defaultConfiguration('repo'), events });
    expect(() => checkSavedRun(run)).toThrow('events[0].changes: unknown parameter "searchCost"');
  });
});
