import type { Episode, StepResult, Timing } from '../../environments/environment.ts';

/** Sequence during collection. */
export interface RunningSequence {
  /** Row of the token table. */
  readonly number: number;
  readonly group: number;
  readonly tokens: number[];
  /** [tokens] index in `turns`, -1 for tokens that the policy did not write in this sequence. */
  readonly turnOf: number[];
  readonly turns: CollectedTurn[];
  /** Number of tokens in the key-value cache. */
  cached: number;
  toolProbability: number | undefined;
}

/** Turn of the forest during collection. */
export interface CollectedTurn {
  readonly sequence: RunningSequence;
  readonly parent: CollectedTurn | undefined;
  /** Continuations of the turn, in the order of sampling. */
  readonly children: CollectedTurn[];
  /** Result of the turn. Replaced if a reward model sets the rewards (`payTurns`). */
  stepResult: StepResult;
  /** Number of tokens that the policy wrote. */
  readonly length: number;
}

/** Turn that is sampled next. */
export interface PendingTurn {
  readonly sequence: RunningSequence;
  readonly episode: Episode<Timing>;
  readonly parent: CollectedTurn | undefined;
  /** Number of earlier turns of the episode. */
  readonly turn: number;
}

/** Creates a sequence from tokens that the policy did not write. @param number row of the token table */
export function openSequence(number: number, group: number, tokens: readonly number[]): RunningSequence {
  return {
    number,
    group,
    tokens: [...tokens],
    turnOf: tokens.map(() => -1),
    turns: [],
    cached: 0,
    toolProbability: undefined,
  };
}

/** Adds a finished turn to its sequence and its parent. @param length number of tokens that the policy wrote */
export function addTurn(
  { sequence, parent }: Pick<PendingTurn, 'sequence' | 'parent'>,
  stepResult: StepResult,
  length: number,
): CollectedTurn {
  const turn: CollectedTurn = { sequence, parent, children: [], stepResult, length };
  sequence.turns.push(turn);
  parent?.children.push(turn);
  return turn;
}
