import { createReadStream, existsSync, statSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import type { CreditRule } from '../credit/rule.ts';
import { parseRuleParameters } from '../credit/ruleControls.ts';
import { RULES } from '../credit/rules.ts';
import { rulesHelp } from '../credit/ruleText.ts';
import { NoWebGpuError } from '../gpu/device.ts';
import { ParameterError, type ParameterValues } from '../parameters/parameters.ts';
import { defineCommand } from './command.ts';
import { type Assignment, assignCredit } from './creditRun.ts';
import { withGpu } from './device.ts';
import { EXIT, Interrupted, UsageError } from './errors.ts';
import { choice, type Flag, list, text } from './flags.ts';
import { withOutputs } from './outputs.ts';
import { openResult, type Result } from './spool.ts';
import type { Terminal } from './terminal.ts';

/** Bytes of a file that are read at once. */
const CHUNK = 1 << 20;

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
    const input = openInput(file, terminal);
    const inputs = { 'the file of rollouts': file };
    return withOutputs(terminal, { out: flags.out }, { inputs }, async ({ out }) => {
      const result = openResult(terminal, out);
      try {
        const what = { rule, parameters };
        await onDevice(flags.device, terminal, (gpu) => assign({ ...what, gpu }, input(), result, terminal));
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

/** The input, not yet opened. @throws {UsageError} for a file that is not there */
function openInput(file: string, terminal: Terminal): () => Readable {
  if (file === '-') return () => terminal.input();
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}`);
  if (statSync(file).isDirectory()) throw new UsageError(`${file} is a folder, not a file of rollouts`);
  return () => createReadStream(file, { highWaterMark: CHUNK });
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

async function assign(assignment: Assignment, input: Readable, result: Result, terminal: Terminal): Promise<void> {
  addAbortSignal(terminal.signal, input);
  try {
    await assignCredit(input, assignment, (piece) => result.write(piece), undefined, terminal.signal);
  } catch (error) {
    if (terminal.signal.aborted) throw new Interrupted();
    throw error;
  } finally {
    input.destroy();
  }
}
