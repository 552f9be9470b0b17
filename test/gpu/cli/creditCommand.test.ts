import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';
import { assignCredit, GPU_LIMITS } from '../../../src/cli/commands/creditRun.ts';
import { openNodeGpu } from '../../../src/cli/framework/node.ts';
import { findRule } from '../../../src/credit/rules.ts';
import type { Group, Turn } from '../../../src/rollouts/forest.ts';
import { writeGroups } from '../../../src/rollouts/jsonLines.ts';
import { expectLine } from '../../creditExpectations.ts';
import { outcomesOnly } from '../../groups.ts';
import { randomGroups } from '../../randomForests.ts';
import { turnwise } from '../../unit/cli/cliTerminal.ts';
import { creditCases, expectClose, rulesWithCases } from '../../vectorFile.ts';
import { testGpu } from '../gpu.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-credit-gpu-'));
afterAll(() => rmSync(folder, { recursive: true }));

const opened = { openGpu: () => openNodeGpu() };

/** Runs the `credit` command on a file with groups and returns the parsed lines of its output. */
async function credit(flags: string, groups: readonly Group[]) {
  const [input, out] = [join(folder, 'in.jsonl'), join(folder, 'out.jsonl')];
  writeFileSync(input, writeGroups(groups));
  const { code, err } = await turnwise(`credit ${flags} --out ${out} ${input}`, opened);
  expect([code, err]).toEqual([0, expect.stringMatching(/\d+ groups?.*\n$/)]);
  return readFileSync(out, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test.each(rulesWithCases())(
  'credit --rule %s prints the credit of credit.json, to 1e-4 on the GPU and to 1e-9 on the CPU',
  async (name) => {
    const rule = findRule(name);
    const cases = creditCases(name);
    const keys = [...new Set(cases.map(({ parameters }) => JSON.stringify(parameters)))];
    for (const key of keys) {
      const set = cases.filter(({ parameters }) => JSON.stringify(parameters) === key);
      const given = Object.entries(set[0].parameters).map(([parameter, value]) => `--set ${parameter}=${value}`);
      for (const [device, tolerance] of [
        ['gpu', 1e-4],
        ['cpu', 1e-9],
      ] as const) {
        const flags = `--rule ${name} --device ${device} ${given.join(' ')}`;
        const lines = await credit(
          flags,
          set.map(({ group }) => group),
        );
        expect(lines).toHaveLength(set.length);
        lines.forEach((line, index) => {
          expectLine(line, rule, set[index], tolerance);
        });
      }
    }
  },
);

describe('credit batches on the GPU', () => {
  const rule = findRule('grpo-or');
  const text = (groups: readonly Group[]) => Readable.from([Buffer.from(writeGroups(groups))]);

  test('the size of GPU credit batches does not change the output lines', async () => {
    const gpu = await testGpu();
    const groups = Array.from({ length: 5 }, (_, seed) => randomGroups(rule, 30 + seed)).flat();
    const run = async (turns: number) => {
      let out = '';
      const limits = { ...GPU_LIMITS, turns };
      await assignCredit(text(groups), { rule, parameters: {}, gpu }, (piece) => (out += piece), limits);
      return out;
    };
    const complete = await run(1e6);
    expect(complete.trimEnd().split('\n')).toHaveLength(groups.length);
    expect(await run(1)).toBe(complete);
    expect(await run(100)).toBe(complete);
  });

  test('an error in a group names the line and the id of the group', async () => {
    const gpu = await testGpu();
    const good = outcomesOnly([1, 0], 'same');
    const bad: Group = { id: 'same', turns: [{ parent: -1, reward: 0 }] };
    const written: string[] = [];
    const run = (...groups: Group[]) =>
      assignCredit(text(groups), { rule, parameters: {}, gpu }, (piece) => written.push(piece));
    await expect(run(good, good, bad, good)).rejects.toThrow('line 3, group "same", turn 0, field "outcome": missing');
    const large: Group = outcomesOnly([1e20, 0], 'same');
    await expect(run(good, large, bad)).rejects.toThrow(
      'line 2, group "same", turn 0, field "outcome": 100000000000000000000 is beyond 1000000000000000',
    );
    await expect(run(good, large)).rejects.toThrow("too large for the GPU's 32-bit floats; --device cpu has 64 bits");
    expect(written).toEqual([]);
  });

  test('GPU batches grow up to the binding limit; for a larger group the error suggests --device cpu', async () => {
    const gpu = await testGpu();
    // A device that binds at most 1,024 numbers (4,096 bytes) in a storage buffer.
    const device = new Proxy(gpu.device, {
      get: (target, key) => {
        if (key === 'limits') return { maxStorageBufferBindingSize: 4096 };
        const value = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const small = { ...gpu, device, readError: gpu.readError };
    const group = (turns: number) =>
      outcomesOnly(
        Array.from({ length: turns }, (_, turn) => turn % 2),
        `${turns}`,
      );
    const limits = { ...GPU_LIMITS, turns: 100 };
    const run = async (...sizes: number[]) => {
      const lines: string[] = [];
      const assignment = { rule, parameters: {}, gpu: small };
      await assignCredit(text(sizes.map(group)), assignment, (piece) => lines.push(piece), limits);
      return lines
        .join('')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id);
    };
    expect(await run(600, 50, 900)).toEqual(['600', '50', '900']);
    await expect(run(50, 1100)).rejects.toThrow(
      /line 2, group "1100": too large for the GPU \(buffer .*\); use --device cpu/,
    );
  });

  test('a tree with more levels than a submission has dispatches receives its credit on the GPU', async () => {
    const chain = (length: number): Turn[] =>
      Array.from({ length }, (_, turn) => ({ parent: turn - 1, reward: (turn % 7) / 10 }));
    const second = chain(1500).map(({ parent, reward }) => ({
      parent: parent < 0 ? -1 : parent + 1500,
      reward: 1 - reward,
    }));
    const groups = [{ id: 'deep', turns: [...chain(1500), ...second] }];
    const [gpu] = await credit('--rule murphy-mers --set normalizer=components --device gpu', groups);
    const [cpu] = await credit('--rule murphy-mers --set normalizer=components', groups);
    expectClose(gpu.credited, cpu.credited, 1e-4);
    expectClose(gpu.advantage, cpu.advantage, 1e-4);
  });
});
