/** Texts of the challenge; loaded with it. */
export const challengeStrings = {
  title: 'The challenge',
  lead: 'Write a credit rule that knows which turns helped. It is held against what every turn was really worth, which was measured, and against every built-in rule that applies.',
  how: 'Type: the table follows every keystroke that parses. Then let your rule race, and keep what came on your board. Nothing is sent anywhere.',
  tasks: 'Tasks',
  names: { ties: 'Everything ties', tree: 'A tree of repairs', meeting: 'Rollouts that meet' },
  happened: {
    ties: 'Search: six rollouts of one question, each with a call of the tool and an answer. All six ended alike, so whoever compares outcomes sees nothing. The turns were not alike: some calls found the right document, some found nothing, some were no call.',
    tree: 'Repair: four first programs, and three repairs of each that failed its tests. A first turn has no outcome of its own. It is worth what can be made of it, and one good repair among three may be luck.',
    meeting:
      'Repository work: six rollouts of one bug, up to fourteen turns each. They come by the same states on different ways (same files seen, same changes made), so that a state says more than the rollout that it is in.',
  },
  truth: {
    ties: 'The truth: the policy went on 128 times from before each turn. What a turn is worth is the mean return after it less that before it; the return is the outcome and what every turn earns.',
    tree: 'The truth: the policy went on 128 times from before each turn. What a turn is worth is the chance of solving the task after it less that before it.',
    meeting:
      'The truth: the policy went on 128 times from before each turn. What a turn is worth is the mean outcome after it less that before it.',
  },
  group: 'Group in sight',
  groupName: (number: number, question: string) => `${number}: ${question}`,
  groups: (groups: number, turns: number, clear: number) =>
    `${groups} groups, ${turns} turns; ${clear} of them were clearly worth something, or clearly did harm (more than 3 errors from 0).`,
  loading: 'The tasks are being loaded.',
  notLoaded: (reason: string) => `The challenge could not be loaded (${reason}). Is this device online?`,
  again: 'Try again',
  scores: 'Rules against the truth',
  rule: 'rule',
  correlation: 'correlation',
  wrong: 'wrong sign',
  silent: 'no advantage',
  cosine: 'gradient',
  yours: (file: string) => `yours: ${file}`,
  noRule: 'Your rule has no figures yet: it stands here as soon as it works.',
  best: 'the truth itself',
  refused: (rule: string, reason: string) => `${rule} cannot read these groups: ${reason}.`,
  refusedMany: (rules: string) => `Cannot read these groups: ${rules}. They compare rollouts, and these are trees.`,
  rank: (ahead: number, of: number) =>
    `Your rule is nearer to the truth than ${ahead} of ${of} built-in rules, by correlation.`,
  noSpread: 'none',
  meaning: [
    'Correlation: of the rule’s advantages with the measured ones, over all turns; none where it says the same of every turn.',
    'Wrong sign and no advantage: of the clear turns, how many the rule pushes the wrong way, or leaves alone.',
    'Gradient: the cosine of a group’s gradient under the rule with that of 1,024 other groups, mean over the groups.',
    'In brackets: 95 % intervals, whole groups drawn again and again. Twelve groups do not tell every two rules apart.',
  ],
} as const;
