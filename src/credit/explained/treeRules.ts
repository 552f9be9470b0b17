import type { Group } from '../../rollouts/forest.ts';
import { chains, countRollouts, findLeafTurns } from '../arithmetic/chains.ts';
import { mean, normalizationOf } from '../arithmetic/normalize.ts';
import { PRUNING_FORMULA, responseGroups, turnBudget } from '../arithmetic/responseGroups.ts';
import {
  equation,
  formatNumber,
  meanLine,
  normalizedLines,
  operand,
  peerLines,
  sumOf,
  sumOfTerms,
  trajectoryAt,
} from '../explanation/derivation.ts';
import {
  FEEDBACK_TREE,
  MT_GRPO_EQUATION,
  MURPHY_PAPER,
  STATE_VALUE_EXAMPLE,
  TURN_REWARD_PAPER,
} from '../explanation/examples.ts';
import { type Credit, type CreditRule, explain } from '../rule.ts';
import { mtGrpoExact, readTree, rewardsOf } from '../rules/tree/mtGrpoExact.ts';
import { type MurphyValues, murphyMars, murphyMers } from '../rules/tree/murphy.ts';
import { type TreeValues, treeGrpo } from '../rules/tree/treeGrpo.ts';
import { vineppo } from '../rules/tree/vineppo.ts';

/**
 * Group with two first turns and two continuations of each. One continuation is a last turn; each other continuation is
 * followed by one last turn.
 */
const BRANCHED: Group = {
  id: 'branched',
  turns: [
    { parent: -1, reward: 0.6 },
    { parent: 0, reward: 0.3 },
    { parent: 1, reward: 0, outcome: 1 },
    { parent: 0, reward: 0.1 },
    { parent: 3, reward: 0, outcome: 0.2 },
    { parent: -1, reward: -0.2 },
    { parent: 5, reward: 0.5 },
    { parent: 6, reward: 0, outcome: 1 },
    { parent: 5, reward: 0, outcome: -1 },
  ],
};

/** Feedback tree of Murphy with the outcomes of its leaves, and the tokens and log-probabilities of its turns. */
const SAMPLED_TREE: Group = {
  id: 'sampled tree',
  turns: FEEDBACK_TREE.turns.map((turn, index, turns) => ({
    ...turn,
    ...(turns.some(({ parent }) => parent === index) ? {} : { outcome: turn.reward }),
    tokens: [20, 20, 24, 20, 25, 20, 30][index],
    logProb: [-4, -6, -3, -2, -20, -10, -3][index],
  })),
};

