import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Demonstration, StepResult, WarmStartStage } from '../environment.ts';
import { RepoEpisode } from './episode.ts';
import { type Bugs, MAX_STEPS, type RepoSettings, repoControls } from './repoSettings.ts';
import { type Bug, differences, type RepoProblem, type Repository } from './repository.ts';
import { pick } from './repoTasks.ts';
import type { TestRunner } from './testing.ts';
import {
  type Action,
  APP,
  APP_FILE,
  alternatives,
  FILES,
  FUNCTIONS,
  HELPER_FILES,
  OPTIONS,
  SCOPES,
  SITES,
  type Tool,
  tokenNumber,
} from './vocabulary.ts';
import type { Result } from './workingCopy.ts';

/** Behaviour of a scripted demonstrator: probabilities, 0 to 1. */
export interface DemonstratorBehaviour {
  /** Probability of a step without purpose. */
  readonly silly: number;
  /**
   * Probability that the first edit of a file is right. If it is neither right nor wrong (`wrong`), it replaces a
   * random token of the file.
   */
  readonly fix: number;
  /** Probability that an edit replaces the token of the bug with another wrong value. */
  readonly wrong: number;
  /** Same as `fix`, for a file that was edited before. */
  readonly refix: number;
  /** Probability of running the tests after an edit. Otherwise the demonstrator finishes. */
  readonly test: number;
  /** Probability of finishing after a failing test. Otherwise the demonstrator continues. */
  readonly submitEarly: number;
  /** Probability of finishing before it has viewed the bug. */
  readonly finishEarly: number;
  /** Probability of editing some file before it has viewed the bug. */
  readonly blind: number;
  /** Probability of viewing one statement instead of the file. */
  readonly part: number;
}

/** Scripted demonstrator. Its state is the bug that it looks for and the code that it has viewed. */
class Demonstrator {
  private bug: Bug;
  /** Name of a helper that is known to be at fault; undefined otherwise. */
  private suspect: string | undefined;
  private readonly viewed = new Set<string>();
  /** Viewed statements as `file/statement`. */
  private readonly viewedStatements = new Set<string>();
  /** Files to which a search or a test has led. */
  private readonly targets = new Set<string>();
  private readonly editedFiles = new Set<string>();
  private phase: 'edit' | 'edited' | 'tested' = 'edit';
  private lastTest: 'pass' | 'fail' | undefined;

  constructor(
    private readonly problem: RepoProblem,
    private readonly behaviour: DemonstratorBehaviour,
    private readonly random: CounterRandom,
  ) {
    const { issue, bugs } = problem;
    this.bug = this.bugIn(issue.name) ?? pick(random, bugs);
    if (issue.name !== APP) this.suspect = issue.name;
  }

  /**
   * Returns the next action.
   * @param repository present files of the episode
   */
  next(repository: Repository): Action {
    if (this.random.next() < this.behaviour.silly) return this.silly();
    const sees = this.viewedStatements.has(`${this.file}/${this.bug.statement}`);
    if (!sees) return this.lastTest === 'pass' ? action('finish') : this.search(repository);
    if (this.phase === 'tested') {
      if (this.lastTest === 'pass' || this.random.next() < this.behaviour.submitEarly) return action('finish');
      this.phase = 'edit';
      // The next bug can be in another file, so the search starts again.
      return this.next(repository);
    }
    if (this.phase === 'edit') return this.edit(repository);
    return this.random.next() < this.behaviour.test ? action('test') : action('finish');
  }

  /** Updates the state of the demonstrator after an action. */
  learn({ tool, args }: Action, { valid, observation }: Result): void {
    const { files } = this;
    if (tool === 'view' && valid) {
      this.viewed.add(args[0]);
      for (const statement of [0, 1]) {
        if (args[1] === 'full' || args[1] === SCOPES[1 + statement])
          this.viewedStatements.add(`${args[0]}/${statement}`);
      }
    }
    if (tool === 'search' && valid) {
      for (const { file, name } of files) if (name === args[0]) this.targets.add(file);
    }
    if (tool === 'test') this.learnFromTest(observation);
    if (tool === 'modify' && valid) {
      this.editedFiles.add(args[0]);
      this.phase = 'edited';
      this.lastTest = undefined;
    }
  }

