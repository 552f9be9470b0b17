import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Stop } from '../../../../src/cli/framework/errors.ts';
import { loadRewardModel, loadStart } from '../../../../src/cli/framework/policyFiles.ts';
import { openWorld } from '../../../../src/cli/framework/worldRuns.ts';
import { defaultConfiguration } from '../../../../src/training/data/configurationTables.ts';
import { finished } from '../../../../src/training/rewardModel/rewardModelFile.ts';
import { temporaryFolder, turnwise } from '../cliTerminal.ts';

const { folder } = temporaryFolder();

/** About 80 programs, 4 steps of the verifier and 24 epochs of imitation. */
const FLAGS =
  '--trainProblems 25 --samples 2 --turns 2 --verifierSteps 4 --epochs 24 --learningRate 0.004 --episodes 1 --problems 3 --budget 1';
const line = (name: string) =>
  `expert-iteration --environment repair --iterations 1 ${FLAGS} --out ${join(folder, name)}`;
const bytes = (name: string, file: string) => readFileSync(join(folder, name, file));
const state = (name: string) => JSON.parse(bytes(name, 'expert-iteration.json').toString());

test('a stopped iteration continues to the same bytes, its loss decreases and its checkpoints load', async () => {
  const complete = await turnwise(line('whole'));
  expect(complete.code).toBe(0);
  const { iterations } = state('whole');
  expect(iterations).toHaveLength(1);
  const [{ programs, examples, problems, loss }] = iterations;
  expect(problems).toBe(25);
  expect(programs).toBe(examples);
  expect(examples).toBeGreaterThan(50);
  expect(loss[1]).toBeLessThan(0.8 * loss[0]);
  expect(complete.out).toMatch(/^policy 1 +verifier 1 +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+$/m);

  // The command is stopped during imitation, when programs and verifier are complete.
  const stop = new AbortController();
  let message = '';
  const err = (text: string) => {
    message += text;
    if (text.startsWith('imitation 10/')) stop.abort(new Stop('interrupted', 130));
  };
  const stopped = await turnwise(line('stopped'), { err, signal: stop.signal });
  expect([stopped.code, state('stopped').iterations]).toEqual([130, []]);
  expect(message).toContain('the same command continues');
  const sampledAt = statSync(join(folder, 'stopped', 'attempts-1.jsonl')).mtimeMs;
  const again = await turnwise(line('stopped'));
  expect([again.code, again.out]).toEqual([0, complete.out]);
  expect(statSync(join(folder, 'stopped', 'attempts-1.jsonl')).mtimeMs).toBe(sampledAt);
  for (const file of ['attempts-1.jsonl', 'verifier-1.safetensors', 'policy-1.safetensors']) {
    expect(bytes('stopped', file).equals(bytes('whole', file)), file).toBe(true);
  }

  // As an arm of a comparison, it results in the same policy, which solves the same problems.
  const arm = 'expert-iteration:iterations=1:samples=2:turns=2:verifierSteps=4:epochs=24:learningRate=0.004';
  const json = join(folder, 'arm.json');
  const compared = await turnwise(
    `compare --environment repair --trainProblems 25 --rules ${arm} --steps 3 --seeds 1 --samples 1 --problems 3 --json ${json}`,
  );
  expect(compared.code).toBe(0);
  const [run] = JSON.parse(readFileSync(json, 'utf8')).runs;
  expect(run.series).toEqual({});
  expect(run.heldOut).toMatchObject({ iter1: iterations[0].after.first, iter2: iterations[0].after.last, programs });

  const opened = await openWorld(defaultConfiguration('repair'));
  onTestFinished(() => opened.close());
  const { state: policy } = loadStart(opened.world, join(folder, 'whole', 'policy-1.safetensors'));
  expect(policy.parameters).not.toEqual(loadStart(opened.world, undefined).state.parameters);
  const verifier = loadRewardModel(opened.world, join(folder, 'whole', 'verifier-1.safetensors'));
  expect(finished(verifier).parameters.every(Number.isFinite)).toBe(true);
});
