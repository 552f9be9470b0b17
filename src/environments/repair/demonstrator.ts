import { type CounterRandom, pcg4d } from '../../random/counter.ts';
import type { Problem } from './repairTasks.ts';
import { tokenize } from './source.ts';
import { renderTemplate, type Site, type Template } from './template.ts';
import { tokenNumber } from './vocabulary.ts';

/**
 * Errors in the programs of the warm start. They are fixed properties of a family's sites and do not depend on a single
 * demonstration.
 */

/**
 * Distribution of the probabilities of right options. `sharp`: nearly always right or nearly always wrong, so that
 * groups often tie, as with large models. `flat`: any value from .35 to .97. One reading of a hidden convention has a
 * probability of .6 to .9.
 */
export type PriorShape = 'sharp' | 'flat';

/** Probabilities of the options of a demonstration, [sites][options]. */
export type Prior = readonly (readonly number[])[];

/**
 * Returns the prior of a problem. Sites with the same position in a family share it, regardless of the numbers of the
 * problem.
 * @param world world that determines the prior (setting worldSeed)
 */
export function sitePriors(family: string, { sites }: Template, shape: PriorShape = 'sharp', world = 0): Prior {
  const uniform = uniformIn(world);
  return sites.map((site, index) =>
    site.hidden ? hiddenPrior(uniform, family, index, site, shape) : plainPrior(uniform, family, index, site, shape),
  );
}

/** Returns the probability that the demonstrator repairs a wrong site after any failure: .15 to .70. */
export function repairSkill(family: string, index: number, { options }: Site, world = 0): number {
  return 0.15 + 0.55 * uniformIn(world)('repair', family, index, nameSlot(options[0]));
}

/**
 * Returns the prior of a hidden convention. The prompt does not determine it, so one reading dominates in all problems
 * of the family.
 */
function hiddenPrior(
  uniformOf: Uniform,
  family: string,
  index: number,
  { options }: Site,
  shape: PriorShape,
): number[] {
  const sorted = options.toSorted();
  const top = sorted[Math.floor(uniformOf('convention', family, index, ...sorted) * sorted.length)];
  const drawn = uniformOf('convention share', family, index);
  const share = shape === 'sharp' ? 0.93 + 0.05 * drawn : 0.6 + 0.3 * drawn;
  return options.map((option) => (option === top ? share : (1 - share) / (options.length - 1)));
}

function plainPrior(uniformOf: Uniform, family: string, index: number, { options }: Site, shape: PriorShape): number[] {
  const slot = nameSlot(options[0]);
  const right = rightShare(shape, uniformOf('kind', family, index, slot), uniformOf('share', family, index, slot));
  if (options.length === 2) return [right, 1 - right];
  const first = 0.6 + 0.3 * uniformOf('first bug', family, index);
  const remaining = options.length - 2;
  return options.map((_, option) => {
    if (option === 0) return right;
    return (1 - right) * (option === 1 ? first : (1 - first) / remaining);
  });
}

/**
 * Returns the probability of the right option. 68 % of the sites are nearly always right, 8 % have any value, and 24 %
 * are nearly always wrong.
 */
function rightShare(shape: PriorShape, kind: number, share: number): number {
  if (shape === 'flat') return 0.35 + 0.62 * kind;
  if (kind < 0.68) return 0.985 + 0.012 * share;
  return kind < 0.76 ? 0.35 + 0.5 * share : 0.01 + 0.05 * share;
}

/**
 * Returns the name of an option in keys of draws. Long options contain numbers and texts of the problem, which are not
 * properties of the site.
 */
function nameSlot(option: string): string {
  return option.length < 3 ? option : '';
}

/** Function that returns a uniform number in [0, 1). The number depends only on its terms and on the world. */
type Uniform = (...terms: readonly (string | number)[]) => number;

/** Returns the uniform function of a world. World 0 adds no term, because it existed before worlds had numbers. */
function uniformIn(world: number): Uniform {
  return world === 0 ? uniformOf : (...terms) => uniformOf(`world ${world}`, ...terms);
}

function uniformOf(...terms: readonly (string | number)[]): number {
  // FNV-1a with a second mix, so that similar words do not have similar numbers.
  let hash = 0x811c9dc5;
  for (const character of terms.join('\u0000')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  }
  return pcg4d(hash, 0, 0, 0)[0] / 2 ** 32;
}

/** Attempt of a demonstrator from the prompt alone. */
export interface Attempt {
  /** Index of the selected option, [sites]. */
  readonly choice: readonly number[];
  /** Program of the choice, without a slip. */
  readonly intended: readonly number[];
  /** Written tokens: the program, sometimes with a slip. */
  readonly program: readonly number[];
}

/** Probability that a demonstration has one wrong token. */
const SLIP = 0.08;
/** Groups of tokens that a slip confuses. */
const CONFUSED = [
  ['+', '-', '*'],
  ['==', '!=', '>', '<', '>=', '<='],
  ['0', '1', '2'],
  ['x', 'i', 't', 'a'],
  ['+=', '=', '-='],
  ['max', 'min', 'sum', 'len'],
  ['NL', 'DED', 'IND'],
  ['True', 'False'],
].map((names) => names.map(tokenNumber));
const ALTERNATIVES: ReadonlyMap<number, readonly number[]> = new Map(
  CONFUSED.flatMap((group) => group.map((token) => [token, group.filter((candidate) => candidate !== token)] as const)),
);

/** Draws an attempt: an option for every site by its prior, and sometimes one wrong token. */
export function drawAttempt(problem: Problem, prior: Prior, random: CounterRandom): Attempt {
  const choice = drawChoice(prior, random);
  const intended = choiceProgram(problem, choice);
  return { choice, intended, program: random.next() < SLIP ? withSlip(intended, random) : intended };
}

/** Draws an option for each site, [sites]. */
export function drawChoice(prior: Prior, random: CounterRandom): number[] {
  return prior.map((options) => {
    const drawn = random.next();
    let below = 0;
    const option = options.findIndex((probability) => {
      below += probability;
      return drawn < below;
    });
    return option < 0 ? options.length - 1 : option;
  });
}

/** Returns the tokens of a choice's program. */
export function choiceProgram({ template }: Problem, choice: readonly number[]): readonly number[] {
  return tokenize(renderTemplate(template, choice));
}

/** Returns the program with one token replaced by a confusable one. */
function withSlip(program: readonly number[], random: CounterRandom): readonly number[] {
  const positions = [...program.keys()].filter((index) => ALTERNATIVES.has(program[index]));
  if (positions.length === 0) return program;
  const position = positions[random.integer(positions.length)];
  const alternatives = ALTERNATIVES.get(program[position]) ?? [];
  return program.with(position, alternatives[random.integer(alternatives.length)]);
}
