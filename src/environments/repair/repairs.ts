import type { CounterRandom } from '../../random/counter.ts';
import { repairPrompt } from './feedback.ts';
import { type Attempt, choiceProgram, drawAttempt, drawChoice } from './firstAttempt.ts';
import { type Prior, repairSkill } from './prior.ts';
import type { ProgramEvaluation, ProgramRunner } from './programRunner.ts';
import { changeBetween, reflectionTokens } from './reflection.ts';
import type { RepairSettings } from './repairSettings.ts';
import type { Problem } from './repairTasks.ts';
import { END, PROGRAM } from './vocabulary.ts';

/** Content of a demonstration: a prompt with its completion, including `<eos>`. */
export interface PromptCompletion {
  readonly prompt: readonly number[];
  readonly completion: readonly number[];
}

/**
 * Maximum number of drawn attempts at a problem until one fails. If none fails, the demonstration is a first attempt.
 */
const MAX_ATTEMPTS = 8;
/**
 * Probabilities of repairs, in this order: the repaired program, the right program, and the same program again. The
 * remaining repairs are new draws.
 */
const MIX = {
  feedback: { repaired: 0.7, right: 0.05, repeated: 0.1 },
  blind: { repaired: 0.75, right: 0, repeated: 0.1 },
} as const;
/** Probability that a repair selects the right option if several options make the shown test pass. */
const RIGHT_OPTION = 0.8;

/**
 * Probability that a repair has a reflection, if the policy writes reflections. Half of the repairs have one, so that
 * both kinds are learned equally well.
 */
const REFLECTED = 0.5;

/** Settings of the demonstrator: the kind of its repairs, its reflections, and the world of its skills. */
type Demonstrator = Pick<RepairSettings, 'repairs' | 'reflection' | 'worldSeed'>;

/** Returns the demonstration of a first attempt. */
export function showFirst(problem: Problem, prior: Prior, random: CounterRandom): PromptCompletion {
  return { prompt: problem.prompt, completion: [...drawAttempt(problem, prior, random).program, END] };
}

/** Returns the demonstration of an imperfect repair: a failed attempt, a test that it fails, and the next program. */
export async function showRepair(
  runner: ProgramRunner,
  problem: Problem,
  prior: Prior,
  demonstrator: Demonstrator,
  random: CounterRandom,
): Promise<PromptCompletion> {
  let attempt = drawAttempt(problem, prior, random);
  let evaluation = await judge(runner, problem, attempt.program);
  for (let attempts = 1; !evaluation.passed.includes(false); attempts++) {
    if (attempts === MAX_ATTEMPTS) return showFirst(problem, prior, random);
    attempt = drawAttempt(problem, prior, random);
    evaluation = await judge(runner, problem, attempt.program);
  }
  const failing = [...evaluation.passed.keys()].filter((test) => !evaluation.passed[test]);
  const test = random.next() < 0.5 ? failing[0] : failing[random.integer(failing.length)];
  const answer = await nextProgram(runner, problem, prior, demonstrator, attempt, test, random);
  if (demonstrator.reflection === 'none' || random.next() >= REFLECTED) {
    return { prompt: repairPrompt(problem, evaluation, test), completion: [...answer, END] };
  }
  // The reflection describes the changes that the demonstrator makes.
  const reflection = reflectionTokens(changeBetween(attempt.program, answer));
  return {
    prompt: repairPrompt(problem, evaluation, test, 'reflection'),
    completion: [...reflection, PROGRAM, ...answer, END],
  };
}

async function nextProgram(
  runner: ProgramRunner,
  problem: Problem,
  prior: Prior,
  demonstrator: Demonstrator,
  attempt: Attempt,
  test: number,
  random: CounterRandom,
): Promise<readonly number[]> {
  const { repaired, right, repeated } = MIX[demonstrator.repairs];
  const drawn = random.next();
  if (drawn < repaired) {
    return demonstrator.repairs === 'feedback'
      ? repairWithFeedback(runner, problem, attempt, test, random)
      : repairBlindly(problem, attempt, demonstrator.worldSeed, random);
  }
  if (drawn < repaired + right) return problem.reference;
  if (drawn < repaired + right + repeated) return attempt.program;
  return choiceProgram(problem, drawChoice(prior, random));
}

/** Changes one site so that the shown test passes. Other bugs remain. */
async function repairWithFeedback(
  runner: ProgramRunner,
  problem: Problem,
  { choice, intended, program }: Attempt,
  test: number,
  random: CounterRandom,
): Promise<readonly number[]> {
  const changes = problem.template.sites.flatMap(({ options }, site) =>
    [...options.keys()].filter((option) => option !== choice[site]).map((option) => ({ site, option })),
  );
  const programs = changes.map(({ site, option }) => choiceProgram(problem, choice.with(site, option)));
  const [intendedEvaluation, ...evaluations] = await Promise.all(
    [intended, ...programs].map((candidate) => judge(runner, problem, candidate)),
  );
  // If the slip is the cause of the failure, the repair removes it.
  if (program !== intended && intendedEvaluation.passed[test]) return intended;
  const repairs = [...programs.keys()].filter((index) => evaluations[index].passed[test]);
  const rightly = repairs.filter((index) => changes[index].option === 0);
  if (rightly.length > 0 && random.next() < RIGHT_OPTION) return programs[rightly[random.integer(rightly.length)]];
  if (repairs.length > 0) return programs[repairs[random.integer(repairs.length)]];
  // No single change makes the test pass, so bugs are repaired at random.
  return choiceProgram(
    problem,
    choice.map((option) => (random.next() < 0.5 ? 0 : option)),
  );
}

/** Repairs each bug with the demonstrator's skill at its site, regardless of the feedback. */
function repairBlindly(problem: Problem, { choice }: Attempt, world: number, random: CounterRandom): readonly number[] {
  const { family, template } = problem;
  const repairedChoice = choice.map((option, site) =>
    random.next() < repairSkill(family, site, template.sites[site], world) ? 0 : option,
  );
  return choiceProgram(problem, repairedChoice);
}

function judge(runner: ProgramRunner, problem: Problem, program: readonly number[]): Promise<ProgramEvaluation> {
  return runner.judge(problem, [...program, END]);
}
