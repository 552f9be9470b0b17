import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeSource } from '@turnwise/python-sandbox/host/node';
import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import { afterAll, describe, expect, test } from 'vitest';
import { TurnScores } from '../../src/customRules/turnScores.ts';
import { readGroups } from '../../src/rollouts/jsonLines.ts';
import { root } from '../files.ts';
import { turnwise } from '../unit/cli/cliTerminal.ts';
import { ATTACK_FUEL } from './attacksCustomRules.ts';

// `import --score`: a Python file of the user computes rewards, states and actions of turns.

const LOGS = join(root, 'test/fixtures/field/02-search-tags');
const LOG = join(LOGS, readdirSync(LOGS).find((name) => name.endsWith('.jsonl')) ?? '');

const folder = mkdtempSync(join(tmpdir(), 'turnwise-score-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
/** Writes the score function of a test to a file and returns its path. */
function scoreFile(source: string): string {
  const path = join(folder, `score${files++}.py`);
  writeFileSync(path, source);
  return path;
}

async function scored(source: string, ...flags: readonly string[]) {
  const { code, out, err } = await turnwise(['import', '--score', scoreFile(source), ...flags, LOG]);
  expect([code, err]).toEqual([0, expect.any(String)]);
  return { turns: readGroups(out).flatMap(({ turns }) => turns), groups: readGroups(out), err, out };
}

describe('import --score', () => {
  test('score() sets reward, state and action of each turn from its text, calls and observation', async () => {
    const { turns, groups, err } = await scored(`
def score(turn):
    found = 'Ald' in turn['observation']
    kind = turn['calls'][0].split('(')[0] if turn['calls'] else 'answer'
    return {'reward': 0.5 if found else 0, 'state': 'turn %d' % turn['turn'], 'action': 'last' if turn['last'] else kind}
`);
    expect(turns.map(({ reward, state, action }) => [reward, state, action])).toEqual([
      [0.5, 'turn 0', 'search'],
      [0, 'turn 1', 'last'],
      [0, 'turn 0', 'search'],
      [0.5, 'turn 1', 'search'],
      [0, 'turn 2', 'last'],
      [0, 'turn 0', 'last'],
    ]);
    expect(groups.map(({ outcomeIsTotal }) => outcomeIsTotal)).toEqual([false]);
    expect(err).toMatch(
      /score0\.py: 6 rewards, 6 states, 6 actions of 6 turns; rewards are added to the reward of a rollout/,
    );
  });

  test('score() may return a number as the reward, or None to leave the turn unchanged', async () => {
    const plain = await turnwise(['import', LOG]);
    const before = readGroups(plain.out).flatMap(({ turns }) => turns);
    const { turns } = await scored(`
def score(turn):
    return len(turn['calls']) if turn['calls'] else None
`);
    expect(turns.map(({ reward }) => reward)).toEqual([1, 0, 1, 1, 0, 0]);
    expect(turns.map(({ state, action }) => [state, action])).toEqual(
      before.map(({ state, action }) => [state, action]),
    );
  });

  test('with --outcome total, rewards are parts of the outcome, and credit subtracts them', async () => {
    const source = `
def score(turn):
    return 0.25 * len(turn['calls'])
`;
    const total = await scored(source, '--outcome', 'total');
    expect(total.groups.map(({ outcomeIsTotal }) => outcomeIsTotal)).toEqual([true]);
    expect(total.err).not.toContain('has no effect');
    const file = join(folder, 'groups.jsonl');
    writeFileSync(file, total.out);
    const { out } = await turnwise(['credit', '--rule', 'mt-grpo', '--device', 'cpu', file]);
    const { advantage } = JSON.parse(out);
    // Outcomes without the turn rewards: 1 - 0.25, 1 - 0.5, 0.
    const outcomes = [0.75, 0.5, 0];
    const mean = (0.75 + 0.5) / 3;
    const deviation = Math.sqrt(outcomes.reduce((sum, outcome) => sum + (outcome - mean) ** 2, 0) / 2);
    expect(advantage[1]).toBeCloseTo((0.75 - mean) / (deviation + 1e-6), 9);
  });

  test.each([
    ['has a syntax error', 'def score(turn:\n    return 1\n', /\.py, line 1: does not parse/],
    ['has no function score()', 'def scores(turn):\n    return 1\n', /\.py: there is no function score\(turn\)/],
    [
      'throws an error',
      'def score(turn):\n    return turn["nothing"]\n',
      /\.py, line 2, group ".+", turn 0: KeyError: 'nothing'/,
    ],
    ['returns NaN', 'def score(turn):\n    return float("nan")\n', /turn 0: the reward is not a finite number/],
    [
      'returns a string',
      'def score(turn):\n    return "good"\n',
      /turn 0: score\(\) must return a number, a dictionary or None/,
    ],
    [
      'returns an unknown field',
      'def score(turn):\n    return {"rewards": 1}\n',
      /turn 0: score\(\) returned "rewards"; known: reward/,
    ],
    [
      'returns a state that is not a string',
      'def score(turn):\n    return {"state": 3}\n',
      /turn 0: the state is not a text/,
    ],
    ['imports a blocked module', 'import os\ndef score(turn):\n    return os.getpid()\n', /\.py/],
  ])('a score file that %s is rejected with its position, and nothing is written', async (_, source, message) => {
    const out = join(folder, 'refused.jsonl');
    const { code, err } = await turnwise(['import', '--score', scoreFile(source), '--out', out, LOG]);
    expect(code).not.toBe(0);
    expect(err).toMatch(message);
    expect(existsSync(out)).toBe(false);
  });

  test('an endless score() is stopped with a message that names its file', async () => {
    const sandbox = new Sandbox(createNodeSource(), { workers: 1, spare: false });
    const program = { file: 'score.py', source: 'def score(turn):\n    while True: pass\n' };
    const group = { id: 'a', turns: [{ parent: -1, reward: 0, outcome: 1 }] };
    const scoring = new TurnScores(sandbox, program, false, ATTACK_FUEL).score([group]);
    await expect(scoring).rejects.toThrow('score.py: took more than 1,000,000 steps for a batch');
    sandbox.close();
  });

  test('the score file is rejected as the output file', async () => {
    const file = scoreFile('def score(turn):\n    return 1\n');
    const { code, err } = await turnwise(['import', '--score', file, '--out', file, LOG]);
    expect(code).toBe(2);
    expect(err).toContain(file);
  });
});
