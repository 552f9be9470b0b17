import type { Curve } from '../../storage/curve.ts';
import { runFileParts } from '../../storage/runFile.ts';
import type { GroupView, SavedRun } from '../../training/data/protocol.ts';
import { savedRunStrings } from '../strings/runStrings.ts';
import { strings } from '../strings/strings.ts';
import { type CurvesOf, curvesFile, groupJsonLine } from './exports.ts';

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
  const message = strings.shell.saved.group(name, group.step);
  return { name, type: 'application/jsonl', contents: groupJsonLine(group), message, isIncomplete: false };
}

function limits(messages: readonly string[], { downsampled }: Curve, lacking: string | undefined) {
  const left = downsampled ? [savedRunStrings.download.downsampled(downsampled.every, downsampled.before)] : [];
  return { message: [...messages, lacking ?? [], ...left].flat().join(' '), isIncomplete: lacking !== undefined };
}
