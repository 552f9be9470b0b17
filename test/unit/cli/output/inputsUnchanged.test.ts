import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseArguments } from '../../../../src/cli/framework/command.ts';
import { withOutputs } from '../../../../src/cli/output/outputs.ts';
import { COMMANDS } from '../../../../src/cli/program.ts';
import { ENVIRONMENT_NAMES } from '../../../../src/training/data/configuration.ts';
import { expectRejected, temporaryFolder } from '../cliTerminal.ts';

// No output of a command is one of its inputs. A new flag with a file must be listed here.

const { folder, path, file } = temporaryFolder();

/** Flags with a FILE, by command. */
const FLAGS: Readonly<Record<string, { readonly inputs?: readonly string[]; readonly outputs?: readonly string[] }>> = {
  train: {
    inputs: ['checkpoint', 'resume', 'rewardModel', 'tasks', 'repositories'],
    outputs: ['out', 'groups', 'save'],
  },
  compare: { inputs: ['checkpoint'], outputs: ['json', 'svg', 'markdown'] },
  credit: { outputs: ['out'] },
  metrics: { outputs: ['docs'] },
  evaluate: { inputs: ['checkpoint', 'tasks', 'repositories'], outputs: ['json'] },
  truth: { inputs: ['checkpoint'], outputs: ['json'] },
  challenge: { outputs: ['json'] },
  'warm-start': { inputs: ['resume'], outputs: ['out'] },
  'reward-model': { inputs: ['checkpoint', 'resume'], outputs: ['out', 'svg'] },
  'expert-iteration': { inputs: ['checkpoint', 'verifier'] },
  exec: { outputs: ['out'] },
  problems: { outputs: ['out'] },
  import: { inputs: ['score'], outputs: ['out'] },
  doctor: { outputs: ['json'] },
  report: { outputs: ['html'] },
  reconcile: { outputs: ['json'] },
};

/** Forms of command lines that contain a rule file. */
const RULE_FILES: Readonly<Record<string, readonly string[]>> = {
  train: ['--rule=FILE', '--at=1:rule=FILE', '--set=rule=FILE'],
  compare: ['--rules=grpo-or,FILE:alpha=0.5'],
  credit: ['--rule=FILE'],
  truth: ['--rules=grpo-or,FILE'],
  challenge: ['FILE:alpha=0.5'],
};

const variants = COMMANDS.flatMap((command) =>
  ENVIRONMENT_NAMES.map((environment) => {
    const environmentArgs = 'environment' in command.flags ? ['--environment', environment] : [];
    return { name: command.name, environmentArgs, command: (args: readonly string[]) => command.as?.(args) ?? command };
  }),
);

test('every flag with a file is listed as an input or an output', () => {
  const flagsOf = new Map<string, Set<string>>();
  for (const { name, environmentArgs, command } of variants) {
    const flags = Object.entries(command(environmentArgs).flags).filter(
      ([, { placeholder }]) => placeholder === 'FILE',
    );
    for (const [flag] of flags) flagsOf.set(name, (flagsOf.get(name) ?? new Set()).add(flag));
  }
  const known = Object.entries(FLAGS).map(([name, { inputs = [], outputs = [] }]) => [name, [...inputs, ...outputs]]);
  const sorted = (entries: Iterable<readonly [string, Iterable<string>]>) =>
    Object.fromEntries([...entries].map(([name, flags]) => [name, [...flags].sort()]));
  expect(sorted(flagsOf)).toEqual(sorted(known as [string, string[]][]));
});

test('an output that is also an input is rejected by every command', async () => {
  const rule = file('rule.py', 'def credit(group):\n    return [0.0] * len(group.turns)\n');
  const pairs = variants.flatMap(({ name, environmentArgs, command }) => {
    const { inputs = [], outputs = [] } = FLAGS[name] ?? {};
    const { flags, operands } = command(environmentArgs);
    const given = [
      ...inputs.filter((flag) => flag in flags).map((flag) => `--${flag}=FILE`),
      ...(operands && operands.placeholder === 'FILE' ? ['FILE'] : []),
      ...(RULE_FILES[name] ?? []),
    ];
    const extra = operands && operands.least > 0 ? ['other'] : [];
    return given.flatMap((input) => {
      const args = [...environmentArgs, input.replace('FILE', rule), ...(input === 'FILE' ? [] : extra)];
      return outputs.map((output) => ({ name, output, args, command: command(args) }));
    });
  });
  expect(pairs.length).toBeGreaterThan(80);
  for (const { name, output, args, command } of pairs) {
    const { files } = parseArguments(command, [...args, `--${output}`, rule]);
    const terminal = { signal: new AbortController().signal, files };
    const written = withOutputs(terminal, { [output]: rule }, {}, async () => {});
    await expect(written, `${name} ${args.join(' ')} --${output}`).rejects.toThrow('is also an input of this command');
  }
});

const INPUT = 'is also an input of this command';
test.each([
  ['train --environment bandit --steps 1 --rule FILE --out FILE', INPUT],
  ['train --environment bandit --steps 1 --rule FILE --save FILE', INPUT],
  ['credit --device cpu --rule FILE --out FILE ROLLOUTS', INPUT],
  ['credit --device cpu --rule grpo-or --out ROLLOUTS ROLLOUTS', INPUT],
  ['truth --environment bandit --rules FILE --json FILE', INPUT],
  ['compare --environment bandit --rules grpo-or,FILE --svg FILE --json NEW', INPUT],
  ['challenge FILE --json FILE', INPUT],
  ['exec --out ROLLOUTS ROLLOUTS', INPUT],
  ['import --from verl --out ROLLOUTS ROLLOUTS', INPUT],
  ['evaluate --checkpoint FILE --json FILE', `${INPUT} (--checkpoint)`],
  ['evaluate --environment repair --tasks FILE --json FILE', `${INPUT} (--tasks)`],
  ['compare --json FILE --svg FILE', 'is also the file of --json'],
  ['compare --json /dev/null', 'is not a regular file; it must be one, because it is read again'],
  ['rules --docs FILE', 'cannot be created'],
])('%s is rejected, and the file is unchanged', async (line, message) => {
  const texts = {
    FILE: 'def credit(group):\n    return [0.0] * len(group.turns)\n',
    ROLLOUTS: '{"id": "a", "turns": [{"parent": -1, "reward": 0, "outcome": 1}]}\n',
  };
  const paths = {
    FILE: file('own.py', texts.FILE),
    ROLLOUTS: file('rollouts.jsonl', texts.ROLLOUTS),
    NEW: path('new'),
  };
  const args = line
    .split(' ')
    .map((argument) => argument.replace(/FILE|ROLLOUTS|NEW/, (name) => paths[name as keyof typeof paths]));
  await expectRejected(args, message);
  expect(readFileSync(paths.FILE, 'utf8')).toBe(texts.FILE);
  expect(readFileSync(paths.ROLLOUTS, 'utf8')).toBe(texts.ROLLOUTS);
  expect(readdirSync(folder).sort()).toEqual(['own.py', 'rollouts.jsonl', 'rule.py']);
});
