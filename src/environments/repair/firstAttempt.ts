import type { CounterRandom } from '../../random/counter.ts';
import type { Prior } from './prior.ts';
import type { Problem } from './repairTasks.ts';
import { tokenize } from './source.ts';
import { renderTemplate } from './template.ts';
import { tokenNumber } from './vocabulary.ts';

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
