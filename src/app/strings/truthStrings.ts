/** Texts of the panel for measured advantages, loaded with the panel. */
export const truthStrings = {
  title: 'Measured turn values',
  caption:
    'Monte Carlo rollouts from before and after each turn. The change of the mean return is the measured advantage of the ' +
    'turn; credit rules estimate it.',
  form: {
    label: 'Measure the turns of a group',
    group: 'Group',
    selectedNote: (name: string, groups: number) => `current group: ${name} of ${groups}`,
    selectedSample: (update: string) => `current group: sampled ${update}`,
    fresh: 'a new sample',
    turns: 'Turns',
    allTurns: (turns: number | undefined) => (turns === undefined ? 'all' : `all ${turns}`),
    rollout: (rollout: number, turns: number) => `of rollout ${rollout} (${turns})`,
    rules: 'Rules',
    cannot: (rule: string, problem: string) => `${rule} cannot read this group: ${problem}`,
    continuations: 'Continuations from each point',
    return: 'Return',
    returns: { outcome: 'outcome', rewards: 'outcome and turn rewards' },
    discount: 'Discount',
    gradients: 'Batch for reference gradients',
    noGradients: 'none',
    groups: (groups: number) => `${groups} groups`,
    measure: 'Measure',
    noRule: 'Choose a rule.',
    tied:
      'All rollouts of this group have the same outcome: rules that compare outcomes give every turn 0. Select another group ' +
      'or a new sample.',
    tiedOffered:
      'All rollouts of the current group have the same outcome, so rules that compare outcomes give every turn 0. A new ' +
      'sample with different outcomes is measured instead.',
    pauses: 'Training pauses during the measurement, which does not change the run.',
  },
  inProgress: {
    label: 'Measuring',
    waiting: 'Waiting for the current update.',
    starting: 'Repeating the rollouts.',
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
    cancelledWith: 'Cancelled. The completed part is below.',
    failed: (problem: string) => `The measurement failed: ${problem}. The run is unchanged.`,
    failedShort: 'the training worker stopped',
    newRun: 'The measurement ended because another run began.',
    before: 'From the previous run.',
    soFar: 'Preliminary: the measurement is running.',
    complete: 'The measurement is complete.',
  },
  about: {
    selectedTitle: (name: string, question: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${question}.`,
    sample: (update: string, question: string) => `Sampled ${update}: ${question}.`,
    policyNote: (step: number) => `The continuations use the policy after update ${step}, so the values belong to it.`,
    file: (file: string, environment: string, seed: number) => `${file}: ${environment}, seed ${seed}.`,
    turns: (turns: number, groups: number) => `${turns} turns of ${groups} group${groups === 1 ? '' : 's'}`,
    partly: (turns: number, all: number) => `${turns} of the group’s ${all} turns`,
    counted: (turns: string, histories: number, continuations: number) =>
      `${turns}, ${continuations} continuations from ${histories} points.`,
    exact: (turns: string, histories: number) =>
      `${turns}, exact values from the action probabilities at ${histories} points.`,
    return: (definition: string, discount: string) => `Return: ${definition}, ${discount}.`,
    undiscounted: 'not discounted',
    discounted: (gamma: string) => `discounted by ${gamma} a turn`,
  },
  scatter: {
    title: 'Measured advantages and rule advantages',
    caption:
      'Horizontal: the measured advantage with its standard error. Vertical: the advantage under the rule, on its scale.',
    captionMany:
      'Horizontal: the measured advantage (no error bars for this many turns). Vertical: the advantage under the rule.',
    truth: 'measured advantage',
    wrongArea: 'opposite signs',
    allZero: 'gives every turn 0',
    noDeviation: 'zero variance: no correlation',
    results: {
      right: 'right sign',
      wrong: 'wrong sign',
      silent: 'no advantage',
      unclear: 'measured advantage not clearly different from 0',
      pruned: 'pruned by the rule',
    },
    fit: 'line of best fit',
    reader: 'Turns, lowest measured advantage first. Arrow keys move, Home and End go to the ends.',
    turn: (group: number | undefined, rollout: number, turn: number, summary: string) =>
      `${group === undefined ? '' : `Group ${group}, `}${group === undefined ? 'Rollout' : 'rollout'} ${rollout}, turn ${turn}: ${summary}`,
    measured: (advantage: string, error: string) => `measured ${advantage} ± ${error}`,
    ruleAdvantage: (rule: string, advantage: string) => `${rule} ${advantage}`,
    values: (before: string, after: string) => `expected return before ${before}, after ${after}`,
    point: 'Point at a turn to see its values.',
    description: (turns: number, rules: string) =>
      `${turns} turns by their measured advantage, against the advantages of ${rules}. The table has the numbers.`,
  },
  table: {
    title: 'Agreement with measured advantages',
    measure: 'Measure',
    of: (some: number, all: number) => `${some} of ${all}`,
    truth: 'measured',
    none: '–',
    noDeviation: 'zero variance',
    correlation: [
      'Correlation',
      'Correlation of the advantages with the measured ones, at most 1. In brackets: 95 % bootstrap interval over groups, or ' +
        'over the rollouts of a single group.',
    ],
    ahead: [
      'Difference from the first rule',
      'Difference of the correlations in the same bootstrap samples. If the interval does not contain 0, the rules differ on these turns.',
    ],
    wrong: ['Wrong sign', 'Share of the clear turns whose advantage has the wrong sign.'],
    noAdvantage: ['No advantage', 'Share of the clear turns with an advantage of 0.'],
    leakage: [
      'Leakage',
      'Share of the absolute credit on turns whose exact advantage is 0. “–”: the advantages are only measured, or no turn ' +
        'has advantage 0.',
    ],
    clear: [
      'Clear turns',
      'Turns whose measured advantage is more than three standard errors from 0, of all turns with an advantage under the ' +
        'rule.',
    ],
    cosine: [
      'Gradient cosine',
      'Agreement of the gradient under the rule with the gradient of the reference batch, at most 1. The last column has the ' +
        'value of the measured advantages: the highest expected value of any rule.',
    ],
    cosines: [
      'Gradient cosine by group',
      'Mean over the groups of the cosine with the gradient of the reference batch, at most 1. The last column has the value ' +
        'of the measured advantages: the highest expected value of any rule.',
    ],
    summed: ['Cosine of the sum', 'The same for the sum of the groups’ gradients, in which noise averages out.'],
    error: [
      'Mean-gradient error',
      'Distance of the mean gradient under the rule from the mean gradient under the measured advantages, relative to the ' +
        'norm of the latter. A rule with another scale has an error even if the direction is right.',
    ],
  },
  data: {
    turns: 'Turns',
    more: (visibleCount: number, all: number) => `The first ${visibleCount} of ${all}; the file has all turns.`,
    group: 'Group',
    rollout: 'Rollout',
    turn: 'Turn',
    explanation: 'Summary',
    before: 'V before',
    after: 'V after',
    reward: 'Reward',
    measured: 'Measured',
  },
  texts: {
    title: 'Summary',
    training: 'The measured value is the training reward. Held-out tasks are not part of it.',
    noDeviation: 'All measured advantages are equal: no turn was better than another.',
    exact: 'The advantages are exact under the current policy: their standard error is 0.',
    noneClear: 'No turn is clearly better or worse than expected. Use more continuations.',
    reliability: (value: string, error: string, deviation: string) =>
      `Reliability ${value}: this share of the variance of the measured advantages (deviation ${deviation}) is not error (${error}). ` +
      'A low reliability lowers all correlations.',
    unreliable: (value: string) => `Reliability ${value}: most of the variance is error. Use more continuations.`,
    allZero: (rule: string) =>
      `${rule} gives every turn the advantage 0: all its rewards are equal, so it has no gradient here.`,
    undecided: (clear: number, turns: number, least: number) =>
      `No ranking: ${clear} of ${turns} turns ${clear === 1 ? 'is' : 'are'} clear, and ${least} are needed. ` +
      'Use more continuations, another group, or a group of a later update.',
    undecidedReliability: (reliability: string, least: string) =>
      `No ranking: the reliability is ${reliability}, and ${least} is needed. Use more ` +
      'continuations, another group, or a group of a later update.',
    outcomeOnly: 'The return here is the outcome alone: turn rewards are not part of it.',
    better: (rule: string, first: string) => `${rule} follows the measured advantages more closely than ${first}.`,
    worse: (rule: string, first: string) => `${rule} follows the measured advantages less closely than ${first}.`,
    same: (rule: string, first: string) =>
      `${rule} gives these turns the same advantages as ${first}, or proportional advantages.`,
    notSeparated: (rule: string, first: string) => `These turns do not distinguish ${rule} from ${first}.`,
    noInterval: 'A single rollout has no interval.',
    rolloutCountNote: (rollouts: number) => `The intervals use ${rollouts} rollouts of one group and are approximate.`,
    halves: (groups: number, halves: string) =>
      `The two halves of the reference batch of ${groups} groups have a cosine of ${halves}.`,
    poorHalves: (groups: number, halves: string) =>
      `The reference batch of ${groups} groups is too small: its halves have a cosine of ${halves}, so the cosines below are unreliable.`,
    noGradients: 'The gradients were not measured.',
  },
  tools: { json: 'JSON', saveJson: 'Save the measurement as a file (JSON)' },
  file: {
    drop: 'Open a result of',
    choose: 'Choose a file',
    private: 'Nothing is uploaded.',
    rejectedText: (file: string, problem: string) => `${file} was not opened: ${problem}.`,
    previousResult: 'The previous result is still displayed.',
    close: 'Close the file',
    notJson: (message: string) => `it is not JSON: ${message}`,
    notJsonAt: (line: number, message: string) => `line ${line}: it is not JSON: ${message}`,
    field: (path: string, problem: string) => `field ${path}: ${problem}`,
    missing: 'it is missing',
    empty: 'it is empty',
    noObject: 'it is not an object',
    noList: 'it is not a list',
    noNumber: (value: string) => `${value} is not a number`,
    noText: (value: string) => `${value} is not a string`,
    noneOf: (value: string, names: string) => `${value} is not one of ${names}`,
    ruleMismatch: (rule: string) => `the plan has the rule “${rule}” here`,
    count: (count: number, expected: number) => `it has ${count} entries, and ${expected} are required`,
  },
} as const;
