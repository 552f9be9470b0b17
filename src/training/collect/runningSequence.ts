import type { Episode, StepResult, Timing } from '../../environments/environment.ts';

/** A sequence while it is being collected. */
export interface RunningSequence {
  /** Row of the token table. */
  readonly number: number;
  readonly group: number;
  readonly tokens: number[];
  /** [tokens] index in `turns`, -1 for what the policy did not write here. */
  readonly turnOf: number[];
  readonly turns: CollectedTurn[];
  /** Tokens that the key-value cache holds. */
  cached: number;
  toolProbability: number | undefined;
}

/** A turn of the forest that is being collected. */
export interface CollectedTurn {
  readonly sequence: RunningSequence;
  readonly parent: CollectedTurn | undefined;
  /** In the order in which they were sampled. */
  readonly children: CollectedTurn[];
  /** Replaced where a reward model pays (`payTurns`). */
  stepResult: StepResult;
  /** Tokens that the policy wrote. */
  readonly length: number;
}

/** A turn that is about to be taken. */
export interface PendingTurn {
  readonly sequence: RunningSequence;
  readonly episode: Episode<Timing>;
  readonly parent: CollectedTurn | undefined;
  /** Turns of the episode before this one. */
  readonly turn: number;
}

/** Begins a sequence from tokens that the policy did not write. @param number row of the token table */
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

/** Adds a turn that was judged to its sequence and to its parent. @param length tokens that the policy wrote */
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
