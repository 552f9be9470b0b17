import { ENVIRONMENTS } from '../../environments/registry.ts';
import { UNITS } from '../../metrics/metric.ts';
import { csvColumns, csvMetric, csvReader } from '../../metrics/metricTable.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { groupId, groupUpdate } from '../../rollouts/rolloutBatch.ts';
import type { Curve } from '../../storage/curve.ts';
import { runFileParts } from '../../storage/runFile.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { DownsampledUpdates, GroupView, Metrics, RolloutView, SavedRun } from '../../training/data/protocol.ts';
import { tablesFor } from '../address/pageTables.ts';
import { DEFAULT_VIEW, writeUrl } from '../address/url.ts';
import { textOf, writtenTokens } from '../inspector/inspected.ts';
import { describeRun } from '../session/naming.ts';
import type { RunModel } from '../session/runModel.ts';
import { columnNotes, savedRunStrings } from '../strings/runStrings.ts';
import { strings } from '../strings/strings.ts';

/** Curve of a run in a file. If storage cannot read it, the curve has only the updates of the page. */
export interface FileCurve<Known extends Curve | undefined = Curve> {
  readonly curve: Known;
  /** Reason why storage could not return the complete curve. Absent if the curve is complete. */
  readonly lacking?: string;
}

export interface RunFile {
  readonly name: string;
  readonly type: string;
  readonly contents: string | string[];
  /** Description of the file and of the missing updates. */
  readonly message: string;
  /** True if the file lacks updates that storage could not return. */
  readonly isIncomplete: boolean;
}

/** Returns the file of a run. @param late explanation for a state that is not the present one */
export function runFile(saved: SavedRun, { curve, lacking }: FileCurve, late?: string): RunFile {
  const { downsampled: _, ...state } = saved;
  const downsampled = curve.downsampled && { downsampled: curve.downsampled };
  const { controls, seed } = saved.configuration;
  const name = `turnwise-${controls.rule}-seed-${seed}-step-${saved.step}.json`;
  const contents = runFileParts({ ...state, metrics: curve.rows, ...downsampled });
  const messages = [strings.shell.saved.run(name), late ?? []].flat();
  return { name, type: 'application/json', contents, ...limits(messages, curve, lacking) };
}

/** Returns a CSV file with the curves of the runs, or undefined if there is no run. */
export function runCurvesFile(
  runs: readonly (FileCurve & { readonly run: Pick<CurvesOf, 'configuration' | 'link' | 'appliedEvents'> })[],
): RunFile | undefined {
  const [first, ...additional] = runs.map(({ run, curve }) => ({
    ...run,
    metrics: curve.rows,
    downsampled: curve.downsampled,
  }));
  const curve = (runs.find((run) => run.curve.downsampled) ?? runs[0])?.curve;
  if (!first || !curve) return undefined;
  const name = 'turnwise-curves.csv';
  const rows = runs.reduce((sum, run) => sum + run.curve.rows.length, 0);
  const lacking = runs.find((run) => run.lacking)?.lacking;
  const message = strings.shell.saved.curves(name, rows);
  return { name, type: 'text/csv', contents: curvesFile(first, additional), ...limits([message], curve, lacking) };
}

export function groupFile(group: GroupView): RunFile {
  const name = 'turnwise-group.jsonl';
  const message = strings.shell.saved.group(name, groupUpdate(group));
  return { name, type: 'application/jsonl', contents: groupJsonLine(group), message, isIncomplete: false };
}

function limits(messages: readonly string[], { downsampled }: Curve, lacking: string | undefined) {
  const left = downsampled ? [savedRunStrings.download.downsampled(downsampled.every, downsampled.before)] : [];
  return { message: [...messages, lacking ?? [], ...left].flat().join(' '), isIncomplete: lacking !== undefined };
}

/** Data of one run in a table of curves. */
export type CurvesOf = Pick<RunModel, 'configuration' | 'link' | 'appliedEvents' | 'metrics'> & {
  /** Downsampling: the updates that `metrics` leaves out. Undefined if `metrics` is complete. */
  readonly downsampled?: DownsampledUpdates | undefined;
};

/**
 * Returns the curves of a run as a CSV file: notes on the run and on the columns, then the table. For several runs, the
 * first column is the number of the run, from 1, and the notes on a run begin with this number.
 * @param additional further runs of the same environment
 */
