import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { warmStartFile } from '../../../../src/cli/framework/policyFiles.ts';
import { writeRunFile } from '../../../../src/storage/runFile.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import { PRESETS } from '../../../../src/training/data/worlds.ts';
import { root } from '../../../files.ts';
import { metricsOf, savedRun } from '../../app/appFixtures.ts';
import { expectRejected, temporaryFolder, turnwise } from '../cliTerminal.ts';

// cspell:ignore trian
// Command lines that fail before any work with exit code 2. The error names the flag and the position.

const { folder, path, file } = temporaryFolder();
const present = file('present.txt', 'no checkpoint');
const emptyRun = file('empty.json', '{"format":"turnwise-run"}');
const configuration = defaultConfiguration('repair');
const savedFile = file(
  'kept.json',
  writeRunFile(savedRun({ configuration, metrics: [metricsOf(0, { rule: 'verpo' })] })),
);
const warmStart = warmStartFile(defaultConfiguration('search').settings);

test.each([
  // The command and its flags
  ['trian', 'unknown command "trian"; did you mean train?'],
  ['train --preset under-searching', `--preset: "under-searching" is not one of ${PRESETS[0].name}`],
  ['train --at 60', '--at 60: it must be STEP:NAME=VALUE'],
  ['train --at 60:rule=ppo', '--at 60:rule=ppo: rule: "ppo" is not one of'],
  ['train --at 60:speed=1', '--at 60:speed=1: unknown parameter "speed"; known: rule'],
  ['train --at 60:knownShare=1', 'knownShare is a setting of the world and cannot change during a run'],
  ['train --set learningRate=1', '--set learningRate=1: learningRate: "1" is not a number from 0 to 0.01'],
  ['train --set learningRate', '"learningRate" is not NAME=VALUE'],
  ['train --warmSeed 3', 'npm run turnwise -- warm-start --warmSeed 3'],
  [
    'train --world open --warmSeed 3 --knownShare 0.95',
    'npm run turnwise -- warm-start --world open --knownShare 0.95 --warmSeed 3',
  ],
  ['train --checkpoint nowhere', '--checkpoint: there is no file nowhere; make it with'],
  [`train --checkpoint ${present}`, 'not a checkpoint, or cut off'],
  ['train --resume nowhere', '--resume: there is no file nowhere'],
  [`train --resume ${present}`, 'is not a saved run: it is not JSON'],
  ['train --resume x --seed 2', '--seed: not allowed with --resume'],
  ['compare --rules grpo-or,ppo', '--rules: "ppo" is not one of'],
  ['compare --rule grpo-or', 'unknown flag --rule; did you mean --rules?'],
  ['compare --json /nowhere/at/all.json', '--json: there is no folder /nowhere/at'],
  [`compare --json ${present}`, 'is not JSON'],
  ['warm-start --stageSteps 3', '--stageSteps: needs --out'],
  // Folders and files
  [`lab run --folder ${path('lab')}`, 'run: name a claim (t1), a paper (t), or all'],
  [`lab report --docs ${present}`, `--docs: ${present} is a file, not a folder`],
  [`lab list --folder ${present}`, `--folder: ${present} is a file, not a folder`],
  [`lab report --docs ${folder} --texts ${present}`, `--texts: ${present} is a file, not a folder`],
  [`lessons --folder ${present}`, `--folder: ${present} cannot be read (not a directory)`],
  [`grade --folder ${present} x.json`, `--folder: ${present} cannot be read (not a directory)`],
  ['lessons --folder nowhere', '--folder: nowhere cannot be read (no such file or directory)'],
  [`evaluate --checkpoint ${folder}`, 'cannot be read (illegal operation on a directory)'],
  [`warm-start --resume ${emptyRun} --out ${path('out.safetensors')}`, 'is a run of train --save'],
  // Environments
  ['train --environment repair --preset mt-grpo', 'mt-grpo is for the environment search, and --environment is'],
  ['train --environment repo --knownShare 1', 'unknown flag --knownShare'],
  ['train --environment repair --at 3:prior=flat', 'prior is a setting of the world and cannot change during a run'],
  ['evaluate --environment repair --passAt 8', '--passAt: pass@8 needs --samples 8 or more, and --samples is 4'],
  [
    'evaluate --environment repair --passAt 1,x',
    '--passAt: "1,x" is not whole numbers from 1 to 1000, separated by commas',
  ],
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
  ['train --environment repair --repairShare 0.13', 'warm-start --environment repair --repairShare 0.13'],
  ['reward-model --environment repo', 'Repository has no reward model'],
  ['reward-model --environment repair --bias 0.5', '--bias: Repair has no bias of a judge'],
  [`reward-model --resume ${savedFile} --noise 0.2`, '--noise: not allowed with --resume'],
  [
    'expert-iteration --out any',
    '--environment search: expert iteration imitates programs, and Search has no programs',
  ],
  ['expert-iteration --environment repair', '--out is missing: name a folder'],
  [
    'expert-iteration --environment repair --out x --verifier none.safetensors',
    '--verifier: there is no file none.safetensors',
  ],
  ['expert-iteration --environment repair --out x --checkpoint none', '--checkpoint: there is no file none'],
  ['train --turnReward judge --rewardModel none.safetensors', '--rewardModel: there is no file none.safetensors'],
  [`train --turnReward judge --rewardModel ${warmStart}`, 'the checkpoint is not a reward model'],
  [`train --resume ${savedFile} --environment repair`, '--environment: not allowed with --resume'],
  // The known flags depend on the environment of the saved run.
  [`train --resume ${savedFile} --repairShare 0.5`, '--repairShare: not allowed with --resume'],
  [`train --resume ${savedFile} --programs 999`, '--programs: "999" is not a whole number from 0 to 256'],
  ['train --tasks x', 'unknown flag --tasks'],
  ['evaluate --environment repo --tasks x', 'unknown flag --tasks'],
  ['train --environment repair --repositories x', 'unknown flag --repositories'],
  ['evaluate --environment repair --tasks none.jsonl', '--tasks: there is no file none.jsonl'],
])('%s is rejected before any work', async (line, message) => {
  await expectRejected(line, message);
});