  private learnFromTest([result, name]: readonly string[]): void {
    this.lastTest = result as 'pass' | 'fail';
    if (this.editedFiles.size > 0) this.phase = 'tested';
    const bug = result === 'fail' ? this.bugIn(name) : undefined;
    if (!bug) return;
    this.bug = bug;
    this.suspect = name === APP ? undefined : name;
    if (name === APP) this.targets.add(APP_FILE);
  }

  private get files(): Repository {
    return this.problem.right;
  }

  private get file(): string {
    return this.files[this.bug.at].file;
  }

  private bugIn(name: string): Bug | undefined {
    return this.problem.bugs.findLast(({ at }) => this.files[at].name === name);
  }

  private anyFile(): string {
    return pick(this.random, this.files).file;
  }

  private unseenFile(): string {
    const unseen = this.files.filter(({ file }) => !this.viewed.has(file));
    return pick(this.random, unseen.length > 0 ? unseen : this.files).file;
  }

  private silly(): Action {
    const { random } = this;
    const u = random.next();
    if (u < 0.25) return action('think');
    if (u < 0.5) return action('view', this.anyFile(), pick(random, SCOPES));
    if (u < 0.65) {
      return action('search', random.next() < 0.4 ? pick(random, FUNCTIONS) : pick(random, this.files).name);
    }
    if (u < 0.77) return action('execute', random.next() < 0.7 ? APP_FILE : pick(random, FILES));
    if (u < 0.83) return action('create', pick(random, HELPER_FILES));
    if (u < 0.9) return action('test');
    if (u < 0.95) return action('view', pick(random, FILES), pick(random, SCOPES));
    return action('modify', this.anyFile(), pick(random, OPTIONS), pick(random, OPTIONS));
  }

  /** Returns an action that looks for the statement with the bug. */
  private search(repository: Repository): Action {
    const { random, behaviour, suspect, bug } = this;
    const u = random.next();
    if (u < behaviour.finishEarly) return action('finish');
    if (u < behaviour.finishEarly + behaviour.blind) return this.randomEdit(repository, this.anyFile());
    if (this.targets.has(this.file)) {
      if (random.next() >= behaviour.part) return action('view', this.file, 'full');
      return action('view', this.file, random.next() < 0.6 ? SCOPES[1 + bug.statement] : pick(random, SCOPES.slice(1)));
    }
    if (suspect !== undefined && random.next() < 0.7) return action('search', suspect);
    if (suspect === undefined && random.next() < 0.5) return action('test');
    return action('view', this.unseenFile(), 'full');
  }

  /** Returns an edit of the file with the bug. */
  private edit(repository: Repository): Action {
    const { random, behaviour, file } = this;
    const u = random.next();
    const right = this.editedFiles.has(file) ? behaviour.refix : behaviour.fix;
    const difference = differences(this.files, repository).find(({ at }) => at === this.bug.at);
    if (difference && u < right) return action('modify', file, difference.wrong, difference.right);
    if (difference && u < right + behaviour.wrong) {
      const candidates = alternatives(difference.wrong).filter((token) => token !== difference.right);
      return action('modify', file, difference.wrong, pick(random, candidates.length > 0 ? candidates : OPTIONS));
    }
    return this.randomEdit(repository, file);
  }

  /** Returns an edit that writes another option at a random site of a file. */
  private randomEdit(repository: Repository, name: string): Action {
    const { random } = this;
    const tokens = repository.find(({ file }) => file === name)?.statements.flat() ?? [];
    const options = tokens.filter((token) => OPTIONS.includes(token));
    const old = options.length > 0 ? pick(random, options) : '0';
    // An option that belongs to two sites is twice as likely.
    const candidates = SITES.filter((site) => site.includes(old))
      .flat()
      .filter((option) => option !== old);
    return action('modify', name, old, pick(random, candidates.length > 0 ? candidates : OPTIONS));
  }
}

function action(tool: Tool, ...args: readonly string[]): Action {
  return { tool, args };
}

/**
 * The two stages of the warm start: scripted demonstrators that repair the training problems. Stage A shows all skills
 * without errors. The demonstrator of stage B wastes steps, edits wrong tokens and gives up. Reinforcement learning
 * starts there and mostly recovers the skills of stage A.
 */

