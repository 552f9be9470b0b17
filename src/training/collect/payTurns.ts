import type { CollectRequest } from './collectRequest.ts';
import type { CollectedTurn } from './runningSequence.ts';

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
      const own = sequence.turns.indexOf(turn);
      const written = sequence.tokens.filter((_, at) => sequence.turnOf[at] === own);
      return { task: tasks[sequence.group], written, verdict };
    }),
  );
  turns.forEach((turn, index) => {
    turn.verdict = verdicts[index];
  });
}

function withContinuations(turn: CollectedTurn): readonly CollectedTurn[] {
  return [turn, ...turn.children.flatMap(withContinuations)];
}
