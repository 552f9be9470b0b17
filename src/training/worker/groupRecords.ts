import { byTurn, type UsedCredit } from '../../engine/usedCredit.ts';
import type { Group } from '../../rollouts/forest.ts';
import { groupId, type RolloutBatch } from '../../rollouts/rolloutBatch.ts';

/**
 * Returns the groups of an update for a file. Turns have the form that credit rules read, including values of the
 * critic, and the `advantage` that the update used. A turn with advantage NaN has no `advantage`. Under a token rule,
 * turns also have `tokenAdvantages`, normalised over the batch.
 */
export function groupRecords(batch: RolloutBatch, credit: UsedCredit, rule: string): Group[] {
  const [values, advantages] = [credit.values, credit.tokens].map((tokens) => tokens && byTurn(batch, tokens));
  const { step, questions, forest } = batch;
  return batch.groups.map((group, index) => {
    const first = forest.groupOffset[index];
    const turns = group.turns.map((turn, local) => {
      const advantage = credit.turns[first + local];
      return {
        ...turn,
        ...(values ? { values: values[first + local] } : {}),
        ...(Number.isNaN(advantage) ? {} : { advantage }),
        ...(advantages ? { tokenAdvantages: advantages[first + local] } : {}),
      };
    });
    return { id: groupId(step, index), question: questions[index], rule, step, turns };
  });
}
