import type { Value } from '@turnwise/python-sandbox/types';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import { type CallResult, type Execute, type Execution, returned, same } from '../shared/execution.ts';
import { allDrafts } from './families.ts';
import { FUEL } from './programRunner.ts';
import { EASY_TESTS } from './repairSettings.ts';
import { ENTRY, type ProblemRecord, type TestRecord, type UnitTest } from './repairTasks.ts';
import { programText, tokenize } from './source.ts';
import { allChoices, candidateInputs, type Draft, parseTemplate, renderTemplate } from './template.ts';

/** Number of tests of a problem. */
export const TESTS = 10;
/** Maximum number of tests selected to catch every wrong variant. The remaining tests distribute the difficulty. */
const COVER = 6;
const QUANTILES = [0, 0.05, 0.15, 0.3, 0.5, 0.7, 0.9, 1, 0.2, 0.4, 0.6, 0.8];

/**
 * Selects tests by a kill matrix. A greedy cover first catches every wrong variant. Further candidates are then
 * distributed over the quantiles of the kill rate, including trivial ones. The result is in random order.
 * @param passed true if a wrong variant passes a candidate, [variants][candidates]; no variant passes all
 * @returns indices of candidates
 */
export function chooseTests(passed: readonly (readonly boolean[])[], random: CounterRandom): number[] {
  const candidates = passed[0].length;
  const kill = Array.from({ length: candidates }, (_, test) => share(passed, (row) => !row[test]));
  // Order by kill rate, with ties in random order.
  const shuffled = random.permutation(candidates);
  const order = shuffled.toSorted((a, b) => kill[a] - kill[b]);
  const chosen: number[] = [];

  let alive = [...passed.keys()];
  while (alive.length > 0 && chosen.length < COVER) {
    const catches = (test: number) => alive.filter((variant) => !passed[variant][test]);
    const best = order.reduce((best, test) => {
      const [more, maximum] = [catches(test).length, catches(best).length];
      return more > maximum || (more === maximum && kill[test] < kill[best]) ? test : best;
    });
    if (catches(best).length === 0) break;
    alive = alive.filter((variant) => passed[variant][best]);
    chosen.push(best);
  }
  for (const quantile of QUANTILES) {
    if (chosen.length >= Math.min(TESTS, candidates)) break;
    const distance = (test: number) => Math.abs(order.indexOf(test) / Math.max(1, candidates - 1) - quantile);
    const left = order.filter((test) => !chosen.includes(test));
    chosen.push(left.reduce((best, test) => (distance(test) < distance(best) ? test : best)));
  }
  return random.permutation(chosen.length).map((index) => chosen[index]);
}

function share<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  return items.filter(holds).length / items.length;
}

/**
 * Tests that programs pass even if they ignore the question. If every passed test has the same reward, a policy can be
 * rewarded for them without learning to solve the problem.
 */

/** Programs that ignore the question. They return a constant, or their first argument unchanged. */
const CONSTANTS: readonly Value[] = [0, [], 1, -1, null, false, true, ''];
const IGNORANT: readonly ((args: readonly Value[]) => Value)[] = [
  ...CONSTANTS.map((value) => () => value),
  (args) => args[0],
];

/**
 * Selects easy tests that are not in the suite. The tests of the program that passes the most come first, followed by
 * tests of the other programs.
 * @param candidates candidates in the order of preference
 */
export function chooseEasyTests(candidates: readonly UnitTest[], suite: readonly UnitTest[]): readonly UnitTest[] {
  const used = suite.map(({ args }) => JSON.stringify(args));
  const left = candidates.filter(({ args }) => !used.includes(JSON.stringify(args)));
  const passed = IGNORANT.map((program) => left.filter(({ args, expected }) => same(program(args), expected)));
  const sorted = passed.toSorted((a, b) => b.length - a.length);
  return [...new Set(sorted.flat())].slice(0, EASY_TESTS);
}

/** Seed of all draws of the shipped problems. */
export const PROBLEM_SEED = 11;
/** Offset of the seeds of other worlds, which keeps them distinct from the seed of the shipped world. */
const WORLD_OFFSET = 1000;
const HELD_OUT = 0.2;
/** Number of wrong variants in a kill matrix. */
const VARIANTS = 48;
/** Integers from this value on are not part of tests, because feedback shows them as BIG. */
const LARGEST = 1e6;
/** Number of problems whose programs run as one batch. */
const BATCH = 32;
/** Index of the split's draws in the stream of the problems' draws. */
const SPLIT = 0xffffffff;

/** Returns the seed of a world's draws (setting worldSeed). */
export function problemSeed(world: number): number {
  return world === 0 ? PROBLEM_SEED : WORLD_OFFSET + world;
}

