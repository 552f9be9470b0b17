import { type RunConfiguration, WGSL } from '../training/data/configuration.ts';
import { engineName } from '../training/data/configurationTables.ts';
import {
  type DeviceDescription,
  type GroupView,
  type Metrics,
  MOST_LANES,
  type RolloutView,
  type RunEvent,
  type TokenView,
} from '../training/data/protocol.ts';
import { columnsOf, type MetricColumns, rowsOf } from './metricColumns.ts';
import { type Packed, pack, unpack } from './packJson.ts';
import { expectEntries, expectObject, readConfiguration, readEvents } from './savedRun.ts';

/** A run as it is played back where nothing can be trained: its curves, what happened, and some of its groups. */
export interface RecordedRun {
  readonly configuration: RunConfiguration;
  readonly device: DeviceDescription;
  /** One an update, from step 0 on. */
  readonly metrics: readonly Metrics[];
  readonly events: readonly RunEvent[];
  /** In the order of their steps. */
  readonly groups: readonly GroupView[];
}

/** Runs that are played beside one another, at most MOST_LANES: in one world, with as many updates each. */
export type Recording = readonly [RecordedRun, ...RecordedRun[]];

/** A file that is no recording, or one of another version. */
class RecordingError extends Error {
  override readonly name = 'RecordingError';
}

const FORMAT = 'turnwise-recording';
/** 1: the fields of one run stand in the file itself. 2: `runs` has those of each. */
const ONE_RUN = 1;
const SEVERAL_RUNS = 2;
/** Digits of a number that is shown with two or three. */
const DIGITS = 4;
/** Places behind the point of log-probabilities and entropies, as the page shows them. */
const PLACES = 2;

/** Tokens of a sequence as columns; the last three have an entry for each token that the policy wrote. */
interface PackedTokens {
  /** Places in the list of words. */
  readonly words: readonly number[];
  /** [turn, count, turn, count, ...] */
  readonly turns: readonly number[];
  readonly logProb: readonly (number | null)[];
  readonly entropy: readonly (number | null)[];
  /** Under token rules. */
  readonly advantage?: readonly number[];
}

type PackedGroup = Omit<GroupView, 'rollouts'> & {
  readonly rollouts: readonly (Omit<RolloutView, 'tokens'> & { readonly tokens: PackedTokens })[];
};

/** A run in a file. */
interface RunFields {
  readonly configuration: RunConfiguration;
  readonly device: DeviceDescription;
  readonly updates: number;
  readonly events: readonly RunEvent[];
  readonly columns: MetricColumns;
  /** [words] kind and text of tokens. */
  readonly words: readonly (readonly [kind: string, text: string])[];
  readonly groups: Packed;
}

/**
 * Writes a recording; its numbers are rounded to as many digits as somebody can see. One run makes a file that earlier
 * versions read as well.
 * @throws {RangeError} where the runs cannot stand beside one another
 */
export function writeRecording(recording: Recording): string {
  checkTogether(recording);
  const [first, ...others] = recording.map(fieldsOf);
  const file =
    others.length === 0
      ? { format: FORMAT, formatVersion: ONE_RUN, ...first }
      : { format: FORMAT, formatVersion: SEVERAL_RUNS, runs: [first, ...others] };
  return `${JSON.stringify(file)}\n`;
}

/** Reads the text of a recording. @throws {RecordingError} saying what is wrong with it, and in which of several runs */
export function readRecording(text: string): Recording {
  let file: { readonly format?: unknown; readonly formatVersion?: unknown; readonly runs?: unknown } | null;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new RecordingError(`it is not JSON: ${(error as Error).message}`);
  }
  if (file?.format !== FORMAT) throw new RecordingError('it is not a recording');
  const { formatVersion, runs } = file;
  if (formatVersion !== ONE_RUN && formatVersion !== SEVERAL_RUNS) {
    throw new RecordingError(
      `it is of version ${formatVersion}, and this page reads versions ${ONE_RUN} and ${SEVERAL_RUNS}`,
    );
  }
  try {
    const recording = formatVersion === ONE_RUN ? [readRun(file)] : readRuns(runs);
    checkTogether(recording);
    return recording;
  } catch (error) {
    throw new RecordingError(`it is damaged: ${(error as Error).message}`);
  }
}

function fieldsOf({ configuration, device, metrics, events, groups }: RecordedRun): RunFields {
  const words = new Map<string, number>();
  const packed = groups.map((group) => packGroup(group, words));
  return {
    ...{ configuration, device, updates: metrics.length, events },
    columns: columnsOf(rounded(metrics)),
    words: [...words.keys()].map((word) => JSON.parse(word) as [string, string]),
    groups: pack(rounded(packed)),
  };
}

function readRuns(runs: unknown): RecordedRun[] {
  if (!Array.isArray(runs)) throw new TypeError('runs is not a list');
  return runs.map((run: unknown, index) => {
    try {
      return readRun(expectObject(run, 'it'));
    } catch (error) {
      throw new Error(`runs[${index}]: ${(error as Error).message}`);
    }
  });
}