export function curvesFile(run: CurvesOf, additional: readonly CurvesOf[] = []): string {
  const { environment } = run.configuration;
  const texts = columnNotes;
  const runs = [run, ...additional];
  const several = additional.length > 0;
  const all = runs.flatMap(({ metrics }) => metrics);
  const notes = [
    texts.title,
    ...runs.flatMap((source, index) => notesOn(source).map((note) => (several ? texts.ofRun(index + 1, note) : note))),
    ...(several ? [texts.runColumn] : []),
    ...csvColumns(all).map((column) => texts.column(column, ...noteOf(environment, column))),
  ];
  const table = several ? severalCsv(runs.map(({ metrics }) => metrics)) : curvesCsv(run.metrics);
  return `${notes.map((note) => `# ${note.replace(/\s+/g, ' ')}\n`).join('')}${table}`;
}

function notesOn({ configuration, link, appliedEvents, metrics, downsampled }: CurvesOf): string[] {
  const { environment, settings, controls } = configuration;
  const { rewards, training, ruleParameters } = tablesFor(environment);
  const rules = new Set([controls.rule, ...metrics.map(({ rule }) => rule)].map(String));
  const ofRules = [...rules].flatMap((rule) => ruleParameters[rule] ?? []);
  const names = new Set(['rule', ...[...ofRules, ...rewards, ...training].map(({ name }) => name)]);
  const list = (values: ParameterValues, selected: Iterable<string>) =>
    [...selected].map((name) => `${name}=${values[name] ?? ''}`).join(' ');
  const texts = columnNotes;
  return [
    texts.run(describeRun(configuration, appliedEvents)),
    texts.link(writeUrl(link, DEFAULT_VIEW)),
    texts.settings(list(settings, Object.keys(settings))),
    texts.controls(list(controls, names)),
    ...appliedEvents.map(({ step, text }) => texts.change(step, text)),
    ...(downsampled ? [texts.downsampled(downsampled.every, downsampled.before)] : []),
  ];
}

/** Returns the unit and meaning of a column. Both are empty for a column of a newer version of the page. */
function noteOf(environment: EnvironmentName, column: string): readonly [unit: string, meaning: string] {
  const { metric, part } = csvMetric(column);
  if (metric?.name === 'facts' || metric?.name === 'heldOut') {
    const definition = ENVIRONMENTS[environment][metric.name].find(({ name }) => name === part);
    if (!definition) return ['', ''];
    return [UNITS[definition.format], metric.name === 'facts' ? definition.help : columnNotes.heldOut(definition.help)];
  }
  return metric ? [UNITS[metric.unit], metric.help] : ['', ''];
}

/**
 * Returns all metrics of each step as CSV. Reward components, environment metrics and held-out metrics are separate
 * columns: `component:right`, `fact:pass1`, `heldOut:iter1`.
 */
export function curvesCsv(metrics: readonly Metrics[]): string {
  const header = csvColumns(metrics);
  const readers = header.map(csvReader);
  const rows = metrics.map((row) => readers.map((read) => read(row)));
  return [header, ...rows].map((row) => `${row.map(csvCell).join(',')}\n`).join('');
}

/** Returns the metrics of several runs as CSV. The first column is the number of the run, from 1. */
function severalCsv(runs: readonly (readonly Metrics[])[]): string {
  const header = csvColumns(runs.flat());
  const readers = header.map(csvReader);
  const rows = runs.flatMap((metrics, index) => metrics.map((row) => [index + 1, ...readers.map((read) => read(row))]));
  return [['run', ...header], ...rows].map((row) => `${row.map(csvCell).join(',')}\n`).join('');
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns a group as one line of JSON: for each turn the input of the credit rules, its text and its advantages. */
export function groupJsonLine(group: GroupView): string {
  const { step, question, rule, sampleOnly, forest } = group;
  const details = new Map(group.rollouts.flatMap(describeTurns));
  const turns = forest.turns.map((turn, index) => ({ ...turn, ...details.get(index) }));
  return `${JSON.stringify({ id: groupId(step, group.group), question, rule, step, sampleOnly, turns })}\n`;
}

/**
 * Returns the fields of each turn that the credit rules do not read, by the index of the turn in the forest.
 */
function describeTurns(rollout: RolloutView): [forestTurn: number, description: object][] {
  return rollout.turns.map(({ forestTurn, reward: _, advantage, outcomeOnlyAdvantage, ...details }, index) => {
    const tokens = writtenTokens(rollout, index);
    return [
      forestTurn,
      {
        ...details,
        // JSON has no NaN: a pruned turn has no advantage, and outcome-only credit has no values for trees.
        ...(Number.isNaN(advantage) ? {} : { advantage }),
        ...(Number.isNaN(outcomeOnlyAdvantage) ? {} : { outcomeOnlyAdvantage }),
        ...(tokens[0]?.advantage === undefined ? {} : { tokenAdvantages: tokens.map((token) => token.advantage) }),
        tokenTexts: tokens.map(({ text, kind }) => ({ text, kind })),
        text: textOf(tokens),
      },
    ];
  });
}
