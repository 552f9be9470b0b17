import {
  type Claim,
  type ClaimTest,
  type Experiment,
  PAPERS,
  type PairedTest,
  type Paper,
  type RunValue,
  SEEDS,
  type Side,
} from '../../environments/claim.ts';
import type { ParameterValue } from '../../parameters/parameters.ts';
import { show } from '../../rollouts/quoting.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import { tablesOf } from '../../training/data/configurationTables.ts';
import { readArm } from '../compare/arms.ts';

// Readers of data files. Each reader returns a value of its type or throws an error with the file and the position.

/** Error in a data file. The message begins with the file and the position. */
class DataError extends Error {}

/** Reader of a value. @param position file and position, for example `t.json: claims[t1].says` @throws {DataError} */
export type Read<T> = (value: unknown, position: string) => T;

function reader<T>(noun: string, fits: (value: unknown) => value is T): Read<T> {
  return (value, position) => {
    if (fits(value)) return value;
    throw new DataError(`${position} ${value === undefined ? 'is missing' : `is ${show(value)}, not ${noun}`}`);
  };
}

const text = reader('a text', (value): value is string => typeof value === 'string' && value.trim() !== '');
const number = reader('a number', (value): value is number => Number.isFinite(value));
const count = reader(
  'a whole number from 0',
  (value): value is number => Number.isInteger(value) && Number(value) >= 0,
);
const flag = reader('true', (value): value is true => value === true);
const parameter = reader(
  'a number or a text',
  (value): value is ParameterValue => Number.isFinite(value) || typeof value === 'string',
);
const list = reader('a list', (value): value is readonly unknown[] => Array.isArray(value));
const record = reader(
  'an object',
  (value): value is Readonly<Record<string, unknown>> =>
    typeof value === 'object' && value !== null && !Array.isArray(value),
);

function enumOf<const Name extends string>(...names: readonly Name[]): Read<Name> {
  return reader(`one of ${names.join(', ')}`, (value): value is Name => names.includes(value as Name));
}

/** Creates a reader of a list. @param by field that names the entries in messages; by default their index */
function listOf<T>(read: Read<T>, by?: string): Read<readonly T[]> {
  return (value, position) =>
    list(value, position).map((entry, index) => {
      const name = by === undefined ? undefined : (entry as Readonly<Record<string, unknown>> | null)?.[by];
      return read(entry, `${position}[${typeof name === 'string' ? name : index}]`);
    });
}

function recordOf<T>(read: Read<T>): Read<Readonly<Record<string, T>>> {
  return (value, position) =>
    Object.fromEntries(
      Object.entries(record(value, position)).map(([name, entry]) => [name, read(entry, `${position}.${name}`)]),
    );
}

/** Readers of fields by name. Fields with a name that ends in `?` are optional. */
type Fields = Readonly<Record<string, Read<unknown>>>;
type ObjectOf<F extends Fields> = {
  readonly [Name in keyof F as Name extends `${string}?` ? never : Name]: ReturnType<F[Name]>;
} & {
  readonly [Name in keyof F as Name extends `${infer Optional}?` ? Optional : never]?: ReturnType<F[Name]>;
};

/** Creates a reader of an object that has these fields and no other fields. */
function object<F extends Fields>(fields: F): Read<ObjectOf<F>> {
  const known = Object.entries(fields).map(([key, read]) => ({
    name: key.replace(/\?$/, ''),
    optional: key.endsWith('?'),
    read,
  }));
  return (value, position) => {
    const given = record(value, position);
    const at = (name: string) => (/\.json$/.test(position) ? `${position}: ${name}` : `${position}.${name}`);
    const unknown = Object.keys(given).find((name) => !known.some((field) => field.name === name));
    if (unknown !== undefined)
      throw new DataError(`${at(unknown)} is unknown; fields: ${known.map(({ name }) => name).join(', ')}`);
    const entries = known.flatMap(({ name, optional, read }) =>
      optional && given[name] === undefined ? [] : [[name, read(given[name], at(name))] as const],
    );
    return Object.fromEntries(entries) as ObjectOf<F>;
  };
}

// Reads the data files of claims. Each error message names the file and the position.

/** Smallest effect of interest of a measure, and its unit; shares if `unit` is absent. */
interface Measure {
  readonly margin: number;
  readonly unit?: PairedTest['unit'];
}
export type Measures = Readonly<Record<string, Measure>>;

const MEASURE: Read<Measure> = object({
  margin: number,
  'unit?': enumOf('updates', 'searches', 'rollouts', 'ms', 'of the slope', 'of the advantage', 'ppm of an update'),
});

/** Reads the measures of a data file. @throws {DataError} with the file and the position */
export function readMeasures(data: unknown, file: string): Measures {
  return recordOf(MEASURE)(data, file);
}