/** Rules that compare a turn with other continuations of the same turn. */
export const TREE_RULES: readonly CreditRule[] = [
  explain(murphyMars, {
    fullName: 'Murphy, maximum reward strategy',
    idea: 'The reward of a failed attempt is raised to the reward of the best attempt that its feedback led to.',
    paper: { ...MURPHY_PAPER, equation: 'MaRS: R̂_i = max(R_i, max_{j continues i} R̂_j)' },
    formula: [
      'R̂_i = max(R_i, max_{j continues i} R̂_j), leaves first; R̂_i = R_i where nothing continues i',
      'A_i = (R̂_i − mean_j R̂_j) / (std_j R̂_j + ε) over the turns j of its response group',
      ...PRUNING_FORMULA,
    ],
    example: FEEDBACK_TREE,
    worked: (turn, group, credit, values) =>
      deriveMurphyTurn(turn, group, credit, values, (R, next) => `max(${[R, ...next].map(formatNumber).join(', ')})`),
  }),

  explain(murphyMers, {
    fullName: 'Murphy, mean reward strategy',
    idea: 'The reward of a failed attempt includes a share of the mean reward of the attempts that its feedback led to.',
    paper: { ...MURPHY_PAPER, equation: 'MeRS: R̂_i = (R_i + γ mean_{j continues i} R̂_j) / (S − s + 1)' },
    formula: [
      'R̂_i = (R_i + γ mean_{j continues i} R̂_j) / Z, leaves first; R̂_i = R_i where nothing continues i',
      'Z = S − s + 1 for turn s of at most S, or Z = 2',
      'A_i = (R̂_i − mean_j R̂_j) / (std_j R̂_j + ε) over the turns j of its response group',
      ...PRUNING_FORMULA,
    ],
    example: FEEDBACK_TREE,
    worked: (turn, group, credit, values) =>
      deriveMurphyTurn(turn, group, credit, values, (R, next, left) => {
        const mean = next.length === 1 ? operand(next[0]) : `(${sumOf(next)}) / ${next.length}`;
        const Z = values.normalizer === 'depth' ? left : 2;
        return `(${formatNumber(R)} + ${formatNumber(values.gamma)} · ${mean}) / ${Z}`;
      }),
  }),

  explain(vineppo, {
    fullName: 'PPO without a critic, with continuations from each state',
    idea: 'The credit of a turn is the increase of the state value, the mean return of episodes that continue from a state.',
    paper: {
      title: 'VinePPO: Refining Credit Assignment in RL Training of LLMs',
      reference: 'Kazemnejad, Aghajohari, Portelance et al. 2024, arXiv 2410.01679',
      equation: 'Â_MC(s_t, a_t) = r(s_t, a_t) + γ V̂_MC(s_{t+1}) − V̂_MC(s_t), V̂_MC(s) = (1/K) Σ_k R(τ_k)',
    },
    formula: [
      'V_t = stateValue_t: the mean return of K episodes that the policy continues from before turn t',
      'A_t = γ V_{t+1} − V_t',
      'A_K = R^O − V_K on the last turn',
    ],
    example: STATE_VALUE_EXAMPLE,
    worked(turn, group, { advantage: A, intermediate: { stateValue: V } }, { gamma }) {
      const all = chains(group);
      const { turns, outcome: finalOutcome } = all[trajectoryAt(all, turn)];
      const next = turns[turns.indexOf(turn) + 1];
      const nextTerm = next === undefined ? operand(finalOutcome) : `${formatNumber(gamma)} · ${operand(V[next])}`;
      return [`V = ${formatNumber(V[turn])}`, equation('A', `${nextTerm} − ${operand(V[turn])}`, A[turn])];
    },
  }),

  explain(mtGrpoExact, {
    fullName: 'multi-turn GRPO that branches from every state: a turn is compared with other turns from the same state',
    idea: 'Each turn is compared with the other turns from the same state, and gets a share of the credit of later turns; every state needs a group.',
    paper: { ...TURN_REWARD_PAPER, equation: `${MT_GRPO_EQUATION}, A^I_{i,l} over rollouts from the same state` },
    formula: [
      'A^O_i = normalise R^O_i over all last turns of the group',
      'A^I_t = normalise R^I_t over the intermediate turns that continue the same turn',
      'A_t = A^I_t + α mean_{c continues t} A_c; A_t = A^O_i for a last turn',
      'absent = zero: R^I_t = 0 for a last turn, A^I over all turns that continue the same turn, and A_t = A^I_t + A^O_i for a last turn',
      'absent = leave-one-out: as zero, less the mean of the other turns that continue the same turn',
    ],
    example: BRANCHED,
    worked(turn, group, { advantage, intermediate }, values) {
      const normalization = normalizationOf(values);
      const { children, last, outcomes, siblings, reward } = readTree(group, values);
      const members = siblings.find((list) => list.includes(turn));
      const lines = members
        ? normalizedLines({
            symbols: ['A^I', 'R^I'],
            values: rewardsOf(reward, members),
            at: members.indexOf(turn),
            normalization,
            rollouts: last.length,
          })
        : [];
      const I = intermediate.turnAdvantage[turn];
      const S = intermediate.sharedAdvantage ?? advantage;
      const symbol = intermediate.sharedAdvantage ? 'S' : 'A';
      const compared = members && intermediate.sharedAdvantage ? peerLines(turn, members, S, advantage[turn]) : [];
      const after = children[turn].map((next) => S[next]);
      if (after.length > 0) {
        const next = mean(after);
        const weighted = `${formatNumber(I)} + ${formatNumber(values.alpha)} · ${operand(next)}`;
        return [...lines, meanLine(`${symbol}_c`, after), equation(symbol, weighted, S[turn]), ...compared];
      }
      const at = last.indexOf(turn);
      const O = intermediate.outcomeAdvantage[turn];
      return [
        ...lines,
        ...normalizedLines({ symbols: ['A^O', 'R^O'], values: outcomes, at, normalization }),
        members
          ? equation(symbol, `${formatNumber(I)} + ${operand(O)}`, S[turn])
          : `A = A^O = ${formatNumber(S[turn])}`,
        ...compared,
      ];
    },
  }),

  explain(treeGrpo, {
    fullName: 'GRPO over trees: credit of the leaves, averaged on the way up',
    idea: 'A last turn is compared with all last turns of the group; other turns have the mean credit of their continuations, weighted by probability.',
    paper: {
      title: 'TreeGRPO: Tree-Advantage GRPO for Online RL Post-Training of Diffusion Models',
      reference: 'Ding, Ye 2025, arXiv 2512.08153',
      equation:
        'advantages of leaves, averaged up the tree with the weights that the log-probabilities of its edges give them; the softmax is our reading',
    },
    formula: [
      'A_i = (R^O_i − mean_j R^O_j) / (std_j R^O_j + ε) for a turn that nothing continues, over all such turns j of the group',
      'ℓ_t = log-probability of turn t divided by its tokens (mean), or not divided (sum), or 0 (uniform)',
      'w_t = exp(ℓ_t) / Σ_c exp(ℓ_c) over the turns c that continue the same turn',
      'A_t = Σ_c w_c A_c over the turns c that continue t',
    ],
    example: SAMPLED_TREE,
    worked(turn, group, { advantage: A, intermediate: { score, weight: w } }, values) {
      const all = responseGroups(group);
      const responseGroup = all.find(({ members }) => members.includes(turn));
      const after = all.find(({ parent }) => parent === turn)?.members ?? [];
      const { last, outcomes } = findLeafTurns(group);
      const weighting =
        responseGroup && responseGroup.parent >= 0
          ? weightLines(turn, group, responseGroup.members, { score, weight: w }, values)
          : [];
      if (after.length > 0) {
        const terms = after.map((next) => `${formatNumber(w[next])} · ${operand(A[next])}`);
        return [...weighting, equation('A', sumOfTerms(terms), A[turn])];
      }
      return [
        ...weighting,
        ...normalizedLines({
          symbols: ['A', 'R^O'],
          values: outcomes,
          at: last.indexOf(turn),
          normalization: normalizationOf(values),
        }),
      ];
    },
  }),
];

