/**
 * Most probable reason for "no such gain" or "reverse", by claim and by experiment, and where to look for it. Reasons
 * decide nothing; a page shows them only next to such a conclusion. Reasons contain no numbers: the numbers are in the
 * results next to them.
 */
export const REASONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  t2: {
    shortcut:
      'MT-PPO pays the first turn with its own reward and the outcome in sum. As long as reading is not learned, memory earns more in sum than a search; once it is, a search does. Which comes first is a race. In the open world memory does not know the answers.',
  },
  t3: {
    shortcut:
      'Answers over training are those that memory knows in this world, so a policy without the tool has more of them. The column *held out* of the same runs has the new questions.',
    open: 'Where memory does not pay, the reward of a search in the merged sum is enough to keep the tool: both arms read, so nothing is left to gain.',
  },
  t4: {
    open: 'The reward of a search says the same to both while reading is not learned, and both learn to read at the same time. PPO-OR in the same table lacks that reward.',
  },
  t5: {
    open: 'Both arms end with the tool kept and nearly every answer well formed, so nothing is left to gain. In the shortcut world GRPO-MR loses the tool.',
  },
  t6: {
    open: 'A merged reward holds the reward of turn 1, so it ties only where all first turns are alike. In the shortcut world they are, once the tool is lost.',
  },
  t7: {
    'four turns':
      'Tool use counts rollouts that search at all, and a free search is one more reason to do it. The instability shows in the answers to new questions.',
  },
  t10: {
    'three turns': 'Chains keep their tool too, so nothing is left to gain in tool use. The arms differ in answers.',
  },
  t12: {
    'nothing is paid':
      'Rewards that are alike make every advantage 0, and nothing is left that could move the policy. The other arm differs in its KL term alone.',
  },
  m1: {
    'five tries, by difficulty':
      'What three tries leave unsolved is mostly out of reach of both. Training uses two turns, and neither arm has learned anything for a fourth.',
  },
  m6: {
    'times, 6 x 4':
      'Turns without an advantage are left out of every update (`skipZero`), so much of what InterP prunes was not computed anyway; the column *retained* has the share. Trees have 24 continuations here and 64 in the paper.',
  },
  m10: {
    muCode:
      'μCode imitates the best program of a problem behind everything that stood before any of its turns, the plain prompt among them, so first programs are what it trains; MaRS credits a failed first program whose repair succeeds like a right one.',
  },
  v5: {
    'several turns':
      'The groups that tie are solved ones, and a policy that solves more has more of them. The metrics `degenerateBest` and `degenerateWorst` tell the two kinds of ties apart.',
  },
  v6: {
    '200 updates':
      'A frozen model knows what the warm start wrote, and the policy goes on to write what it is wrong about, on single turns too. The model of the paper has 7B parameters, and its size is not varied here.',
  },
  v7: {
    times: 'An update is small here: the policy has 166,000 parameters, and credit takes as long whatever the policy.',
  },
  'own-absent': {
    'four turns':
      'Where a rollout answers for the turns that it did without, every further search beats having stopped, whatever it is for, and reading is learned late.',
  },
  'own-critics': {
    '1e-4':
      'An episode has at most 14 short actions here, and the critic, a whole network of the policy’s size, sees all of it before every token, so the outcome is easy to foresee; the paper speaks of long tasks and models of 30B parameters.',
  },
  r8: {
    'problem by problem':
      'Nothing that training teaches here competes with what was known: one kind of task, and a policy that is far from full.',
  },
};
