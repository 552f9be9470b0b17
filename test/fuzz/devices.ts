import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { type Assignment, assignCredit } from '../../src/cli/commands/creditRun.ts';
import { parseRuleParameters } from '../../src/credit/ruleFacts.ts';
import { ForestError } from '../../src/rollouts/forest.ts';
import { begin } from './caseFolder.ts';
import type { Fuzzer } from './fuzzer.ts';
import { acceptedGroups, checkLine, type GroupCase, groupCases, groupFile, setFlags } from './groupFiles.ts';

/** Tolerance of float32 results compared with float64 results, as a share of the largest number of a list. */
const TOLERANCE = 1e-3;

type Line = Record<string, unknown>;

/** Returns the result of a device for a file: the parsed output lines, or the error that rejects the file. */
async function outcome(bytes: Buffer, assignment: Assignment): Promise<readonly Line[] | ForestError> {
  let text = '';
  try {
    await assignCredit(Readable.from([bytes]), assignment, (piece) => {
      text += piece;
    });
  } catch (error) {
    if (error instanceof ForestError) return error;
    throw error;
  }
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function checkSame(gpu: Line, cpu: Line): void {
  assert.deepEqual(Object.keys(gpu), Object.keys(cpu));
  const { id, ...values } = cpu;
  assert.equal(gpu.id, id);
  for (const name of Object.keys(values)) {
    const [actual, expected] = [gpu[name], values[name]].map((value) => [value].flat(2) as (number | null)[]);
    assert.equal(actual.length, expected.length, name);
    const tolerance =
      TOLERANCE * expected.reduce<number>((largest, value) => Math.max(largest, Math.abs(value ?? 0)), 1);
    expected.forEach((value, index) => {
      const actualValue = actual[index];
      if (value === null || actualValue === null) assert.equal(actualValue, value, `${name}[${index}]`);
      else
        assert(
          Math.abs(actualValue - value) <= tolerance,
          `${name}[${index}] is ${actualValue} on the GPU and ${value} on the CPU`,
        );
    });
  }
}

/** Creates the fuzzer that compares the results of the GPU and the CPU for the same files. */
export function devices(gpu: NonNullable<Assignment['gpu']>): Fuzzer<GroupCase> {
  return {
    name: 'devices',
    about: 'files of groups, every rule with parameters, on the GPU and on the CPU',
    caseCount: 40,
    cases: groupCases,
    async checkCase(testCase) {
      const bytes = groupFile(testCase);
      const { rule } = testCase;
      const set = setFlags(testCase).filter((flag) => flag !== '--set');
      const parameters = parseRuleParameters(rule, Object.fromEntries(set.map((flag) => flag.split('='))));
      const [cpu, device] = [
        await outcome(bytes, { rule, parameters }),
        await outcome(bytes, { rule, parameters, gpu }),
      ];
      const description = `${rule.name} ${set.join(' ')}\n${begin(bytes)}`;
      if (device instanceof ForestError) {
        // The GPU computes in float32: it may reject numbers that the CPU accepts.
        const shorter = /too large for/.test(device.message);
        const same = cpu instanceof ForestError && cpu.message === device.message;
        assert(
          shorter || same,
          `${description}\nthe GPU: ${device.message}\nthe CPU: ${JSON.stringify(cpu).slice(0, 500)}`,
        );
        return;
      }
      assert(!(cpu instanceof ForestError), `${description}\nonly the CPU refuses: ${(cpu as Error).message}`);
      const groups = acceptedGroups(bytes);
      assert.equal(device.length, groups.length, description);
      device.forEach((line, index) => {
        try {
          checkLine(line, rule, groups[index]);
          checkSame(line, cpu[index]);
        } catch (error) {
          throw new Error(`${description}\nline ${index + 1}: ${(error as Error).message}`);
        }
      });
    },
  };
}
