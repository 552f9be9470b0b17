/**
 * Most probable reason for the conclusion "no such gain" or "reverse", by claim and by experiment. Reasons do not
 * affect conclusions; pages show them only next to such a conclusion. Reasons contain no numbers, because the results
 * next to them do.
 */
export const REASONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  t2: {
    shortcut:
      'Under MT-PPO the credit of the first turn is the sum of its turn reward and the outcome. Before the policy has learned to read, an answer from memory has a larger sum than a search; afterwards a search has the larger sum. The result depends on which effect comes first. In the open world memory does not have the answers.',
  },
  t3: {
    shortcut:
      'Answers over training are answers from memory in this world, so a policy without the tool has more of them. The column *held out* of the same runs has the new questions.',
    open: 'Without a gain from memory, the reward of a search in the merged sum is enough to keep the tool: both arms read, so there is no room for a gain.',
  },
  t4: {
    open: 'The reward of a search is the same for both arms before reading is learned, and both learn to read at the same time. PPO-OR in the same table lacks that reward.',
  },
  t5: {
    open: 'Both arms end with tool use and with nearly every answer well formed, so there is no room for a gain. In the shortcut world GRPO-MR loses the tool.',
  },
  t6: {
    open: 'A merged reward includes the reward of turn 1, so it ties only if all first turns are equal. In the shortcut world they are equal after the tool is lost.',
  },
  t7: {
    'four turns':
      'Tool use counts rollouts that search at all, and a free search is one more reason to do it. The instability shows in the answers to new questions.',
  },
  t10: {
    'three turns':
      'Chains keep their tool too, so there is no room for a gain in tool use. The arms differ in answers.',
  },
  t12: {
    'nothing is paid':
      'Equal rewards make every advantage 0, so no reward changes the policy. The other arm differs only in its KL term.',
  },
  m1: {
    'five attempts, by difficulty':
      'Most problems that three attempts leave unsolved are too hard for both arms. Training uses two turns, and neither arm is trained on a fourth.',
  },
  m6: {
    'times, 6 x 4':
      'Turns without an advantage are left out of every update (`skipZero`), so much of what InterP prunes was not computed anyway; the column *retained* has the share. Trees have 24 continuations here and 64 in the paper.',
  },
  m10: {
    muCode:
      'μCode imitates the best program of a problem after every context of its turns, including the plain prompt, so it trains first programs; MaRS gives a failed first program whose repair succeeds the credit of a right one.',
  },
  v5: {
    'several turns':
      'The groups that tie are solved ones, and a policy that solves more has more of them. The metrics `degenerateBest` and `degenerateWorst` distinguish the two kinds of ties.',
  },
  v6: {
    '200 updates':
      'The reward model is trained on programs of the warm start and then frozen. The policy learns to write programs whose score is too high, also in single-turn training. The model of the paper has 7B parameters; its size is not varied here.',
  },
  v7: {
    times:
      'An update is small here: the policy has 166,000 parameters, and credit takes the same time for every policy.',
  },
  'own-absent': {
    'four turns':
      'If a rollout gets credit for turns that it did not take, every further search has more credit than an earlier end, whatever it searches for, and reading is learned late.',
  },
  'own-critics': {
    '1e-4':
      'An episode has at most 14 short actions here, and the critic, a whole network of the policy’s size, sees all of it before every token, so the outcome is easy to predict; the paper is about long tasks and models of 30B parameters.',
  },
  r8: {
    'problem by problem':
      'Training adds no skill here that competes with earlier skills: there is one kind of task, and the policy has unused capacity.',
  },
};