/** Returns the lines of the weight of a turn in the credit of the turn that it continues. */
function weightLines(
  turn: number,
  { turns }: Group,
  members: readonly number[],
  { score, weight: w }: { readonly score: Float64Array; readonly weight: Float64Array },
  { weights }: TreeValues,
): string[] {
  const { logProb = NaN, tokens } = turns[turn];
  const scoreLines = {
    mean: [equation('ℓ', `${formatNumber(logProb)} / ${tokens}`, score[turn])],
    sum: [`ℓ = ${formatNumber(logProb)}`],
    uniform: [],
  }[weights];
  if (members.length === 1) return [...scoreLines, 'w = 1, because no other turn continues the same one'];
  // Subtracts the largest score, because exp(−1000) / exp(−1000) cannot be computed.
  const largest = Math.max(...members.map((member) => score[member]));
  const exponentials = members.map((member) => `exp(${formatNumber(score[member] - largest)})`);
  return [
    ...scoreLines,
    equation('w', `exp(${formatNumber(score[turn] - largest)}) / (${sumOfTerms(exponentials)})`, w[turn]),
  ];
}

/**
 * Returns the steps of the advantage of one turn.
 * @param text formats the backed-up reward of a turn, from its reward, the backed-up rewards of its continuations and
 *   the remaining turns of the budget, including this turn
 */
function deriveMurphyTurn(
  turn: number,
  group: Group,
  { intermediate }: Credit,
  values: MurphyValues,
  text: (R: number, next: readonly number[], left: number) => string,
): string[] {
  const all = responseGroups(group);
  const responseGroup = all.find(({ members }) => members.includes(turn));
  const selectRetained = (members: readonly number[] = []) =>
    members.filter((member) => !Number.isNaN(intermediate.credited[member]));
  const continuations = selectRetained(all.find(({ parent }) => parent === turn)?.members).map(
    (member) => intermediate.credited[member],
  );
  const left = turnBudget(group, all, values.maxTurns) - (responseGroup?.turn ?? 1) + 1;
  const { reward: R } = group.turns[turn];
  const members = selectRetained(responseGroup?.members);
  return [
    continuations.length === 0
      ? `R̂ = ${formatNumber(R)}, because nothing continues it`
      : equation('R̂', text(R, continuations, left), intermediate.credited[turn]),
    ...normalizedLines({
      symbols: ['A', 'R̂'],
      values: members.map((member) => intermediate.credited[member]),
      at: members.indexOf(turn),
      normalization: normalizationOf(values),
      rollouts: countRollouts(group),
    }),
  ];
}
