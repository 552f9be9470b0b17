import { readPair, type TagPair } from './cutTags.ts';
import { LOG_FORMATS, type LogFormat } from './formatNames.ts';
import { ImportError } from './importError.ts';
import type { ImportContext } from './importLog.ts';

/** Settings of an import as the user enters them. An empty text selects the default. */
export interface ImportSettings {
  /** Writer of the log, one of LOG_FORMATS. */
  readonly from?: string;
  /** Column with a list of turn rewards. */
  readonly turnRewards?: string;
  /** Pairs of tags such as `</search>..<information>`, separated by spaces or commas; or `none`. */
  readonly cut?: string;
  /** `total` if the reward of a rollout contains its turn rewards, `apart` if it does not. */
  readonly outcome?: string;
  /** Reward columns of TRL with optional weights, for example `accuracy, format=0.5`. */
  readonly rewards?: string;
}

/** Names of the settings, in the order of the page. */
const SETTINGS = [
  'from',
  'turnRewards',
  'cut',
  'outcome',
  'rewards',
] as const satisfies readonly (keyof ImportSettings)[];

/**
 * Parses the settings of an import.
 * @throws {ImportError} that names the setting, its value and the allowed values
 */
export function readSettings(
  settings: ImportSettings,
): Pick<ImportContext, 'weights' | 'signals'> & { readonly from: LogFormat | undefined } {
  const [from, turnRewards, cut, outcome, rewards] = SETTINGS.map((name) => settings[name]?.trim() || undefined);
  return {
    from: choiceOf('Trainer', from, LOG_FORMATS),
    signals: {
      turnRewards,
      cut: cut === undefined ? undefined : pairsOf(cut),
      outcome: choiceOf('Rollout reward', outcome, ['total', 'apart'] as const),
    },
    weights: rewards === undefined ? undefined : new Map(rewards.split(',').map((part) => weightOf(part.trim()))),
  };
}

function choiceOf<Option extends string>(
  setting: string,
  given: string | undefined,
  options: readonly Option[],
): Option | undefined {
  if (given === undefined) return undefined;
  const option = options.find((known) => known === given);
  if (option) return option;
  throw new ImportError({}, `${setting}: "${given}" is not one of ${options.join(', ')}`);
}

function pairsOf(given: string): readonly TagPair[] {
  if (given === 'none') return [];
  return given.split(/[\s,]+/).map((text) => {
    const pair = readPair(text);
    if (pair) return pair;
    throw new ImportError({}, `Tags: "${text}" is not </TAG>..<ANSWER>, or none`);
  });
}

/**
 * Parses "NAME" or "NAME=WEIGHT" with a default weight of 1. The last equals sign separates the weight.
 * @throws {ImportError} if the weight is not a number
 */
export function weightOf(given: string): readonly [name: string, weight: number] {
  const match = /^(.+)=([^=]*)$/.exec(given);
  if (!match) return [given, 1];
  const value = match[2].trim() === '' ? Number.NaN : Number(match[2]);
  if (Number.isFinite(value)) return [match[1], value];
  throw new ImportError({}, `the weight "${match[2]}" is not a number`);
}