const BATCH = 48;
/** Weight of the loss on tokens that the policy does not write. */
const CONTEXT_WEIGHT = 0.05;

const CLEAN: DemonstratorBehaviour = {
  silly: 0.05,
  fix: 1,
  wrong: 0,
  refix: 1,
  test: 0.6,
  submitEarly: 0,
  finishEarly: 0,
  blind: 0,
  part: 0.2,
};
const NOISY: DemonstratorBehaviour = {
  silly: 0.22,
  fix: 0.42,
  wrong: 0.25,
  refix: 0.45,
  test: 0.3,
  submitEarly: 0.35,
  finishEarly: 0.04,
  blind: 0.05,
  part: 0.25,
};

/** Behaviours of both stages. The noisy demonstrator finds bugs a little better if the problems have two bugs. */
export const DEMONSTRATOR_BEHAVIOURS: Readonly<
  Record<Bugs, { readonly clean: DemonstratorBehaviour; readonly noisy: DemonstratorBehaviour }>
> = {
  one: { clean: CLEAN, noisy: NOISY },
  two: {
    clean: { ...CLEAN, test: 0.9 },
    noisy: {
      silly: 0.2,
      fix: 0.6,
      wrong: 0.2,
      refix: 0.6,
      test: 0.45,
      submitEarly: 0.25,
      finishEarly: 0.03,
      blind: 0.04,
      part: 0.25,
    },
  },
};

/** Demonstration with its step results. */
export interface Demonstrated extends Demonstration {
  readonly results: readonly StepResult[];
}

/** Runs one scripted episode. Its actions have weight 1, other tokens 0.05, and the first token 0. */
export async function demonstrate(
  problem: RepoProblem,
  runner: TestRunner,
  conventions: DemonstratorBehaviour,
  steps: number,
  random: CounterRandom,
  controls = repoControls({}),
): Promise<Demonstrated> {
  const episode = new RepoEpisode(problem, runner, { controls, steps });
  const demonstrator = new Demonstrator(problem, conventions, random);
  const tokens = [...problem.prompt];
  const weights = tokens.map((_, index): number => (index === 0 ? 0 : CONTEXT_WEIGHT));
  const results: StepResult[] = [];
  while (!episode.isOver) {
    const action = demonstrator.next(episode.repository);
    const { stepResult, result } = await episode.perform(action);
    demonstrator.learn(action, result);
    const written = [action.tool, ...action.args].map(tokenNumber);
    const reply = stepResult.reply ?? [];
    tokens.push(...written, ...reply);
    weights.push(...written.map(() => 1), ...reply.map(() => CONTEXT_WEIGHT));
    results.push(stepResult);
  }
  return { tokens, weights, results };
}

/** Returns stage A and stage B, in this order. A batch depends only on the warm seed, its stage and its step. */
export function warmStartStages(
  training: readonly RepoProblem[],
  runner: TestRunner,
  { bugs, warmSeed }: RepoSettings,
): readonly WarmStartStage<'later'>[] {
  const stage = (stream: number, conventions: DemonstratorBehaviour) => (step: number) =>
    Promise.all(
      Array.from({ length: BATCH }, async (_, index) => {
        // Episodes alternate while programs run, so each episode needs separate draws.
        const random = new CounterRandom(warmSeed, stream, step * BATCH + index);
        const { tokens, weights } = await demonstrate(
          pick(random, training),
          runner,
          conventions,
          MAX_STEPS[bugs],
          random,
        );
        return { tokens, weights };
      }),
    );
  const { clean, noisy } = DEMONSTRATOR_BEHAVIOURS[bugs];
  const [cleanSteps, noisySteps] = bugs === 'two' ? [550, 250] : [800, 300];
  const common = {
    batch: BATCH,
    warmUpSteps: 40,
    optimizer: { beta1: 0.9, beta2: 0.98, weightDecay: 0.01, floor: 0.05 },
  };
  return [
    {
      ...common,
      name: 'A: clean repairs',
      steps: cleanSteps,
      learningRate: 4e-3,
      demonstrations: stage(STREAMS.skills, clean),
    },
    {
      ...common,
      name: 'B: noisy repairs',
      steps: noisySteps,
      learningRate: 1.5e-3,
      demonstrations: stage(STREAMS.demonstrations, noisy),
    },
  ];
}