/** Returns the name of the measure of a value. The start of a curve has the same measure as its end. */
export function measureName(of: RunValue): string {
  if ('measured' in of) return `measured:${of.measured}`;
  if ('mean' in of) return `mean:${of.mean}`;
  if ('end' in of) return `end:${of.end}`;
  if ('start' in of) return `end:${of.start}`;
  return `within:${of.curve}`;
}

const RUN_VALUE: Read<RunValue> = object({
  'measured?': text,
  'mean?': text,
  'part?': enumOf('first', 'last'),
  'times?': text,
  'scale?': number,
  'over?': text,
  'end?': text,
  'below?': number,
  'start?': text,
  'curve?': text,
  'reaches?': number,
  'within?': number,
}) as Read<RunValue>;
const BOUNDS = object({ 'above?': number, 'below?': number, 'from?': number, 'to?': number });
const SIDE = (input: unknown, position: string) => (typeof input === 'number' ? number : text)(input, position);

const LABELS = { 'primary?': flag, 'byArithmetic?': flag, 'unequal?': text };
const TESTS = {
  paired: object({
    ...{ says: text, hypothesis: enumOf('more', 'keeps'), higher: SIDE, lower: SIDE, of: RUN_VALUE },
    ...{ 'lowerOf?': RUN_VALUE, 'lessOf?': RUN_VALUE, 'margin?': number, 'binary?': number },
    'less?': object({ higher: SIDE, lower: SIDE, 'in?': text }),
    ...LABELS,
  }),
  seeds: object({
    ...{ kind: text, rule: text, says: text, share: number },
    ...{ 'ends?': recordOf(BOUNDS), 'measured?': recordOf(BOUNDS), ...LABELS },
  }),
  switch: object({
    ...{ kind: text, from: text, to: text, says: text, share: number, since: count, metric: text, within: count },
    ...{ bounds: BOUNDS, 'habit?': flag, ...LABELS },
  }),
  pooled: object({
    ...{ kind: text, rule: text, says: text, share: text, outOf: text, above: number, minimum: count, ...LABELS },
  }),
} as const;

const TEST: Read<ReturnType<(typeof TESTS)[keyof typeof TESTS]>> = (input, position) => {
  const kind = (input as { readonly kind?: unknown } | null)?.kind ?? 'paired';
  const read = TESTS[enumOf(...(Object.keys(TESTS) as (keyof typeof TESTS)[]))(kind, `${position}.kind`)];
  return read(input, position);
};

const EXPERIMENT = object({
  ...{
    name: text,
    environment: text,
    'world?': text,
    'settings?': recordOf(parameter),
    'controls?': recordOf(parameter),
  },
  ...{ 'measuring?': recordOf(number), 'idle?': flag, arms: listOf(text), steps: count, tests: listOf(TEST, 'says') },
  'switch?': object({ at: listOf(count), 'habit?': count, 'from?': listOf(text) }),
});
const CLAIM = object({
  ...{ id: text, place: text, 'quote?': text, 'compared?': text, says: text, 'changed?': text, 'missing?': text },
  ...{ 'differs?': listOf(text), 'reasons?': recordOf(text), experiments: listOf(EXPERIMENT, 'name') },
});
const FILE = object({ 'differs?': listOf(text), claims: listOf(CLAIM, 'id') });

/**
 * Reads the claims of a file.
 * @param paper paper of all claims; undefined for additional questions
 * @throws {DataError} with the file and the position, if a field is missing, unknown or of another type; if an arm is
 * unknown; if a measure has no smallest effect of interest; or if a paper's claim does not have exactly one primary
 * test
 */
export function readClaims(data: unknown, file: string, paper: Paper | undefined, measures: Measures): Claim[] {
  const { differs = [], claims } = FILE(data, file);
  return claims.map(({ differs: further = [], ...claim }) => {
    const position = `${file}: claims[${claim.id}]`;
    const primary = claim.experiments.flatMap(({ tests }) => tests.filter((test) => test.primary));
    const expected = paper === undefined ? 0 : 1;
    if (primary.length !== expected)
      throw new DataError(
        `${position} has ${primary.length} primary tests; a paper's claim has 1, an additional question 0`,
      );
    if (paper !== undefined && claim.compared === undefined) throw new DataError(`${position}.compared is missing`);
    const primaries = withPrimary(claim.experiments);
    const experiments = claim.experiments.map((experiment): Experiment => {
      const at = `${position}.experiments[${experiment.name}]`;
      const { tests: data, ...rest } = experiment;
      const tests = data.map((test) =>
        testOf(test, experiment, claim.experiments, measures, `${at}.tests[${test.says}]`),
      );
      const seeds = primaries.includes(experiment.name) ? SEEDS.primary : SEEDS.secondary;
      return { ...rest, seeds, worlds: SEEDS.primary, tests } as Experiment;
    });
    return { ...claim, ...(paper ? { paper } : {}), experiments, differs: [...differs, ...further] };
  });
}

