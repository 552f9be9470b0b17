import type { CollectRequest } from './collectRequest.ts';
import type { CollectedTurn } from './runningSequence.ts';
import { turnTokens } from './turnTokens.ts';

/** Puts the verdicts of one who pays in place of the environment's. @param roots first turns, of all tasks */
export async function payTurns<Task>(
  roots: readonly CollectedTurn[],
  tasks: readonly Task[],
  pay: NonNullable<CollectRequest<Task>['pay']>,
): Promise<void> {
  const turns = roots.flatMap(withContinuations);
  const verdicts = await pay(
    turns.map((turn) => {
      const { sequence, verdict } = turn;
      return { task: tasks[sequence.group], ...turnTokens(sequence, sequence.turns.indexOf(turn)), verdict };
    }),
  );
  turns.forEach((turn, index) => {
    turn.verdict = verdicts[index];
  });
}

function withContinuations(turn: CollectedTurn): readonly CollectedTurn[] {
  return [turn, ...turn.children.flatMap(withContinuations)];
}
