import { md5 } from '@noble/hashes/legacy.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Action } from './actions.ts';
import { GRANULARITIES, type Granularity } from './granularity.ts';
import type { Repository } from './repository.ts';
import { repositoryKey } from './repository.ts';
import { isScope } from './vocabulary.ts';

/** Returns four hex digits of the MD5 of the replaced token followed by its replacement. */
export function editHash(old: string, replacement: string): string {
  return bytesToHex(md5(utf8ToBytes(old + replacement))).slice(0, 4);
}

/** Success of an action. */
export interface Done {
  readonly valid: boolean;
  /** True if `execute` did not crash and `test` had no failing test. */
  readonly ok: boolean;
}

/**
 * Returns the signature of an action, for example `view:full@core.py`, `view:partial[1]@core.py`, `search:top@.`,
 * `modify:replace:9f3a@core.py`, `create@lib.py`, `execute@app.py:ok`, `test@tests:error`, `think` or `finish`. The
 * signature of an invalid action ends with `:error`.
 */
export function actionSignature({ tool, args }: Action, { valid, ok }: Done): string {
  const error = valid ? '' : ':error';
  const result = valid && ok ? ':ok' : ':error';
  switch (tool) {
    case 'view': {
      const [file, scope] = args;
      // A valid partial view has the form of the paper. An invalid scope remains in the signature.
      const scopeText = valid && isScope(scope) && scope !== 'full' ? `partial[${scope.slice(1)}]` : scope;
      return `view:${scopeText}@${file}${error}`;
    }
    case 'search':
      return `search:${args[0]}@.${error}`;
    case 'modify':
      return `modify:replace:${editHash(args[1], args[2])}@${args[0]}${error}`;
    case 'create':
      return `create@${args[0]}${error}`;
    case 'execute':
      return `execute@${args[0]}${result}`;
    case 'test':
      return `test@tests${result}`;
    case 'malformed':
      return 'malformed:error';
    default:
      return tool;
  }
}

/** Record of the actions so far. It returns the state before the next turn at each granularity. */
export class Trace {
  private readonly operations = new Map<string, Set<string>>();
  private readonly actions: string[] = [];
  private planSteps = 0;
  private passes = 0;
  private fails = 0;
  private last = '';

  /** Returns an independent copy of the trace. */
  copy(): Trace {
    const copy = new Trace();
    for (const [file, operations] of this.operations) copy.operations.set(file, new Set(operations));
    copy.actions.push(...this.actions);
    copy.planSteps = this.planSteps;
    copy.passes = this.passes;
    copy.fails = this.fails;
    copy.last = this.last;
    return copy;
  }

  /**
   * Adds a turn. Invalid actions and `execute` do not change the sets of operations, as in the paper.
   * @param hits files that a search returned
   */
  add(action: Action, done: Done, observation: readonly string[], hits: readonly string[] = []): void {
    const { tool, args } = action;
    this.actions.push(actionSignature(action, done));
    this.last = [tool, ...args, '>', ...observation].join(' ');
    if (!done.valid) return;
    if (tool === 'view') this.operate(args[0], args[1] === 'full' ? 'Vf' : `V[${args[1].slice(1)}]`);
    if (tool === 'search') for (const file of hits) this.operate(file, 'S');
    if (tool === 'modify') this.operate(args[0], `M:${editHash(args[1], args[2])}`);
    if (tool === 'create') this.operate(args[0], 'C');
    if (tool === 'think') this.planSteps++;
    if (tool === 'test') {
      if (done.ok) this.passes++;
      else this.fails++;
    }
  }

  /**
   * Returns the present state.
   * @param repository present files, for `contents`
   */
  state(granularity: Granularity, repository: Repository): string {
    const counts = `pass=${this.passes},fail=${this.fails}`;
    switch (granularity) {
      case 'history':
        return this.actions.map((action) => `>${action}`).join('');
      case 'paper':
        return `${this.files(() => true)}#think=${this.planSteps},${counts}`;
      case 'coarse':
        return `${this.files((operation) => operation.startsWith('M:'))}#${counts}`;
      case 'contents':
        return `${repositoryKey(repository)}#${this.last}`;
    }
  }

  /** Returns the present state at each granularity. */
  states(repository: Repository): Readonly<Record<Granularity, string>> {
    const all = GRANULARITIES.map((granularity) => [granularity, this.state(granularity, repository)]);
    return Object.fromEntries(all) as Record<Granularity, string>;
  }

  /** Formats files and operations, both sorted: `core.py:M:9f3a,Vf|lib.py:S`. */
  private files(predicate: (operation: string) => boolean): string {
    return [...this.operations]
      .map(([file, operations]) => [file, [...operations].filter(predicate).sort().join(',')])
      .filter(([, operations]) => operations !== '')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([file, operations]) => `${file}:${operations}`)
      .join('|');
  }

  private operate(file: string, operation: string): void {
    const operations = this.operations.get(file) ?? new Set();
    this.operations.set(file, operations.add(operation));
  }
}
