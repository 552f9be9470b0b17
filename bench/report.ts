import type { CreditCost } from './creditCost.ts';
import type { Comparison, StepFigures } from './jax.ts';
import type { Paired } from './measure.ts';
import type { PhaseFigures } from './phases.ts';
import type { KernelTime } from './profile.ts';
import type { UpdateFigures } from './turnwise.ts';

/** Measurements of a run of the benchmark, which `--json` writes. */
export interface BenchmarkReport {
  readonly adapter: string;
  /** File of the policy from which all measurements start. */
  readonly checkpoint: string;
  readonly quick: boolean;
  readonly update: UpdateFigures;
  /** Number of sequences in a training step of the comparison. */
  readonly sequences?: number;
  readonly comparison?: Comparison;
  /** Largest relative difference of loss and gradient norm between the two sides. */
  readonly disagreement?: number;
  readonly kernels?: readonly KernelTime[];
  readonly credit?: CreditCost;
}

const formatInteger = (value: number) => Math.round(value).toLocaleString('en-US');
const times = (value: number) => `${value.toFixed(1)} times`;

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  ');
  return rows.map(line).join('\n');
}

function updateTable(update: UpdateFigures): string {
  const { counts } = update;
  const training = counts.update.dispatches - counts.generation.dispatches;
  return table([
    [`an update of ${update.rollouts} rollouts`, 'ms', 'tokens', 'tokens/s', 'dispatches'],
    [
      'generation, environment included',
      formatInteger(update.generateMs),
      formatInteger(update.generatedTokens),
      formatInteger(update.generatedPerSecond),
      `${counts.generation.dispatches}`,
    ],
    [
      'training',
      formatInteger(update.trainMs),
      formatInteger(update.trainedTokens),
      formatInteger(update.trainedPerSecond),
      `${training}`,
    ],
    ['together', formatInteger(update.updateMs), '', '', `${counts.update.dispatches}`],
  ]);
}

/** Formats the time [ms] and the share of each phase of an update. */
export function phaseTable(phases: PhaseFigures, unit: 'turns' | 'programs' | 'rollouts', count: number): string {
  const { stepMs, creditMs, optimizationMs, restMs, encodeMs, cpuMs } = phases;
  const row = (name: string, ms: number) => [name, ms.toFixed(ms < 10 ? 2 : 0), `${((100 * ms) / stepMs).toFixed(1)}%`];
  const timed = creditMs !== null && optimizationMs !== null;
  const gpu = timed ? [row('credit', creditMs), row('optimisation', optimizationMs)] : [];
  const rest = timed ? 'CPU and transfers' : 'credit and optimisation (no timestamps here)';
  return [
    table([
      [`an update of ${formatInteger(count)} ${unit}`, 'ms', 'share'],
      row('generation', phases.generationMs),
      row('execution (waiting for programs)', phases.executionMs),
      ...gpu,
      row(rest, restMs),
      row('together', stepMs),
    ]),
    `Medians over ${phases.updates} updates, ${phases.updatesPerSecond.toFixed(2)} a second; the CPU packs and records an ` +
      `update in ${encodeMs.toFixed(1)} ms.${cpuMs === null ? '' : ` Processor time of an update: ${formatInteger(cpuMs)} ms.`}`,
  ].join('\n');
}

/** Formats the time of an update under a rule and under another rule. */
export function againstLine(
  { ours, theirs, ratio }: Paired,
  { rule, against, rounds }: { readonly rule: string; readonly against: string; readonly rounds: number },
): string {
  const times = `${formatInteger(theirs)} ms under ${rule}, ${formatInteger(ours)} ms under ${against}: ${ratio.toFixed(2)} times as long`;
  return `An update takes ${times}.\nMedians over ${rounds} alternating rounds of the same rollouts; both rules compute every turn.`;
}

