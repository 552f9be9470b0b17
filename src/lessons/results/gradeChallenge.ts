import { ownName } from '../../credit/rules/own/ownSource.ts';
import { type ChallengeResult, FIGURES, type RaceResult, type TaskResult, taskDifference } from './challengeFile.ts';
import { curveDifference, TOLERANCE } from './compareRuns.ts';
import type { Again, GradeLine } from './grade.ts';
import { type RaceRun, raceRuns } from './race.ts';

/** What the rule of a file gives here. */
export interface ChallengeAgain {
  /** Works the rule out on all tasks. @throws {Error} what it does wrong */
  readonly tasks: () => Promise<readonly TaskResult[]>;
  /** Trains a run; undefined where nothing is to be trained. */
  readonly run: (run: RaceRun) => Promise<Again | undefined>;
}

type Found = Pick<GradeLine, 'question' | 'answer' | 'expected' | 'verdict' | 'note'>;

/** Checks a result of the challenge: the figures of each task, and each run of the race. */
export async function gradeChallenge(result: ChallengeResult, again: ChallengeAgain): Promise<readonly GradeLine[]> {
  const found: Found[] = [...(await gradeTasks(result, again))];
  const runs = raceRuns(ownName(result.rule));
  for (const own of result.race) {
    const run = runs.find(({ name }) => name === own.name);
    if (run) found.push(await gradeRun(own, run, again));
    else found.push(unknown(own));
  }
  return found.map((line) => ({ lesson: 'challenge', attempt: 0, ...line }));
}

async function gradeTasks({ rule, tasks }: ChallengeResult, again: ChallengeAgain): Promise<readonly Found[]> {
  const questions = (note: string) =>
    tasks.map((own): Found => ({ question: own.task, answer: told(own), expected: '', verdict: 'differs', note }));
  let here: readonly TaskResult[];
  try {
    here = await again.tasks();
  } catch (error) {
    return questions(`${rule.file} fails: ${error instanceof Error ? error.message : String(error)}`);
  }
  return tasks.map((own): Found => {
    const other = here.find(({ task }) => task === own.task);
    const note = taskDifference(own, other);
    const verdict = note === undefined ? 'same' : 'differs';
    return { question: own.task, answer: told(own), expected: other ? told(other) : '', verdict, note: note ?? '' };
  });
}

async function gradeRun(own: RaceResult, run: RaceRun, { run: train }: ChallengeAgain): Promise<Found> {
  const line = { question: `race: ${own.name}`, answer: own.digest, expected: '' };
  let came: Again | undefined;
  try {
    came = await train(run);
  } catch (error) {
    return { ...line, verdict: 'differs', note: error instanceof Error ? error.message : String(error) };
  }
  if (!came) return { ...line, verdict: 'unchecked', note: 'not trained' };
  const difference = curveDifference(own.curves, came.curves, Object.keys(own.curves));
  if (!difference) return { ...line, expected: own.digest, verdict: 'same', note: '' };
  const { line: curve, step, own: mine, again, apart } = difference;
  const near = came.device !== own.device && apart <= TOLERANCE;
  const note = `${curve} at update ${step} is ${mine}, and ${again} on ${came.device}; ${apart.toFixed(3)} apart on average`;
  return { ...line, verdict: near ? 'near' : 'differs', note };
}

function unknown({ name, digest }: RaceResult): Found {
  const note = 'there is no such run in the race';
  return { question: `race: ${name}`, answer: digest, expected: '', verdict: 'differs', note };
}

function told({ figures }: TaskResult): string {
  if (!figures) return 'no figures';
  return FIGURES.map((name) => `${name} ${figures[name][0]?.toFixed(2) ?? 'none'}`).join(', ');
}