const linesOf = (name: string) =>
  readFileSync(join(root, 'test/fixtures/own', name), 'utf8')
    .trim()
    .split('\n');
const [TASK] = linesOf('tasks.jsonl');
const [REPOSITORY] = linesOf('repositories.jsonl');

const changed = (line: string, changes: object) => JSON.stringify({ ...JSON.parse(line), ...changes });

describe('custom task files', () => {
  test.each([
    ['no JSON', 'evaluate --environment repair --tasks', [TASK, '{'], ', line 2: not JSON'],
    [
      'an unknown word',
      'train --environment repair --tasks',
      ['', changed(TASK, { prompt: 'sum of zebras' })],
      ', line 2, field "prompt": "zebras" is not',
    ],
    [
      'no issue',
      'evaluate --environment repo --repositories',
      ['', changed(REPOSITORY, { issue: 'top' })],
      ', line 2: issue: ',
    ],
  ] as const)('a custom task file with %s is rejected with a position', async (name, command, lines, message) => {
    const given = file(`${name.replaceAll(' ', '-')}.jsonl`, lines.join('\n'));
    await expectRejected(`${command} ${given}`, `turnwise: ${given}${message}`);
  });
});

test('a rule file that does not parse ends credit with exit code 2', async () => {
  const groups = file('groups.jsonl', '{"id":"a","turns":[{"parent":-1,"reward":0,"outcome":1}]}\n');
  const { code, err } = await turnwise(`credit --rule ${file('unparsed.py', 'def credit(group:\n')} ${groups}`);
  expect(err).toContain('line 1: does not parse');
  expect(code).toBe(2);
});

test('the help of credit with --rule describes only that rule', async () => {
  const all = await turnwise('credit --help');
  for (const line of ['credit --help --rule mt-grpo', 'credit --rule=mt-grpo --help']) {
    const short = await turnwise(line);
    expect(short.code).toBe(0);
    expect(short.out).toContain('mt-grpo: ');
    expect(short.out).not.toContain('verpo: ');
    expect(short.out.split('\n').length).toBeLessThan(all.out.split('\n').length / 3);
  }
});
