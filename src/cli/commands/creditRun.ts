import { withTotals } from '../../credit/arithmetic/chains.ts';
import { creditText, FLOAT32_DIGITS } from '../../credit/explanation/creditText.ts';
import { CreditBatch } from '../../credit/gpu/creditBatch.ts';
import type { Credit, CreditRule } from '../../credit/rule.ts';
import type { CustomRules } from '../../customRules/customRules.ts';
import { formatCustomCreditLine } from '../../customRules/results.ts';
import type { Gpu } from '../../gpu/device.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { endsOf, type FlatReason, flatReason, reasonsText } from '../../rollouts/flatGroups.ts';
import type { Group } from '../../rollouts/forest.ts';
import { ForestError } from '../../rollouts/forest.ts';
import { type BatchLimits, type GroupBatch, groupBatches } from '../../rollouts/jsonLines.ts';
import { EventLoopYield } from '../framework/terminal.ts';

/** Credit rule with its parameters, on the CPU or on a GPU. */
export interface Assignment {
  readonly rule: CreditRule;
  readonly parameters: ParameterValues;
  /** GPU that computes in 32-bit floats. Absent for 64-bit floats on the CPU. */
  readonly gpu?: Pick<Gpu, 'device' | 'kernels' | 'readError'> | undefined;
  /** Sandbox that computes a custom rule. */
  readonly customRules?: CustomRules | undefined;
}

/** Number of processed groups and turns. */
export interface Counts {
  groups: number;
  turns: number;
  /** Groups without credit and their reasons. */
  readonly report: CreditReport;
}

/** Limits of a batch for the GPU: large enough for full utilization, small enough for little memory. */
export const GPU_LIMITS: BatchLimits = { turns: 1 << 16, tokens: 1 << 20, results: 1 << 20, bytes: 16 << 20 };
/** Limits of a batch that is read for the CPU, which computes one group at a time. */
const CPU_LIMITS: BatchLimits = { turns: 1 << 12, tokens: 1 << 16, results: 1 << 16, bytes: 1 << 20 };

/**
 * Largest absolute values of numbers. Squares of larger numbers, and sums of squares, can overflow in 32-bit floats
 * (gpu) or 64-bit floats (cpu).
 */
const LARGEST = { gpu: 1e15, cpu: 1e150 } as const;

/**
 * Reads groups, computes their credit in batches, and writes a line for each group in the order of the file. The next
 * batch is read while the GPU computes the current batch.
 * @param write receives text in pieces
 * @param signal stops the work between two groups
 * @throws {ForestError} for the first group that cannot be read or that the rule rejects, with line, group, turn and
 * field
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
    // CustomRules.work adds the totals to the groups of a custom rule.
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
      // The next call of finishPrevious awaits this promise. The handler prevents an unhandled rejection until then.
      working.catch(() => {});
    }
    await finishPrevious();
  } catch (error) {
    // The previous batch is earlier in the file, so its error is reported first.
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
      // A batch identifies groups by ids, which can be repeated. The CPU form finds the first group with an error.
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

/** Calls `act` for a group, and adds the line of the group to its error. */
function located<Outcome>(line: number, act: () => Outcome): Outcome {
  try {
    return act();
  } catch (error) {
    throw error instanceof ForestError ? error.at(line) : error;
  }
}

/**
 * Checks the size of the numbers of a group.
 * @throws {ForestError} for a number whose square is too large for the device's floats
 */
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

/** Counter of the groups to which a rule gives no credit, with their reasons. */
class CreditReport {
  private groups = 0;
  private zeros = 0;
  private unnoticed = 0;
  private turnRewards = false;
  private readonly reasons = new Map<FlatReason, number>();

  constructor(private readonly rule: Pick<CreditRule, 'name' | 'label' | 'rewards' | 'requiresTurnRewards'>) {}

  see(group: Group, { advantage, tokens }: Pick<Credit, 'advantage' | 'tokens'>): void {
    this.groups++;
    this.turnRewards ||= group.turns.some(({ reward }) => reward !== 0);
    const isZero = (value: number) => value === 0 || Number.isNaN(value);
    if (!advantage.every(isZero) || tokens?.advantages.some((value) => !isZero(value))) return;
    this.zeros++;
    const reason = flatReason(endsOf(group));
    if (reason) this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
    else this.unnoticed++;
  }

  /** Returns the lines of the report. The last line has the number of groups. */
  lines(): readonly string[] {
    const { name, label = name, rewards, requiresTurnRewards } = this.rule;
    const lines: string[] = [];
    if (this.unnoticed > 0) {
      const hint = rewards === 'attempts' ? ': it compares turns that continue the same turn' : '';
      const groups = this.groups === 1 ? 'the group' : `${this.unnoticed} of ${this.groups} groups`;
      lines.push(`warning: ${label} gives 0 to every turn of ${groups}, although outcomes differ${hint}`);
    }
    if (requiresTurnRewards && !this.turnRewards) {
      lines.push(
        `warning: no turn has a reward, so ${name} gives all turns of a rollout the same credit; \`import --turn-rewards COLUMN\` reads rewards of turns`,
      );
    }
    const lone = this.reasons.get('one rollout alone') ?? 0;
    const compare =
      lone > 0
        ? `; ${this.groups === 1 ? 'the group holds' : `${lone} of ${this.groups} groups hold`} one rollout: no rule that compares rollouts gives credit there`
        : '';
    const why = this.zeros > 0 ? `, ${this.zeros} without credit (${this.why()})` : '';
    lines.push(`${this.groups} group${this.groups === 1 ? '' : 's'}${why}${compare}`);
    return lines;
  }

  private why(): string {
    const unnoticed = this.unnoticed > 0 ? `${this.unnoticed} with different outcomes` : '';
    return [reasonsText(this.reasons), unnoticed].filter((part) => part !== '').join(', ');
  }
}
