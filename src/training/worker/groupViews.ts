import type { CreditRule } from '../../credit/rule.ts';
import { resultOf } from '../../credit/rules/custom/customRule.ts';
import { findRule } from '../../credit/rules.ts';
import { byTurn, type UsedCredit, valued } from '../../engine/updatePlan.ts';
import type { AnyEnvironment } from '../../environments/environment.ts';
import { type Group, isTree } from '../../rollouts/forest.ts';
import { completeRollouts, groupId, type Rollout, type RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import type { GroupView, RolloutView, TokenView } from '../data/protocol.ts';
import type { BatchWithCredit } from '../update/planUpdate.ts';

/**
 * Returns the view of a group, with summaries, rewards and advantages of its turns. It has the advantages that the
 * update used, and those of outcome-only credit for the same rollouts (in float64).
 * @param group index in the batch, clamped to the valid range
 * @param sample number of the sample, from 1; 0 for a group of an update
 */
export function groupView(
  { batch, controls, credit, exact }: BatchWithCredit,
  group: number,
  environment: AnyEnvironment,
  sample = 0,
): GroupView {
  const index = Math.min(Math.max(0, group), batch.groups.length - 1);
  const rule = findRule(controls.rule as string);
  const forest = batch.groups[index];
  // Outcome-only credit is not defined for trees with fresh prompts, because their sequences are not rollouts.
  const { freshPrompts = false } = environment;
  const outcomeOnly = freshPrompts && isTree(forest) ? undefined : exact.advantages(index, findRule('grpo-or'));
  const firstTurn = batch.forest.groupOffset[index];
  const rollouts = batch.rollouts.slice(batch.rolloutOffset[index], batch.rolloutOffset[index + 1]);
  // Advantages of tokens are in the order of the rollouts.
  let token = countTokens(batch.rollouts.slice(0, batch.rolloutOffset[index]));
  return {
    step: batch.step,
    group: index,
    groups: batch.groups.length,
    sampleOnly: sample > 0,
    ...(sample > 0 ? { sample } : {}),
    question: batch.questions[index],
    rule: rule.name,
    ...findCustomResult(rule, forest),
    forest: credit.values ? valued(forest, byTurn(batch, credit.values).slice(firstTurn)) : forest,
    rollouts: (freshPrompts ? rollouts : completeRollouts(rollouts, batch.forest)).map((rollout): RolloutView => {
      const turns = rollout.turns.map(({ summary, reward, components, forestTurn, detail, tool }) => ({
        forestTurn: forestTurn - firstTurn,
        summary,
        reward,
        components,
        ...(detail ? { detail } : {}),
        ...(tool ? { tool } : {}),
        advantage: credit.turns[forestTurn],
        outcomeOnlyAdvantage: outcomeOnly?.[forestTurn - firstTurn] ?? NaN,
      }));
      const tokenAdvantages = credit.tokens?.subarray(token, token + countTokens([rollout]));
      token += countTokens([rollout]);
      return {
        tokens: tokenViews(rollout, environment, tokenAdvantages),
        turns,
        outcome: rollout.turns.at(-1)?.outcome ?? 0,
      };
    }),
  };
}

function findCustomResult({ name, given }: CreditRule, forest: Group) {
  const result = given && resultOf(name, forest);
  return result && !(result instanceof Error) ? { customResult: result } : {};
}

function countTokens(rollouts: readonly Rollout[]): number {
  return rollouts.reduce((sum, { turnOf }) => sum + turnOf.filter((turn) => turn >= 0).length, 0);
}

/** Returns the views of a rollout's tokens. @param advantages [policy tokens] advantages under a token rule */
function tokenViews(
  { tokens, turnOf, logProb, entropy }: Rollout,
  { vocabulary }: AnyEnvironment,
  advantages: Float32Array | undefined,
): TokenView[] {
  const known = (value: number) => (Number.isNaN(value) ? null : value);
  let position = 0;
  return Array.from(tokens, (token, at) => ({
    text: vocabulary.names[token],
    kind: vocabulary.kind(token),
    turn: turnOf[at],
    logProb: known(logProb[at]),
    entropy: known(entropy[at]),
    ...(advantages && turnOf[at] >= 0 ? { advantage: advantages[position++] } : {}),
  }));
}

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
