import type { Group } from '../../rollouts/forest.ts';

// Small groups for the worked examples in the documentation of the rules, and papers of several rules.

/** Four rollouts of two turns: a tool call with its reward R^I, then an answer with its outcome R^O. */
export const TWO_TURNS: Group = {
  id: 'two turns',
  turns: [
    { parent: -1, reward: 0.6 },
    { parent: 0, reward: 0, outcome: 1 },
    { parent: -1, reward: 0.6 },
    { parent: 2, reward: 0, outcome: 0.2 },
    { parent: -1, reward: -0.2 },
    { parent: 4, reward: 0, outcome: 1 },
    { parent: -1, reward: 0.3 },
    { parent: 6, reward: 0, outcome: -1 },
  ],
};

/**
 * Three rollouts of two turns: the first finds the right document, the second another document, the third does not
 * search.
 */
export const SEARCHED: Group = {
  id: 'searched',
  turns: [
    { parent: -1, reward: 0, answerLogProb: -2.25 },
    { parent: 0, reward: 0, outcome: 1, answerLogProb: -0.25 },
    { parent: -1, reward: 0, answerLogProb: -2.25 },
    { parent: 2, reward: 0, outcome: 0.2, answerLogProb: -3 },
    { parent: -1, reward: 0, answerLogProb: -2.25 },
    { parent: 4, reward: 0, outcome: 0.2, answerLogProb: -2.25 },
  ],
};

/** The rollouts of SEARCHED, with the mean return of four continuations from the state before each turn. */
export const STATE_VALUE_EXAMPLE: Group = {
  id: 'played-on',
  turns: [
    { parent: -1, reward: 0, stateValue: 0.4 },
    { parent: 0, reward: 0, outcome: 1, stateValue: 0.8 },
    { parent: -1, reward: 0, stateValue: 0.4 },
    { parent: 2, reward: 0, outcome: 0.2, stateValue: 0.2 },
    { parent: -1, reward: 0, stateValue: 0.4 },
    { parent: 4, reward: 0, outcome: 0.2, stateValue: 0.4 },
  ],
};

/** Two rollouts of two turns with two tokens each, with the critic's value before each token. */
export const TWO_TURNS_WITH_VALUES: Group = {
  id: 'two turns with values',
  turns: [
    { parent: -1, reward: 0.5, tokens: 2, values: [0.5, 1] },
    { parent: 0, reward: 0, outcome: 1, tokens: 2, values: [0.5, 0.5] },
    { parent: -1, reward: -0.5, tokens: 2, values: [0.5, 0] },
    { parent: 2, reward: 0, outcome: 0, tokens: 2, values: [0.5, 0] },
  ],
};

/** Three rollouts of programs and of tests for these programs, with the critic's value before each token. */
export const VERIFIED: Group = {
  id: 'verified',
  turns: [
    { parent: -1, reward: 0.5, tokens: 2, values: [0.5, 0.75] },
    { parent: 0, reward: 1, tokens: 2, values: [1, 1] },
    { parent: 1, reward: 1, outcome: 1, tokens: 1, values: [1] },
    { parent: -1, reward: 0.5, tokens: 2, values: [0.5, 0.25] },
    { parent: 3, reward: 0.5, tokens: 2, values: [0.5, 0.5] },
    { parent: 4, reward: 0.25, outcome: 0.25, tokens: 1, values: [0.25] },
    { parent: -1, reward: 1, tokens: 1, values: [1] },
    { parent: 6, reward: 0, outcome: 1, tokens: 1, values: [1.5] },
  ],
};

/** Three rollouts of a coding task with three unit tests: one repairs its program, two stop early. */
export const TESTED: Group = {
  id: 'tested',
  turns: [
    { parent: -1, reward: 1 / 3, passed: [1, 0, 0] },
    { parent: 0, reward: 1, passed: [1, 1, 1] },
    { parent: -1, reward: 2 / 3, passed: [1, 1, 0] },
    { parent: -1, reward: 1 / 3, passed: [1, 0, 0] },
  ],
};

/**
 * Four rollouts with shared states: three look, then two of them fix the fault and one gives up. The fourth guesses
 * wrongly.
 */
export const MEETING: Group = {
  id: 'meeting',
  turns: [
    { parent: -1, reward: 0, state: 'start', action: 'look' },
    { parent: 0, reward: 0, state: 'seen', action: 'fix', outcome: 1, solved: true },
    { parent: -1, reward: 0, state: 'start', action: 'look' },
    { parent: 2, reward: 0, state: 'seen', action: 'fix', outcome: 1, solved: true },
    { parent: -1, reward: 0, state: 'start', action: 'look' },
    { parent: 4, reward: 0, state: 'seen', action: 'give up', outcome: 0, solved: false },
    { parent: -1, reward: 0, state: 'start', action: 'guess', outcome: 0, solved: false },
  ],
};

/**
 * Three attempts. The third passes all tests, and each of the others has two continuations. One continuation of the
 * first attempt repairs it. The better continuation of the second attempt reaches the reward of the first attempt.
 */
export const FEEDBACK_TREE: Group = {
  id: 'feedback tree',
  turns: [
    { parent: -1, reward: 0.5, solved: false },
    { parent: -1, reward: 0, solved: false },
    { parent: -1, reward: 1, solved: true },
    { parent: 0, reward: 1, solved: true },
    { parent: 0, reward: 0.5, solved: false },
    { parent: 1, reward: 0, solved: false },
    { parent: 1, reward: 0.5, solved: false },
  ],
};

/** Paper of MT-GRPO and MT-PPO, and of their baselines. */
export const TURN_REWARD_PAPER = {
  title: 'Reinforcing Multi-Turn Reasoning in LLM Agents via Turn-Level Reward Design',
  reference: 'Wei, Zeng et al. 2025, arXiv 2505.11821',
} as const;

export const MURPHY_PAPER = {
  title: 'Murphy: Multi-Turn GRPO for Self-Correcting Code Generation',
  reference: 'Ekbote, Lingam et al. 2025, arXiv 2511.07833',
} as const;

/** Equation of MT-GRPO in its paper. */
export const MT_GRPO_EQUATION = 'MT-GRPO: A_{i,k} = Σ_{l=k}^{K_i−1} α^{l−k} A^I_{i,l} + α^{K_i−k} A^O_i';