/**
 * Creates every problem's tests by running Python, and splits prompts into training and held-out. The seed determines
 * all results.
 * @param progress called with the number of finished problems
 * @throws {Error} if no inputs distinguish a problem's wrong programs from the right one; the message names the problem
 */
export async function recordProblems(
  execute: Execute,
  seed = PROBLEM_SEED,
  progress: (done: number, all: number) => void = () => {},
): Promise<readonly ProblemRecord[]> {
  const drafts = allDrafts();
  const heldOut = heldOutPrompts(drafts, seed);
  const records: ProblemRecord[] = [];
  for (let first = 0; first < drafts.length; first += BATCH) {
    const batch = drafts.slice(first, first + BATCH).map((draft, index) => kills(draft, first + index, seed));
    const results = await execute(batch.flatMap(({ executions }) => executions));
    let next = 0;
    for (const { draft, inputs, executions, random } of batch) {
      const [right, ...wrong] = results.slice(next, next + executions.length);
      next += executions.length;
      const { tests, easy } = testsOf(draft, inputs, right, wrong, random);
      const isReserved = heldOut.has(promptKey(draft));
      records.push({
        words: draft.promptTerms.join(' '),
        signature: draft.signature,
        heldOut: isReserved,
        tests,
        easy,
      });
    }
    progress(records.length, drafts.length);
  }
  return records;
}

/** Formats the file of records: JSON with one problem per line. */
export function recordsText(records: readonly ProblemRecord[]): string {
  return `[\n${records.map((record) => JSON.stringify(record)).join(',\n')}\n]\n`;
}

/** Returns the programs for a problem's kill matrix, with the right program first. */
function kills(draft: Draft, id: number, seed: number) {
  const random = new CounterRandom(seed, STREAMS.world, id);
  const template = parseTemplate(draft.template);
  const literals = [...new Set(draft.promptTerms.filter((term) => /^\d+$/.test(term)).map(Number))].sort(
    (a, b) => a - b,
  );
  const inputs = candidateInputs(draft.signature, random, literals);
  const [right, ...wrong] = allChoices(template);
  const variants = random.permutation(wrong.length).slice(0, VARIANTS);
  const executions = [right, ...variants.map((index) => wrong[index])].map((choice): Execution => {
    const program = programText(tokenize(renderTemplate(template, choice)), draft.signature, ENTRY);
    return { program, entry: ENTRY, inputs, fuel: FUEL };
  });
  return { draft, inputs, executions, random };
}

function testsOf(
  draft: Draft,
  inputs: Execution['inputs'],
  right: readonly CallResult[],
  wrong: readonly (readonly CallResult[])[],
  random: CounterRandom,
): Pick<ProblemRecord, 'tests' | 'easy'> {
  const visited = new Set<string>();
  const candidates = inputs.flatMap((args, call): (UnitTest & { readonly call: number })[] => {
    const result = right[call];
    const key = JSON.stringify(args);
    if (!('value' in result) || !isShort(result.value) || visited.has(key)) return [];
    visited.add(key);
    return [{ args, expected: result.value, call }];
  });
  const rows = wrong
    .map((results) => candidates.map(({ call, expected }) => returned(results[call], expected)))
    .filter((row) => row.includes(false));
  if (rows.length === 0) {
    throw new Error(`no input distinguishes a wrong program for "${draft.promptTerms.join(' ')}" from the right one`);
  }
  const tests = chooseTests(rows, random).map((index) => candidates[index]);
  return { tests: tests.map(testRecord), easy: chooseEasyTests(candidates, tests).map(testRecord) };
}

function testRecord({ args, expected }: UnitTest): TestRecord {
  return [...args, expected];
}

/** Returns true if a value fits into a test: whole numbers, texts, truth values and lists of them. */
function isShort(value: Value): boolean {
  if (Array.isArray(value)) return value.every(isShort);
  if (typeof value === 'number') return Math.abs(value) < LARGEST;
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}

function promptKey({ promptTerms, signature }: Draft): string {
  return `${promptTerms.join(' ')} ${signature}`;
}

/**
 * Draws the prompts that are excluded from training: a share of each family's prompts. Problems with the same words are
 * in the same split.
 */
function heldOutPrompts(drafts: readonly Draft[], seed: number): ReadonlySet<string> {
  const random = new CounterRandom(seed, STREAMS.world, SPLIT);
  const reserved = new Set<string>();
  for (const family of new Set(drafts.map((draft) => draft.family))) {
    const prompts = [...new Set(drafts.filter((draft) => draft.family === family).map(promptKey))].sort();
    const expected = Math.floor(prompts.length * HELD_OUT + random.next());
    const count = prompts.length < 4 ? Math.min(expected, prompts.length - 1) : expected;
    for (const index of random.permutation(prompts.length).slice(0, count)) reserved.add(prompts[index]);
  }
  return reserved;
}