type ExperimentData = ReturnType<typeof EXPERIMENT>;

/**
 * Returns the names of the experiments that primary tests require, including the experiments that they compare with.
 */
function withPrimary(experiments: readonly ExperimentData[]): readonly string[] {
  return experiments.flatMap(({ name, tests }) =>
    tests.flatMap((test) => {
      if (!test.primary) return [];
      const referenceName = 'less' in test ? test.less?.in : undefined;
      return referenceName === undefined ? [name] : [name, referenceName];
    }),
  );
}

function testOf(
  test: ExperimentData['tests'][number],
  experiment: ExperimentData,
  experiments: readonly ExperimentData[],
  measures: Measures,
  position: string,
): ClaimTest {
  const { says: statement, ...rest } = test;
  if (!('of' in rest)) return { statement, ...rest } as unknown as ClaimTest;
  const { higher, lower, less, margin: input, ...more } = rest;
  const reference = less?.in === undefined ? experiment : experiments.find(({ name }) => name === less.in);
  if (!reference) throw new DataError(`${position}.less.in: "${less?.in}" is no experiment of the claim`);
  const side = (name: string | number, part: string, of = experiment) => sideOf(name, of, `${position}.${part}`);
  const measure = measures[measureName(rest.of)];
  const ofNumber = [higher, lower].some((value) => typeof value === 'number');
  if (input !== undefined && !ofNumber)
    throw new DataError(`${position}.margin: tests of two arms have the margin of their measure (measures.json)`);
  if (!measure && input === undefined)
    throw new DataError(`${position}.of: measures.json has no "${measureName(rest.of)}"`);
  return {
    ...{ kind: 'paired', statement, higher: side(higher, 'higher'), lower: side(lower, 'lower'), ...more },
    ...(less
      ? {
          less: {
            ...less,
            higher: side(less.higher, 'less.higher', reference),
            lower: side(less.lower, 'less.lower', reference),
          },
        }
      : {}),
    margin: input ?? measure.margin,
    ...(measure?.unit ? { unit: measure.unit } : {}),
  } as ClaimTest;
}

/** Returns an arm of an experiment by its name. Numbers are returned unchanged. */
function sideOf(name: string | number, { arms, environment }: ExperimentData, position: string): Side | number {
  if (typeof name === 'number') return name;
  if (!arms.includes(name)) {
    throw new DataError(`${position}: "${name}" is no arm of the experiment; arms: ${arms.join(', ')}`);
  }
  const { rule, changes } = readArm(tablesOf(environment as EnvironmentName), name);
  return { rule, changes };
}

import m from './data/m.json' with { type: 'json' };
import measures from './data/measures.json' with { type: 'json' };
import questions from './data/own.json' with { type: 'json' };
import r from './data/r.json' with { type: 'json' };
import t from './data/t.json' with { type: 'json' };
import v from './data/v.json' with { type: 'json' };

const FILES: Readonly<Record<Paper, unknown>> = { T: t, M: m, V: v, R: r };
const LETTERS = Object.keys(PAPERS) as Paper[];
const MEASURES = readMeasures(measures, 'measures.json');

/** Claims of the papers, ordered by paper. */
export const PAPER_CLAIMS: readonly Claim[] = LETTERS.flatMap((letter) =>
  readClaims(FILES[letter], `${letter.toLowerCase()}.json`, letter, MEASURES),
);

/** Questions of the project, which no paper answers. */
export const PROJECT_CLAIMS: readonly Claim[] = readClaims(questions, 'own.json', undefined, MEASURES);

/** All claims, in the order in which they are listed. */
export const ALL_CLAIMS: readonly Claim[] = [...PAPER_CLAIMS, ...PROJECT_CLAIMS];

/** Names that select claims: the ID of a claim, the letter of a paper, `own` or `all`. */
export const CLAIM_SELECTORS: readonly string[] = [
  ...['all', 'own'],
  ...LETTERS.map((letter) => letter.toLowerCase()),
  ...ALL_CLAIMS.map(({ id }) => id),
];

/** Returns the claims that a selector names; empty for an unknown selector. */
export function findClaims(text: string): readonly Claim[] {
  const query = text.toLowerCase();
  if (query === 'all') return ALL_CLAIMS;
  if (query === 'own') return PROJECT_CLAIMS;
  return ALL_CLAIMS.filter(({ id, paper }) => id === query || paper?.toLowerCase() === query);
}
