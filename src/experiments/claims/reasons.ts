/**
 * The likeliest reason of "no such gain" or "reverse", and the experiment that speaks for it, by claim and by experiment. They read
 * results and decide nothing; a page shows them only beside such a verdict.
 */
export const REASONS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  t2: {
    shortcut: [
      'MT-PPO pays the first turn with its own reward and the outcome in sum. As long as reading is not learned, memory earns more in sum than a search; once it is, a search does. Which comes first is a race.',
      'For it speaks the other world, where memory does not know the answers: there all ten seeds keep the tool. And `why` over updates 10 to 49 of a seed that loses it says that searching was paid −.40 and memory +.03, of one that keeps it −.03 and −.20 (docs/search.md, PPO).',
    ],
  },
  t3: {
    shortcut: [
      'Answers over training are those that memory knows in this world, so whoever has lost the tool has more of them. For it speaks the column *held out* of the same runs: GRPO-MR answers .98 in training and .02 of the new questions, MT-GRPO .69 and .61.',
    ],
    open: [
      'Where memory does not pay, the reward of a search in the merged sum is enough to keep the tool: both arms read, and both answer .93 to .94 of the new questions, so nothing is left to gain. For it speaks the shortcut world, where the same two arms end 98.8 points of tool use apart ([T3](t3.md)).',
    ],
  },
  t4: {
    open: [
      'The reward of a search says the same to both while reading is not learned, and both learn to read at the same time (answers .15 and .14 at update 50, .92 and .93 at 100). For it speaks PPO-OR in the same table, which lacks that reward and does not get there in 120 updates: it ends at .42.',
    ],
  },
  t5: {
    open: [
      'Both arms end with the tool kept and nearly every answer well formed, so nothing is left to gain. For it speaks the shortcut world, where GRPO-MR loses the tool and 3.8 points of well-formed answers with it.',
    ],
  },
  t6: {
    open: [
      'A merged reward holds the reward of turn 1, so it ties only where all first turns are alike. For it speaks the shortcut world, where they are, because GRPO-MR has lost the tool there: it gives turn 1 hardly anything in tied groups (.025), as our sentence says.',
    ],
  },
  t7: {
    'four turns': [
      'Tool use counts rollouts that search at all, and a free search is one more reason to do it. The instability shows in the answers: 19.7 points fewer of the new ones. For it speaks the row of λs = .2, where the price is too high and tool use ends at .63.',
    ],
  },
  t10: {
    'three turns': [
      'Chains end at 1.00 tool use too, so nothing is left to gain. For it speaks the table: all three arms are at .99 to 1.00 from update 50 on, and differ in answers.',
    ],
  },
  'own-absent': {
    'four turns': [
      'Where a rollout answers for the turns that it did without, every further search beats having stopped, whatever it is for, and reading is learned late. For it speaks what four of these runs do in the end: 2.75 to 2.94 searches a rollout of 3 that are allowed, and a document once read is answered from in 8 to 26 % (docs/results.md).',
    ],
  },
  t12: {
    'nothing is paid': [
      'Rewards that are alike make every advantage 0, and nothing is left that could move the policy. For it speaks the other arm, which differs in its KL term alone and forgets in five of five seeds.',
    ],
  },
  m1: {
    'five tries, by difficulty': [
      'What three tries leave unsolved is mostly out of reach of both: tries four and five add 1.6 points to MaRS and 1.5 to GRPO paid by pass rate, where they add 5.8 to the warm start. Training uses two turns, and neither arm has learned anything for a fourth.',
    ],
  },
  m6: {
    'times, 6 x 4': [
      'Turns without an advantage are left out of every update (`skipZero`), so much of what InterP prunes was not computed anyway. For it speaks the column *retained*: .54 of the turns without pruning and .42 with it: a fifth of them is saved, not half. Trees have 24 continuations here and 64 in the paper.',
    ],
  },
  m10: {
    muCode: [
      'μCode imitates the best program of a problem behind everything that stood before any of its turns, the plain prompt among them, so first programs are what it trains; MaRS credits a failed first program whose repair succeeds like a right one. For it speaks what each gives up: μCode mends .16 of its failed first programs and MaRS .42, and within three tries they cannot be told apart.',
    ],
  },
  v5: {
    'several turns': [
      'The groups that tie are solved ones, and a policy that solves more has more of them. For it speaks a recorded run: every group that ties under VeRPO has the highest reward throughout, none the lowest (`degenerateBest` .121 and .176, `degenerateWorst` .000; docs/results.md).',
    ],
  },
  v6: {
    '200 updates': [
      'Several turns are not what it takes: a frozen model knows what the warm start wrote, and the policy goes on to write what it is wrong about, on single turns too. For it speaks what these programs look like (docs/repair.md, A learned reward): they become alike, half of them with one and the same comparison, and are loved and fail. The paper’s model has 7B parameters; what holds single turns up there may be its size, which no experiment here varies.',
    ],
  },
  v7: {
    times: [
      'An update is small here: .9 s for 173 programs of a policy of 166,000 parameters, where all of credit takes 3 ms whatever the policy. For it speaks the test beside it: the share is under 1 %, and it falls as updates grow.',
    ],
  },
  'own-critics': {
    '1e-4': [
      'An episode has at most 14 short actions here, and the critic, a whole network of the policy’s size, sees all of it before every token, so the outcome is easy to foresee; the paper speaks of long tasks and models of 30B parameters. For it speaks that PPO-OR, which is paid the outcome alone, ends where rewards of steps lead, too: 82.7 %, MT-PPO 82.5 and RTMC 83.1, where GRPO with the outcome ends at 77.0.',
    ],
  },
  r8: {
    'problem by problem': [
      'Nothing that training teaches here competes with what was known: one kind of task, and a policy that is far from full. For it speaks the table: easy problems rise from 47.5 to 98.5 % with the hard ones, and what counts as lost for the warm start itself, played again, is chance (47.2 %).',
    ],
  },
};
