import type { CounterRandom } from '../../random/counter.ts';
import type { Action } from './actions.ts';
import { pick } from './drafts.ts';
import { APP, APP_FILE, alternatives, FUNCTIONS, HELPER_FILES, OPTIONS, SITES } from './families.ts';
import { type Bug, differences, type RepoProblem } from './problem.ts';
import type { Repository } from './repository.ts';
import { FILES, SCOPES, type Tool } from './vocabulary.ts';
import type { Result } from './workingCopy.ts';

/** Behaviour of a scripted demonstrator: probabilities. */
export interface DemonstratorBehaviour {
  /** A step that leads nowhere. */
  readonly silly: number;
  /** The first edit of a file is right; else, and no wrong value, it is at a random place of the file. */
  readonly fix: number;
  /** An edit is at the right place and writes a wrong value. */
  readonly wrong: number;
  /** As `fix`, in a file that was edited before. */
  readonly refix: number;
  /** Runs the tests after an edit; else finishes. */
  readonly test: number;
  /** Finishes after a failing test; otherwise continues. */
  readonly submitEarly: number;
  /** Finishes before it has seen the bug. */
  readonly finishEarly: number;
  /** Edits some file before it has seen the bug. */
  readonly blind: number;
  /** Views one statement instead of the file. */
  readonly part: number;
}

/**
 * State of the demonstrator, in addition to the probabilities of its behaviour: the bug that it looks for, and the code
 * that it has seen.
 */
export class Demonstrator {
  private bug: Bug;
  /** A helper that is known to be at fault. */
  private suspect: string | undefined;
  private readonly viewed = new Set<string>();
  /** `file/statement` */
  private readonly viewedStatements = new Set<string>();
  /** Files that a search or a test has led to. */
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

  /** The next action. @param repository files as they are */
  next(repository: Repository): Action {
    if (this.random.next() < this.behaviour.silly) return this.silly();
    const sees = this.viewedStatements.has(`${this.file}/${this.bug.statement}`);
    if (!sees) return this.lastTest === 'pass' ? action('finish') : this.search(repository);
    if (this.phase === 'tested') {
      if (this.lastTest === 'pass' || this.random.next() < this.behaviour.submitEarly) return action('finish');
      this.phase = 'edit';
      // The next bug may be somewhere else: think again from the start.
      return this.next(repository);
    }
    if (this.phase === 'edit') return this.edit(repository);
    return this.random.next() < this.behaviour.test ? action('test') : action('finish');
  }

  /** Learns from what an action brought. */
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

  /** Looks for the statement with the bug. */
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

  /** Edits the file of the bug. */
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

  /** Another option at some site of a file. */
  private randomEdit(repository: Repository, name: string): Action {
    const { random } = this;
    const tokens = repository.find(({ file }) => file === name)?.statements.flat() ?? [];
    const options = tokens.filter((token) => OPTIONS.includes(token));
    const old = options.length > 0 ? pick(random, options) : '0';
    // An option of two sites is twice as likely.
    const candidates = SITES.filter((site) => site.includes(old))
      .flat()
      .filter((option) => option !== old);
    return action('modify', name, old, pick(random, candidates.length > 0 ? candidates : OPTIONS));
  }
}

function action(tool: Tool, ...args: readonly string[]): Action {
  return { tool, args };
}
