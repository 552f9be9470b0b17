import { addAbortSignal } from 'node:stream';
import type { CreditRule } from '../../credit/rule.ts';
import { RULES } from '../../credit/rules.ts';
import { parseRuleParameters } from '../../credit/telling/ruleControls.ts';
import { rulesHelp } from '../../credit/telling/ruleText.ts';
import { NoWebGpuError } from '../../gpu/device.ts';
import { ParameterError, type ParameterValues } from '../../parameters/parameters.ts';
import { ForestError } from '../../rollouts/forestError.ts';
import { defineCommand } from '../framework/command.ts';
import { withGpu } from '../framework/device.ts';
import { EXIT, Interrupted, UsageError } from '../framework/errors.ts';
import { choice, type Flag, list, text } from '../framework/flags.ts';
import { bytesOf, type Input, inputOf } from '../framework/inputs.ts';
import type { Terminal } from '../framework/terminal.ts';
import { withOutputs } from '../output/outputs.ts';
import { openResult, type Result } from '../output/spool.ts';
import { type Assignment, assignCredit } from './creditRun.ts';

const NAMES = RULES.map(({ name }) => name);

type Entry = readonly [name: string, value: string];

const SET: Flag<readonly (readonly Entry[])[]> = list(
  'NAME=VALUE',
  "The rule's parameters, listed below; a list has commas: intra=4,8.",
  // A comma before another NAME= ends a value; other commas belong to it.
  (given) =>
    given.split(/,(?=\s*\w+\s*=)/).map((part): Entry => {
      const match = /^\s*(\w+)\s*=\s*(.*?)\s*$/s.exec(part);
      if (!match) throw new UsageError(`"${part}" is not NAME=VALUE`);
      return [match[1], match[2]];
    }),
);

/** Works out the credit of rollouts in a file. */
export const creditCommand = defineCommand({
  name: 'credit',
  summary: 'work out which turn of your rollouts earned which credit, by any rule',
  description:
    'Reads groups of rollouts as JSON Lines, one group a line: {"id": "a", "turns": [{"parent": -1, "reward": 0.5}, ' +
    '...]}. Writes a line for each, in the same order: its id, the advantage of each turn (null where the rule pruned ' +
    'it), and the intermediate values of the rule; rules for tokens write advantages and returns, a list a turn. ' +
    'Everything is written at the end, or nothing where a line is wrong. A file may be larger than the memory.',
  operands: {
    placeholder: 'FILE',
    help: 'Groups of rollouts as JSON Lines; - for standard input.',
    least: 1,
    most: 1,
  },
  flags: {
    rule: { ...choice('The credit rule.', NAMES, NAMES[0]), fallback: undefined } as Flag<string | undefined>,
    set: SET,
    profile: text('NAME', 'Whose constants normalise a group: the same as --set profile=NAME.'),
    device: {
      ...choice(
        'Where to work it out: gpu in 32-bit floats, cpu in 64. Without it the GPU, or the CPU where there is none.',
        ['gpu', 'cpu'],
        'gpu',
      ),
      fallback: undefined,
    } as Flag<'gpu' | 'cpu' | undefined>,
    out: text('FILE', 'Where the lines go; without it, to standard output.'),
  },
  parameters: [],
  notes: () => rulesHelp(RULES),
  examples: [
    '--rule mt-grpo rollouts.jsonl',
    '--rule mt-grpo --set alpha=0.5 --profile trl --out credit.jsonl rollouts.jsonl',
    '--rule grpo-or --device cpu - < rollouts.jsonl',
  ],
  async run({ flags, operands: [file] }, terminal) {
    const rule = RULES.find(({ name }) => name === flags.rule);
    if (!rule) throw new UsageError(`--rule is missing: one of ${NAMES.join(', ')}`);
    const parameters = readParameters(rule, flags.set.flat(), flags.profile);
    const input = inputOf(file, 'a file of rollouts', terminal);
    const inputs = { 'the file of rollouts': file };
    return withOutputs(terminal, { out: flags.out }, { inputs }, async ({ out }) => {
      const result = openResult(terminal, out);
      try {
        const what = { rule, parameters };
        await onDevice(flags.device, terminal, (gpu) => assign({ ...what, gpu }, input, result, terminal));
        if (terminal.signal.aborted) throw new Interrupted();
        await result.deliver();
      } finally {
        result.discard();
      }
      return EXIT.done;
    });
  },
});

/** @throws {UsageError} for a parameter that the rule lacks, a value out of range, or one that is given twice */
function readParameters(rule: CreditRule, set: readonly Entry[], profile: string | undefined): ParameterValues {
  const known = rule.parameters.map(({ name }) => name);
  const given = [
    ...set.map((entry) => ({ entry, flag: '--set' })),
    ...(profile === undefined ? [] : [{ entry: ['profile', profile] as const, flag: '--profile' }]),
  ];
  given.forEach(({ entry: [name], flag }, index) => {
    if (!known.includes(name)) {
      throw new UsageError(`${flag}: ${rule.name} has no parameter "${name}"; known: ${known.join(', ') || 'none'}`);
    }
    const before = given.slice(0, index).find(({ entry: [other] }) => other === name);
    if (before) throw new UsageError(`${flag}: ${name} is given twice`);
  });
  try {
    return parseRuleParameters(rule, Object.fromEntries(given.map(({ entry }) => entry)));
  } catch (error) {
    if (error instanceof ParameterError) throw new UsageError(`--set for ${rule.name}: ${error.message}`);
    throw error;
  }
}

/** Works on the device that was asked for; on the CPU where none was and there is no GPU. */
async function onDevice(
  device: 'gpu' | 'cpu' | undefined,
  terminal: Terminal,
  work: (gpu: Assignment['gpu']) => Promise<void>,
): Promise<void> {
  if (device === 'cpu') return work(undefined);
  try {
    await withGpu(terminal, work);
  } catch (error) {
    if (device === 'gpu' || !(error instanceof NoWebGpuError)) throw error;
    terminal.err(`${error.message}\nthe CPU works it out, in 64-bit floats\n`);
    await work(undefined);
  }
}

async function assign(assignment: Assignment, input: Input, result: Result, terminal: Terminal): Promise<void> {
  const stream = input.open();
  addAbortSignal(terminal.signal, stream);
  try {
    const bytes = bytesOf(input.name, stream);
    const { groups } = await assignCredit(
      bytes,
      assignment,
      (piece) => result.write(piece),
      undefined,
      terminal.signal,
    );
    if (groups === 0) throw new ForestError({}, 'has no groups');
  } catch (error) {
    if (terminal.signal.aborted) throw new Interrupted();
    throw error instanceof ForestError ? error.of(input.name) : error;
  } finally {
    stream.destroy();
  }
}
