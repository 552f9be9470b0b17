import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { trainedRun } from '../../../../src/cli/framework/trainedRun.ts';
import { ownName } from '../../../../src/credit/rules/own/ownSource.ts';
import { writeChallengeFile } from '../../../../src/lessons/results/challengeFile.ts';
import { curvesOf, digestOf } from '../../../../src/lessons/results/digest.ts';
import { RACE, raceRuns } from '../../../../src/lessons/results/race.ts';
import { ruleText } from '../../../pythonRules.ts';
import { testDevice } from '../../runs/runDevice.ts';
import { turnwise } from '../cliTerminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-grade-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a race comes again bit for bit on the same device, and a curve that was made up does not', async () => {
  const rule = { file: 'ada.py', values: {}, source: ruleText('grpo-or') };
  const [run] = raceRuns(ownName(rule));
  const device = await testDevice();
  const signal = new AbortController().signal;
  const metrics = await trainedRun(device, run.configuration, run.steps, { signal }, () => {});
  const curves = curvesOf(metrics, RACE.lines, run.steps);
  const made = { ...curves, answer: curves.answer.map((_, step) => step / RACE.steps) };
  const file = (name: string, own: typeof curves) => {
    const path = join(folder, name);
    const race = [{ name: run.name, device: device.name, curves: own, digest: digestOf(own) }];
    writeFileSync(path, writeChallengeFile({ name: '', rule, tasks: [], race }));
    return path;
  };
  const { code, out } = await turnwise(['grade', file('true.json', curves), file('made.json', made)]);
  expect(code).toBe(1);
  expect(out).toMatch(/true\.json\n[\s\S]*race: own, seed 1 .* same/);
  expect(out).toMatch(/made\.json\n[\s\S]*race: own, seed 1 .* differs +answer at update \d+ is /);
});
