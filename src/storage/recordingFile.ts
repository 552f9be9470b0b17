import type { RunConfiguration } from '../training/data/configuration.ts';
import { checkConfiguration } from '../training/data/configurationTables.ts';
import type {
  DeviceDescription,
  GroupView,
  Metrics,
  RolloutView,
  RunEvent,
  TokenView,
} from '../training/data/protocol.ts';
import { columnsOf, type MetricColumns, rowsOf } from './metricColumns.ts';
import { type Packed, pack, unpack } from './packJson.ts';

/** A run as it is played back where nothing can be trained: its curves, what happened, and some of its groups. */
export interface Recording {
  readonly configuration: RunConfiguration;
  readonly device: DeviceDescription;
  /** One an update, from step 0 on. */
  readonly metrics: readonly Metrics[];
  readonly events: readonly RunEvent[];
  /** In the order of their steps. */
  readonly groups: readonly GroupView[];
}

/** A file that is no recording, or one of another version. */
class RecordingError extends Error {
  override readonly name = 'RecordingError';
}

const FORMAT = 'turnwise-recording';
const FORMAT_VERSION = 1;
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

interface File {
  readonly format: string;
  readonly formatVersion: number;
  readonly configuration: RunConfiguration;
  readonly device: DeviceDescription;
  readonly updates: number;
  readonly events: readonly RunEvent[];
  readonly columns: MetricColumns;
  /** [words] kind and text of tokens. */
  readonly words: readonly (readonly [kind: string, text: string])[];
  readonly groups: Packed;
}

/** Writes a recording; its numbers are rounded to as many digits as somebody can see. */
export function writeRecording({ configuration, device, metrics, events, groups }: Recording): string {
  const words = new Map<string, number>();
  const packed = groups.map((group) => packGroup(group, words));
  const file: File = {
    ...{ format: FORMAT, formatVersion: FORMAT_VERSION, configuration, device, updates: metrics.length, events },
    columns: columnsOf(rounded(metrics)),
    words: [...words.keys()].map((word) => JSON.parse(word) as [string, string]),
    groups: pack(rounded(packed)),
  };
  return `${JSON.stringify(file)}\n`;
}

/** Reads the text of a recording. @throws {RecordingError} saying what is wrong with it */
export function readRecording(text: string): Recording {
  let file: Partial<File> | null;
  try {
    file = JSON.parse(text) as Partial<File> | null;
  } catch (error) {
    throw new RecordingError(`it is not JSON: ${(error as Error).message}`);
  }
  if (file?.format !== FORMAT) throw new RecordingError('it is not a recording');
  if (file.formatVersion !== FORMAT_VERSION) {
    throw new RecordingError(`it is of version ${file.formatVersion}, and this page reads version ${FORMAT_VERSION}`);
  }
  try {
    const { configuration, device, updates, events, columns, words, groups } = file as File;
    return {
      configuration: checkConfiguration(configuration),
      device,
      metrics: rowsOf(columns, updates),
      events,
      groups: (unpack(groups) as PackedGroup[]).map((group) => unpackGroup(group, words)),
    };
  } catch (error) {
    throw new RecordingError(`it is damaged: ${(error as Error).message}`);
  }
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

function unpackGroup(group: PackedGroup, words: File['words']): GroupView {
  const rollouts = group.rollouts.map(({ tokens, ...rollout }) => ({
    ...rollout,
    tokens: unpackTokens(tokens, words),
  }));
  return { ...group, rollouts };
}

function unpackTokens(
  { words: places, turns, logProb, entropy, advantage }: PackedTokens,
  words: File['words'],
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
