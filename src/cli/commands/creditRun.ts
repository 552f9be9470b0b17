import { creditText, FLOAT32_DIGITS } from '../../credit/explanation/creditText.ts';
import { CreditBatch } from '../../credit/gpu/creditBatch.ts';
import type { Credit, CreditRule } from '../../credit/rule.ts';
import { withTotals } from '../../credit/totals.ts';
import { formatCustomCreditLine } from '../../customRules/customCreditLine.ts';
import type { CustomRules } from '../../customRules/customRules.ts';
import type { Gpu } from '../../gpu/device.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { Group } from '../../rollouts/forest.ts';
import { ForestError } from '../../rollouts/forestError.ts';
import { type BatchLimits, type GroupBatch, groupBatches } from '../../rollouts/groupStream.ts';
import { EventLoopYield } from '../output/eventLoopYield.ts';
import { CreditReport } from './creditReport.ts';

/** One rule with its parameters, on the CPU or on a GPU. */
export interface Assignment {
  readonly rule: CreditRule;
  readonly parameters: ParameterValues;
  /** Absent for the float64 form on the CPU. */
  readonly gpu?: Pick<Gpu, 'device' | 'kernels' | 'readError'> | undefined;
  /** The sandbox that computes a custom rule. */
  readonly customRules?: CustomRules | undefined;
}

/** Number of processed groups and turns. */
export interface Counts {
  groups: number;
  turns: number;
  /** Groups without credit and their reasons. */
  readonly report: CreditReport;
}

/** A batch for the GPU: large enough to keep it busy, small enough to stay small in memory. */
export const GPU_LIMITS: BatchLimits = { turns: 1 << 16, tokens: 1 << 20, results: 1 << 20, bytes: 16 << 20 };
/** On the CPU the groups are processed individually, whatever the limits are. */
const CPU_LIMITS: BatchLimits = { turns: 1 << 12, tokens: 1 << 16, results: 1 << 16, bytes: 1 << 20 };

/** Above these, squares of 32-bit and 64-bit floats and sums of them may overflow. */
const LARGEST = { gpu: 1e15, cpu: 1e150 } as const;

/**
 * Reads groups, computes their credit batch by batch, and writes a line for each group in the order of the file. The
 * next batch is read while the GPU computes the current one.
 * @param write takes text in pieces
 * @param signal stops the work between two groups
 * @throws {ForestError} for the first group that cannot be read or that the rule refuses, naming line, group, turn and
 *   field
 */
export async function assignCredit(
  chunks: AsyncIterable<Uint8Array>,
  { rule, parameters, gpu, customRules }: Assignment,
  write: (text: string) => void,
  limits: BatchLimits = gpu ? GPU_LIMITS : CPU_LIMITS,
  signal?: AbortSignal,
): Promise<Counts> {
  const report = new CreditReport(rule);
  const counts: Counts = { groups: 0, turns: 0, report };
  const device = gpu && new CreditBatch(gpu, rule);
  const work = async (read: GroupBatch): Promise<BatchResult> => {
    // The sandbox prepares groups for user rules.
    const batch = customRules ? read : { ...read, groups: read.groups.map((group) => withTotals(rule, group)) };
    if (customRules) await inSandbox(customRules, rule, batch);
    if (!device) return { batch, credits: undefined };
    return { batch, credits: await onGpu(device, batch, parameters) };
  };
  const turns = new EventLoopYield(signal);
  const finish = async ({ batch, credits }: BatchResult) => {
    for (const [index, group] of batch.groups.entries()) {
      await turns.pause();
      located(batch.lines[index], () => {
        if (!credits) checkSize(group, 'cpu');
        const credit = credits?.[index] ?? rule.credit(group, parameters);
        report.see(customRules ? withTotals(rule, group) : group, credit);
        if (customRules) return write(formatCustomCreditLine(rule.name, group));
        for (const piece of creditText(rule, group, credit, credits && FLOAT32_DIGITS)) write(piece);
      });
      counts.groups++;
      counts.turns += group.turns.length;
    }
  };
  let working: Promise<BatchResult> | undefined;
  const finishPrevious = async () => {
    const previous = working;
    working = undefined;
    if (previous) await finish(await previous);
  };
  try {
    for await (const batch of groupBatches(chunks, limits)) {
      await finishPrevious();
      working = work(batch);
      // It is awaited behind the next reading; until then its failure is not lost.
      working.catch(() => {});
    }
    await finishPrevious();
  } catch (error) {
    // Errors that come earlier in the file are reported first.
    await finishPrevious();
    throw error;
  } finally {
    device?.destroy();
  }
  const failure = gpu?.readError();
  if (failure !== undefined) throw new Error(`the GPU reports: ${failure}`);
  return counts;
}

interface BatchResult {
  readonly batch: GroupBatch;
  /** Absent if the CPU computes the credits. */
  readonly credits: readonly Credit[] | undefined;
}

async function inSandbox(customRules: CustomRules, { name }: CreditRule, { groups, lines }: GroupBatch): Promise<void> {
  try {
    await customRules.work(name, groups);
  } catch (error) {
    const index = error instanceof ForestError ? groups.findIndex(({ id }) => id === error.group) : -1;
    throw index >= 0 && error instanceof ForestError ? error.at(lines[index]) : error;
  }
}

async function onGpu(
  device: CreditBatch,
  { groups, lines }: GroupBatch,
  parameters: ParameterValues,
): Promise<readonly Credit[]> {
  try {
    for (const group of groups) checkSize(group, 'gpu');
    return await device.run(groups, parameters);
  } catch (error) {
    if (error instanceof ForestError) {
      // A batch knows groups by their ids, which several may share; the CPU form finds the first wrong one.
      groups.forEach((group, index) => {
        located(lines[index], () => {
          checkSize(group, 'gpu');
          device.rule.credit(group, parameters);
        });
      });
      const index = groups.findIndex(({ id }) => id === error.group);
      throw index < 0 ? error : error.at(lines[index]);
    }
    if (!(error instanceof RangeError) || groups.length > 1) throw error;
    const problem = `too large for the GPU (${error.message}); use --device cpu`;
    throw new ForestError({ line: lines[0], group: groups[0].id }, problem);
  }
}

/** Does something for a group; what is wrong with it gets its line. */
function located<Outcome>(line: number, act: () => Outcome): Outcome {
  try {
    return act();
  } catch (error) {
    throw error instanceof ForestError ? error.at(line) : error;
  }
}

/** @throws {ForestError} for a number whose square is too large for the device's floats */
function checkSize({ id, turns }: Group, device: keyof typeof LARGEST): void {
  const limit = LARGEST[device];
  const refuse = (turn: number, field: string, value: number): never => {
    const advice = device === 'gpu' ? "the GPU's 32-bit floats; --device cpu has 64 bits" : '64-bit floats';
    throw new ForestError({ group: id, turn, field }, `${value} is beyond ${limit}, too large for ${advice}`);
  };
  turns.forEach(({ reward, outcome = 0, values }, turn) => {
    if (Math.abs(reward) > limit) refuse(turn, 'reward', reward);
    if (Math.abs(outcome) > limit) refuse(turn, 'outcome', outcome);
    const large = values?.find((value) => Math.abs(value) > limit);
    if (large !== undefined) refuse(turn, 'values', large);
  });
}