function readRun(fields: object): RecordedRun {
  const { device, updates, columns, words, groups, ...told } = fields as RunFields;
  const configuration = readConfiguration(told.configuration);
  if (!Number.isInteger(updates) || updates < 0) throw new TypeError('updates is not a whole number from 0');
  if (!Array.isArray(words)) throw new TypeError('words is not a list');
  return {
    configuration,
    device: readDevice(device),
    metrics: rowsOf(expectObject(columns, 'columns') as MetricColumns, updates),
    events: readEvents(told.events, configuration),
    groups: expectEntries(unpack(expectObject(groups, 'groups') as unknown as Packed), 'groups').map((group) =>
      unpackGroup(group as unknown as PackedGroup, words),
    ),
  };
}

function readDevice(value: unknown): DeviceDescription {
  const { engine = WGSL, name, software } = expectObject(value, 'device');
  if (typeof name !== 'string') throw new TypeError('device.name is not a text');
  if (typeof software !== 'boolean') throw new TypeError('device.software is neither true nor false');
  return { engine: engineName(engine), name, software };
}

/** What one chart and one slider can show. @throws {RangeError} naming the run that does not go with the first */
function checkTogether(runs: readonly RecordedRun[]): asserts runs is Recording {
  const [first] = runs;
  if (!first || runs.length > MOST_LANES) throw new RangeError(`runs: ${runs.length}, not 1 to ${MOST_LANES}`);
  for (const [index, { configuration, metrics }] of runs.entries()) {
    if (worldText(configuration) !== worldText(first.configuration))
      throw new RangeError(`runs[${index}].configuration is of another world than that of runs[0]`);
    if (metrics.length !== first.metrics.length)
      throw new RangeError(`runs[${index}] has ${metrics.length} updates, and runs[0] has ${first.metrics.length}`);
  }
}

function worldText({ environment, settings }: RunConfiguration): string {
  return JSON.stringify([environment, Object.entries(settings).sort()]);
}

/** @param words grows by the tokens that are new */
function packGroup(group: GroupView, words: Map<string, number>): PackedGroup {
  const rollouts = group.rollouts.map(({ tokens, ...rollout }) => ({ ...rollout, tokens: packTokens(tokens, words) }));
  return { ...group, rollouts };
}

function packTokens(tokens: readonly TokenView[], words: Map<string, number>): PackedTokens {
  const turns: number[] = [];
  const places = tokens.map(({ kind, text, turn }) => {
    if (turns.length > 0 && turns.at(-2) === turn) turns[turns.length - 1] = (turns.at(-1) ?? 0) + 1;
    else turns.push(turn, 1);
    const word = JSON.stringify([kind, text]);
    const place = words.get(word) ?? words.size;
    words.set(word, place);
    return place;
  });
  const own = tokens.filter(({ turn }) => turn >= 0);
  const advantage = own.flatMap((token) => token.advantage ?? []);
  return {
    ...{ words: places, turns },
    ...{ logProb: own.map(({ logProb }) => inPlaces(logProb)), entropy: own.map(({ entropy }) => inPlaces(entropy)) },
    ...(advantage.length > 0 ? { advantage } : {}),
  };
}

function unpackGroup(group: PackedGroup, words: RunFields['words']): GroupView {
  const rollouts = group.rollouts.map(({ tokens, ...rollout }) => ({
    ...rollout,
    tokens: unpackTokens(tokens, words),
  }));
  return { ...group, rollouts };
}

function unpackTokens(
  { words: places, turns, logProb, entropy, advantage }: PackedTokens,
  words: RunFields['words'],
): TokenView[] {
  const turnOf = turns.flatMap((turn, index) =>
    index % 2 === 0 ? new Array(turns[index + 1]).fill(turn) : [],
  ) as number[];
  let own = 0;
  return places.map((place, index) => {
    const word = words[place];
    if (!word) throw new RangeError(`there is no word ${place}`);
    const [kind, text] = word;
    const turn = turnOf[index] ?? -1;
    if (turn < 0) return { text, kind, turn, logProb: null, entropy: null };
    const at = own++;
    const told = { text, kind, turn, logProb: logProb[at] ?? null, entropy: entropy[at] ?? null };
    return advantage ? { ...told, advantage: advantage[at] ?? Number.NaN } : told;
  });
}

function inPlaces(value: number | null): number | null {
  // No -0, which JSON writes as 0.
  return value === null ? null : Number(value.toFixed(PLACES)) + 0;
}

/** The same with fewer digits; whole numbers, such as seeds, are short already. */
function rounded<T>(value: T): T {
  if (typeof value === 'number')
    return (Number.isInteger(value) || !Number.isFinite(value) ? value : Number(value.toPrecision(DIGITS))) as T;
  if (Array.isArray(value)) return value.map(rounded) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, rounded(field)])) as T;
}
