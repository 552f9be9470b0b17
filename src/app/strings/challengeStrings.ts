const EXACT =
  'Exact values: they are computed from the action probabilities of the policy, without measurement error. The value of a turn is the expected outcome after it minus that before it.';

/** Texts of the challenge, loaded with its view. */
export const challengeStrings = {
  title: 'The challenge',
  lead: 'Write a credit rule that finds the turns that helped. Your rule is scored against measured turn values, and compared with every built-in rule that applies.',
  how: 'The table updates as you type. Then race your rule. Nothing is sent anywhere.',
  tasks: 'Tasks',
  names: {
    ties: 'Tied groups',
    tree: 'Repair tree',
    meeting: 'Shared states',
    delayed: 'Delayed effect',
    recovery: 'Recovery',
    stopping: 'Stopping',
  },
  descriptions: {
    ties: 'Search: six rollouts of one question, each with a call of the tool and an answer. All six have the same outcome, so rules that compare outcomes have no signal. The turns differ: some calls found the correct document, some found nothing, some rollouts made no call.',
    tree: 'Repair: four first programs, and three repairs of each that failed its tests. A first turn has no outcome. Its value is the chance to repair it, and one good repair among three may be due to chance.',
    meeting:
      'Repository work: six rollouts of one bug, up to fourteen turns each. They reach the same states on different paths (same files seen, same changes made), so a state has more data than a rollout.',
    delayed:
      'Bandit: four rollouts of eight turns. The first action decides how probable reward 1 is, .8 or .2. The later actions change nothing, so their advantage is 0.',
    recovery:
      'Bandit: eight rollouts. GOOD ends with reward 1. After BAD a second turn repairs the error, or gives up. A repaired error has reward 1, too.',
    stopping:
      'Bandit: eight rollouts of up to five turns. In each turn the policy stops and collects 0, 2, 1, 3 or 0, or continues.',
  },
  truth: {
    ties: 'Measured values: 128 continuations were sampled before each turn. The value of a turn is the mean return after it minus that before it. The return is the outcome plus all turn rewards.',
    tree: 'Measured values: 128 continuations were sampled before each turn. The value of a turn is the chance of solving the task after it minus that before it.',
    meeting:
      'Measured values: 128 continuations were sampled before each turn. The value of a turn is the mean outcome after it minus that before it.',
    delayed: EXACT,
    recovery: EXACT,
    stopping: EXACT,
  },
  group: 'Current group',
  groupName: (number: number, question: string) => `${number}: ${question}`,
  groups: (groups: number, turns: number, clear: number) =>
    `${groups} groups, ${turns} turns; ${clear} of them clearly helped or harmed (more than 3 standard errors from 0).`,
  loading: 'Loading the tasks.',
  notLoaded: (reason: string) => `The challenge could not be loaded (${reason}). Is this device online?`,
  again: 'Try again',
  scores: 'Rules and measured values',
  rule: 'rule',
  correlation: 'correlation',
  wrong: 'wrong sign',
  noAdvantage: 'no advantage',
  cosine: 'gradient',
  yours: (file: string) => `yours: ${file}`,
  noRule: 'Your rule has no results yet. It appears here when it runs without errors.',
  best: 'measured advantages',
  rejectedText: (rule: string, reason: string) => `${rule} cannot read these groups: ${reason}.`,
  rejectedRules: (rules: string) => `Cannot read these groups: ${rules}.`,
  rank: (ahead: number, of: number) => `Your rule has a higher correlation than ${ahead} of ${of} built-in rules.`,
  copy: (title: string) => `Your rule gives the same results as ${title}. Change the rule to compare it.`,
  noDeviation: 'none',
  race: {
    title: 'The race',
    explanation: (rules: string, steps: number, seeds: number) =>
      `Does credit with a higher correlation train faster? Your rule, ${rules} train search from the same warm start, ${steps} updates with each of ${seeds} seeds. The result is the held-out accuracy at the end. Memory answers the training questions; held-out questions need the tool. Three seeds are few: this is a race, not a proof.`,
    and: ' and ',
    start: 'Start race',
    noRule: 'Available when your rule runs without errors.',
    progress: 'Updates of the race',
    finished: (done: number, all: number) => `${done} of ${all} runs`,
    seed: (seed: number) => `seed ${seed}`,
    mean: 'mean',
    result: 'Held-out accuracy at the end of the race',
    chart: 'Held-out accuracy',
    noPoint: 'No update yet.',
  },
  meaning: [
    'Correlation: of the rule’s advantages with the measured ones, over all turns; none if all advantages are equal.',
    'Wrong sign and no advantage: share of the clear turns with an advantage of the wrong sign, or of 0.',
    'Gradient: the cosine of a group’s gradient under the rule with that of 1,024 other groups, mean over the groups.',
    'In brackets: 95 % bootstrap intervals over groups. Twelve groups cannot distinguish all rules.',
  ],
} as const;
