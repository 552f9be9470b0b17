import type { CounterRandom } from '../../random/counter.ts';
import type { Action } from './actions.ts';
import { pick } from './drafts.ts';
import { APP, APP_FILE, alternatives, FUNCTIONS, HELPER_FILES, OPTIONS, SITES } from './families.ts';
import { type Bug, differences, type RepoProblem } from './problem.ts';
import type { Repository } from './repository.ts';
import { FILES, SCOPES, type Tool } from './vocabulary.ts';
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
export class Demonstrator {
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