function comparisonTable(
  { step, generation, jax, ratios }: Comparison,
  sequences: number,
  rollouts: number,
  disagreement: number,
): string {
  const dispatches = ({ counts }: StepFigures) => `${counts.dispatches} (${counts.submissions})`;
  const rows = table([
    ['on the same work, alternating', 'turnwise', `jax-js`, 'ratio'],
    [
      `training step of ${sequences} sequences, ms`,
      formatInteger(step.ms),
      formatInteger(jax.step.ms),
      times(ratios.training),
    ],
    ['  tokens/s', formatInteger(step.tokensPerSecond), formatInteger(jax.step.tokensPerSecond), ''],
    ['  dispatches (submissions, read-back included)', dispatches(step), dispatches(jax.step), ''],
    [
      `generation of ${rollouts} rollouts, ms`,
      formatInteger(generation.ms),
      formatInteger(jax.generation.ms),
      times(ratios.generation),
    ],
    ['  tokens/s', formatInteger(generation.tokensPerSecond), formatInteger(jax.generation.tokensPerSecond), ''],
    [
      '  dispatches a token position',
      generation.dispatchesPerPosition.toFixed(1),
      jax.generation.dispatchesPerPosition.toFixed(1),
      '',
    ],
  ]);
  return [
    rows,
    'Ratios are medians over rounds in which both sides ran in sequence.',
    'Tokens are those of real sequences. turnwise packs them; jax-js runs ' +
      `${formatInteger(jax.step.paddedTokens)} padded positions per training step and continues after a stop token.`,
    `Loss and gradient norm of the first ${step.trace.length} steps differ by at most ${disagreement.toExponential(1)}.`,
  ].join('\n');
}

function kernelTable(kernels: readonly KernelTime[]): string {
  const total = kernels.reduce((sum, { ms }) => sum + ms, 0);
  const share = (ms: number) => `${((100 * ms) / total).toFixed(1)}%`;
  const sums = new Map<string, { ms: number; dispatches: number }>();
  for (const { phase, kernel, ms, dispatches } of kernels) {
    const name = `${phase}: ${kernel}`;
    const sum = sums.get(name) ?? { ms: 0, dispatches: 0 };
    sums.set(name, { ms: sum.ms + ms, dispatches: sum.dispatches + dispatches });
  }
  const byKernel = [...sums].sort(([, a], [, b]) => b.ms - a.ms);
  return [
    table([
      ['kernel', 'share', 'ms', 'dispatches'],
      ...byKernel.map(([name, { ms, dispatches }]) => [name, share(ms), ms.toFixed(1), `${dispatches}`]),
    ]),
    table([
      ['by size', 'workgroups', 'share', 'ms', 'dispatches'],
      ...kernels
        .slice(0, 20)
        .map(({ phase, kernel, workgroups, ms, dispatches }) => [
          `${phase}: ${kernel}`,
          workgroups,
          share(ms),
          ms.toFixed(1),
          `${dispatches}`,
        ]),
    ]),
  ].join('\n\n');
}

function creditLine({ rule, kernelMs, hostMs, share }: CreditCost): string {
  return (
    `Credit by ${rule}: ${kernelMs.toFixed(2)} ms of kernels and ${hostMs.toFixed(2)} ms on the CPU, ` +
    `${(100 * share).toFixed(2)}% of an update.`
  );
}

/** Formats the report as text. */
export function describe(report: BenchmarkReport): string {
  const { adapter, checkpoint, update, sequences, comparison, disagreement, kernels, credit } = report;
  const phases = phaseTable(update.phases, 'rollouts', update.rollouts);
  const parts = [`${adapter}; ${checkpoint}`, updateTable(update), phases];
  if (comparison && sequences !== undefined && disagreement !== undefined) {
    parts.push(comparisonTable(comparison, sequences, update.rollouts, disagreement));
  }
  if (kernels) parts.push(kernelTable(kernels));
  if (credit) parts.push(creditLine(credit));
  return parts.join('\n\n');
}
