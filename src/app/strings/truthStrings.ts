/** Texts of the truth panel. They come with it. */
export const truthStrings = {
  title: 'Rules against the truth',
  caption:
    'The trainer goes back to before and after each turn and lets the policy play on from there many times. What a turn ' +
    'changed in the mean return is its true advantage; each rule only guesses it.',
  form: {
    label: 'What to measure',
    group: 'Group',
    shown: (step: number, group: number, groups: number) => `the one shown: step ${step}, group ${group} of ${groups}`,
    shownSample: (step: number) => `the one shown: sampled at step ${step}`,
    fresh: 'a new sample',
    turns: 'Turns',
    allTurns: (turns: number | undefined) => (turns === undefined ? 'all' : `all ${turns}`),
    rollout: (rollout: number, turns: number) => `of rollout ${rollout} (${turns})`,
    rules: 'Rules',
    cannot: (rule: string, problem: string) => `${rule} cannot read this group: ${problem}`,
    continuations: 'Continuations from each point',
    return: 'Return',
    returns: { outcome: 'the outcome', rewards: 'outcome and rewards of all turns' },
    discount: 'Discount',
    gradients: 'Large batch for gradients',
    noGradients: 'none',
    groups: (groups: number) => `${groups} groups`,
    measure: 'Measure',
    noRule: 'Choose a rule.',
    tied:
      'All rollouts of this group ended alike: rules that compare outcomes give every turn 0. Another group, or a new ' +
      'sample, may say more.',
    tiedOffered:
      'All rollouts of the group that is shown ended alike, so rules that compare outcomes give every turn 0. A new sample ' +
      'is measured instead: one whose rollouts end differently is looked for.',
    pauses: 'Training stands still meanwhile, and goes on as if nothing had been measured.',
  },
  going: {
    label: 'Measuring',
    waiting: 'Waiting for the update in progress.',
    starting: 'Going through the rollouts again.',
    stages: { continuations: 'continuations', gradients: 'gradients' },
    progress: (stage: string, done: number, total: number) => `${stage}: batch ${done} of ${total}`,
    left: (time: string) => `about ${time} left`,
    seconds: (seconds: number) =>
      seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`,
    cancel: 'Cancel',
    cancelling: 'Stopping after this batch.',
  },
  ended: {
    cancelled: 'Cancelled.',
    cancelledWith: 'Cancelled: below is what was complete by then.',
    failed: (problem: string) => `The measurement ended: ${problem}. The run is as it was.`,
    failedShort: 'the training worker stopped',
    newRun: 'The measurement ended because another run began; its group is gone.',
    before: 'Of the run before this one.',
    soFar: 'So far; it sharpens while it goes on.',
    complete: 'The measurement is complete.',
  },
  about: {
    shown: (step: number, group: number, question: string) => `Step ${step}, group ${group}: ${question}.`,
    sample: (step: number, question: string) => `Sampled at step ${step}: ${question}.`,
    later: (step: number) =>
      `The policy has learned since: continuations are played by that of step ${step}, so the truth is about it.`,
    file: (file: string, environment: string, seed: number) => `${file}: ${environment}, seed ${seed}.`,
    turns: (turns: number, groups: number) => `${turns} turns of ${groups} group${groups === 1 ? '' : 's'}`,
    partly: (turns: number, all: number) => `${turns} of the group’s ${all} turns`,
    counted: (turns: string, histories: number, continuations: number) =>
      `${turns}, ${continuations} continuations from ${histories} points.`,
    return: (what: string, discount: string) => `Return: ${what}, ${discount}.`,
    undiscounted: 'not discounted',
    discounted: (gamma: string) => `discounted by ${gamma} a turn`,
  },
  scatter: {
    title: 'Each turn: measured, and what the rules say',
    caption: 'Across: the measured advantage with its standard error. Up: the rule’s own, on its own scale.',
    captionMany: 'Across: the measured advantage; error bars are left out among so many. Up: the rule’s own.',
    truth: 'measured advantage',
    wrongArea: 'where signs are opposite',
    allZero: 'gives every turn 0',
    noSpread: 'no spread: nothing to compare',
    verdicts: {
      right: 'right sign',
      wrong: 'wrong sign',
      silent: 'no advantage',
      unclear: 'measured advantage not clearly different from 0',
      pruned: 'left out by the rule',
    },
    fit: 'line of best fit',
    reader: 'Turns, lowest measured advantage first. Arrow keys move, Home and End go to the ends.',
    turn: (group: number | undefined, rollout: number, turn: number, summary: string) =>
      `${group === undefined ? '' : `Group ${group}, `}${group === undefined ? 'Rollout' : 'rollout'} ${rollout}, turn ${turn}: ${summary}`,
    measured: (advantage: string, error: string) => `measured ${advantage} ± ${error}`,
    own: (rule: string, advantage: string) => `${rule} ${advantage}`,
    values: (before: string, after: string) => `return expected before ${before}, after ${after}`,
    point: 'Point at a turn to read it.',
    description: (turns: number, rules: string) =>
      `${turns} turns by their measured advantage, against the advantages of ${rules}. The table has the numbers.`,
  },
  table: {
    title: 'How close each rule comes',
    measure: 'Measure',
    of: (some: number, all: number) => `${some} of ${all}`,
    truth: 'measured',
    none: '–',
    noSpread: 'no spread',
    correlation: [
      'Correlation',
      'How closely the advantages follow the measured ones, 1 at best; in brackets where it lies with 95 %, drawn again ' +
        'and again from whole groups, or from rollouts where there is one group.',
    ],
    ahead: [
      'Difference to the first',
      'Of the correlations, in the same draws: where the bracket does not hold 0, the rules really differ on these turns.',
    ],
    wrong: ['Wrong sign', 'Share of the clear turns that the rule pushes the wrong way.'],
    silent: ['No advantage', 'Share of the clear turns that the rule leaves alone.'],
    clear: [
      'Clear turns',
      'Turns whose measured advantage is more than three standard errors from 0, of all that the rule gave an advantage: ' +
        'only their signs are known.',
    ],
    cosine: [
      'Cosine of the gradient',
      'Whether the gradient under the rule points where that of the large batch does, 1 at best. No rule can be expected ' +
        'to come closer than the measured advantages do, in the last column.',
    ],
    cosines: [
      'Cosine of a group’s gradient',
      'Mean over the groups: whether the gradient under the rule points where that of the large batch does, 1 at best. No ' +
        'rule can be expected to come closer than the measured advantages do, in the last column.',
    ],
    summed: [
      'Cosine of their sum',
      'The same for the sum of the groups’ gradients: what is left when noise averages out.',
    ],
  },
  data: {
    turns: 'Turns',
    more: (shown: number, all: number) => `The first ${shown} of ${all}; the file has them all.`,
    group: 'Group',
    rollout: 'Rollout',
    turn: 'Turn',
    what: 'What it did',
    before: 'V before',
    after: 'V after',
    reward: 'Reward',
    measured: 'Measured',
  },
  told: {
    title: 'What it says',
    noSpread: 'All measured advantages are alike: nothing that the policy did here was better than anything else.',
    noneClear: 'No turn is clearly better or worse than what was to be expected: more continuations would tell.',
    reliability: (value: string, error: string, deviation: string) =>
      `Reliability ${value}: this share of the spread of the measured advantages (${deviation}) is not error (${error}). ` +
      'The lower it is, the smaller all correlations come out, all alike.',
    unreliable: (value: string) => `Reliability ${value}: most of the spread is error. Ask for more continuations.`,
    allZero: (rule: string) =>
      `${rule} gives every turn the advantage 0: under it all rollouts ended alike, and it learns nothing here.`,
    noVerdict: (clear: number, turns: number, least: number) =>
      `Which rule is closer is not said: ${clear} of ${turns} turns ${clear === 1 ? 'is' : 'are'} clear, and ${least} are ` +
      'needed. Ask for more continuations, or take another group, or one of a later step.',
    noVerdictOfError: (reliability: string, least: string) =>
      `Which rule is closer is not said: the reliability is ${reliability}, and ${least} is needed. Ask for more ` +
      'continuations, or take another group, or one of a later step.',
    outcomeOnly:
      'The return here is the outcome alone: what turns are paid for by themselves is no part of this truth.',
    better: (rule: string, first: string) => `${rule} follows the measured advantages more closely than ${first}.`,
    worse: (rule: string, first: string) => `${rule} follows the measured advantages less closely than ${first}.`,
    same: (rule: string, first: string) =>
      `${rule} gives these turns the same advantages as ${first}, or all in proportion.`,
    undecided: (rule: string, first: string) => `Between ${rule} and ${first} these turns do not decide.`,
    noInterval: 'One rollout alone has no interval: nothing can be drawn again.',
    fewRollouts: (rollouts: number) => `The intervals draw ${rollouts} rollouts of one group: they are rough.`,
    halves: (groups: number, halves: string) =>
      `The two halves of the large batch of ${groups} groups have a cosine of ${halves}: so well is its direction known.`,
    poorHalves: (groups: number, halves: string) =>
      `The large batch of ${groups} groups is too small: its halves have a cosine of ${halves}, and the cosines below say little.`,
    noGradients: 'The gradients were not reached.',
  },
  tools: { json: 'JSON', saveJson: 'Save the measurement as a file (JSON)' },
  file: {
    drop: 'Drop a measurement of the terminal here:',
    choose: 'Choose a file',
    private: 'Nothing is uploaded.',
    refused: (file: string, problem: string) => `${file} was not opened: ${problem}.`,
    kept: 'What was shown stays.',
    close: 'Close the file',
    notJson: (message: string) => `it is not JSON: ${message}`,
    notJsonAt: (line: number, message: string) => `line ${line}: it is not JSON: ${message}`,
    field: (path: string, problem: string) => `field ${path}: ${problem}`,
    missing: 'it is missing',
    empty: 'it is empty',
    noObject: 'it is no object with fields',
    noList: 'it is no list',
    noNumber: (value: string) => `${value} is not a number`,
    noText: (value: string) => `${value} is not a text`,
    noneOf: (value: string, names: string) => `${value} is none of ${names}`,
    otherRule: (rule: string) => `the plan’s rule at this place is “${rule}”`,
    count: (count: number, wanted: number) => `it has ${count} entries, and ${wanted} are wanted`,
  },
} as const;
