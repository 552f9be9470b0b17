import { chartStrings } from './chartStrings.ts';
import { shellStrings, urlStrings } from './shellStrings.ts';
import { environmentStrings } from './storyStrings.ts';

/**
 * Texts of the page. Texts of panels that load later are in separate files in this folder. Labels and help of
 * parameters are in their tables, and titles of rules are in the files of the rules.
 */
export const strings = {
  name: 'Turnwise',
  title: 'Turnwise: see which turn of an agent gets the credit',
  shell: shellStrings,
  /** Description of radio buttons whose choice has an immediate effect. */
  manualRadios: 'Arrow keys move the focus. Enter or Space selects.',
  environments: environmentStrings,
  rule: {
    customTitle: 'Your rule',
    customIdea: 'Write a rule in Python, or open one from a file.',
    label: 'Credit rule',
    help: 'How rewards become advantages. Switch at any time: the run continues with the new rule.',
    more: 'More',
    moreLabel: 'More credit rules',
    units: { token: 'Credit per token.', turn: 'Credit per turn.', rollout: 'Credit per rollout.' },
    /** Second line of each rule in the rule switch. */
    lines: {
      'mt-grpo': 'credit per turn',
      'grpo-or': 'same credit for all turns',
      'grpo-mr': 'same credit, rewards summed',
      'grpo-mt': 'same credit for both attempts',
      'murphy-mars': 'credit per attempt',
      rtmc: 'credit per step',
    } as Readonly<Partial<Record<string, string>>>,
    planned: (step: number, rule: string) => `Scheduled: ${rule} from step ${step}.`,
    plannedOver: (step: number, rule: string) => `Manual rule until step ${step}, then ${rule} as scheduled.`,
    dropPlan: 'Cancel schedule',
    dropPlanHelp: 'Cancels all scheduled changes',
  },
  status: {
    loading: 'Loading',
    warming: 'Warm start',
    playing: 'Training',
    measuring: 'Measuring',
    paused: 'Paused',
    hidden: 'Paused: tab hidden',
    recovering: 'Recovering',
    stopped: 'Stopped',
    step: (step: string) => `update ${step}`,
    announcePaused: (step: number) => `Paused after ${step} updates.`,
    announceTraining: 'Training.',
  },
  transport: {
    label: 'Run',
    play: 'Play',
    pause: 'Pause',
    step: 'Step',
    stepHelp: 'One update, then pause',
    reset: 'Reset',
    resetHelp: 'Restarts at step 0 with the current controls. This run stays in “Saved runs”.',
    seed: 'Seed',
    seedHelp: 'Seed of all random draws of the run. The same seed gives the same curve.',
  },
  settings: { button: 'Settings', experiments: 'Experiments', run: 'Run', page: 'Page' },
  presets: {
    label: 'Presets',
    value: (label: string, value: string) => `${label} ${value}`,
    world: (title: string) => title,
    from: (step: number, changes: string) => `from step ${step} ${changes}`,
    sets: (values: string) => `Sets ${values}. All other values are the defaults.`,
    retained: (values: string) => `Keeps your batch sizes: ${values}.`,
  },
  theme: { label: 'Theme', auto: 'System', light: 'Light', dark: 'Dark' },
  charts: chartStrings,
  group: {
    title: (rollouts: number | undefined) =>
      rollouts === undefined ? 'Current group' : `Current group: ${rollouts} rollouts of one prompt`,
    caption:
      'All rollouts of a group answer the same question. Their rewards are compared within the group, which gives the ' +
      'advantages.',
    captionCritic:
      'All rollouts of a group answer the same question. A critic, not the group, gives the baseline of each token.',
    number: (group: number, groups: number) => `Group ${group} of ${groups}`,
    previous: 'Previous group',
    next: 'Next group',
    pin: 'Pin this group',
    pinHelp: 'Keeps this group on the screen while training continues',
    sample: 'Sample a new group',
    sampleHelp: 'Samples a group with the current policy, without an update',
    sampled: (number: number | undefined) =>
      number === undefined ? 'sampled, not trained on' : `sample ${number}, not trained on`,
    tie: 'Sample a tied group',
    tieHelp:
      'Samples groups with the current policy, without an update, and shows one whose rollouts have equal outcomes but ' +
      'different turn rewards: outcome-only credit gives no signal there',
    noTie: (samples: number) => `None of ${samples} sampled groups is tied.`,
    flatTie: (samples: number) =>
      `In all tied groups of ${samples} samples, the turn rewards are equal as well. Earlier updates have more ties with a signal: reset the run and sample at update 0 to 5.`,
    credit: {
      title: (rollout: number) => `How rollout ${rollout}’s advantages are computed`,
      turnHead: 'Turn',
      under: 'Credit rule',
      differsFromRun: (rule: string) => `the run trains with ${rule}`,
    },
    question: 'Question',
    waiting: 'The first group appears with the first update.',
    rollout: 'Rollout',
    show: (rollout: number) => `Show the transcript of rollout ${rollout}`,
    turn: (turn: number) => `Turn ${turn}`,
    rewardTurn: 'Rᴵ',
    rewardTurnTitle: 'Reward of the turns before the last, by component',
    rewardOutcome: 'Rᴼ',
    rewardOutcomeTitle: 'Outcome reward, by component',
    advantage: (turn: number) => `A${subscript(turn)}`,
    probability: (turn: number) => `p${subscript(turn)}`,
    advantageTitle: (turn: number, rule: string, mean: boolean) =>
      `${mean ? 'Mean advantage of the tokens' : 'Advantage'} of turn ${turn} under ${rule}`,
    outcomeOnly: 'outcome-only credit',
    outcomeOnlyKey: 'outcome-only credit (GRPO-OR) of the same rollouts',
    cutKey: (limit: number) => `pointed bar: beyond ±${limit}`,
    badges: {
      label: 'Credit of this group',
      credit: 'Credit',
      per: { token: 'per token', turn: 'per turn', rollout: 'per rollout' },
      first: 'Turn 1',
      firstOnly: 'Turn 1 under outcome-only credit',
      equalTurns: ', here equal in all turns',
      signal: (range: string) => `signal (range ${range})`,
      noSignal: 'no signal',
    },
    spread: 'Distribution of advantages',
    deviationCaption:
      'One dot per rollout. If all dots are at zero, the turn gets no gradient. Below: outcome-only credit of the same ' +
      'rollouts.',
    deviationRange: (low: string, high: string) => `${low} to ${high}`,
    noDeviation: 'all equal',
    deviationLabel: (turn: number, rule: string, low: string, high: string) =>
      `Turn ${turn} under ${rule}: advantages from ${low} to ${high}`,
    transcript: (rollout: number) => `Transcript of rollout ${rollout}`,
    transcriptCaption:
      'Shaded by advantage: the update makes these tokens more or less likely. Hatched: environment tokens (masked).',
    environment: 'environment tokens (masked)',
    tokenTitle: (kind: string, advantage: string, logProb: string, entropy: string) =>
      `${kind} · A ${advantage} · log p ${logProb} · entropy ${entropy}`,
    environmentTitle: (kind: string) => `${kind} · environment token (masked)`,
    less: 'less likely',
    more: 'more likely',
    tokenTable: 'Token by token',
    token: 'Token',
    kind: 'Kind',
    logProb: 'log p',
    entropy: 'Entropy',
    masked: 'masked',
    turnHead: (turn: number, advantage: string, mean: boolean) => `Turn ${turn}, ${mean ? 'mean A' : 'A'} ${advantage}`,
    /** Labels of reward components. Other components keep their names. */
    components: {
      executed: 'executed',
      retrieved: 'retrieved',
      format: 'format',
      skip: 'skipped',
      searchCost: 'cost',
      right: 'correct',
      wrong: 'incorrect',
      malformed: 'malformed',
    } as Readonly<Record<string, string>>,
  },
  controls: {
    region: 'Controls',
    rewards: 'Rewards',
    rewardsCaption: 'Changes apply at the next update.',
    rule: (rule: string) => `${rule} parameters`,
    training: 'Training',
    world: 'Environment settings',
    worldCaption: 'Changes apply to a new run, after a new warm start.',
    applyWorld: 'Start a new run with these settings',
    worlds: 'Presets',
    customWorld: 'Custom settings.',
    reset: (label: string) => `Reset ${label} to its default`,
    resetToRun: (label: string) => `Reset ${label} to the run’s value`,
    resetShort: 'reset',
    help: (label: string) => `What is ${label}?`,
    explain: 'Explain',
    explainAll: (term: string) => `Explain: ${term}`,
    none: 'This rule has no parameters.',
    warm: 'Train the warm start here',
    warmHelp: 'Trains the starting policy on this device instead of loading the included one, then starts at step 0.',
  },
  warming: {
    title: 'Warm start',
    progress: (number: number, stages: number, stage: string, step: number, steps: number) =>
      `Stage ${number} of ${stages} (${stage}): step ${step} of ${steps}`,
    /** @param seconds undefined if there is no estimate yet */
    left: (seconds: number | undefined) => {
      if (seconds === undefined) return 'remaining time: unknown';
      if (seconds >= 90) return `about ${Math.round(seconds / 60)} minutes left`;
      return `about ${Math.max(5, Math.ceil(seconds / 5) * 5)} seconds left`;
    },
    cancel: 'Cancel',
    cancelHelp: 'Cancels the warm start and returns to the previous run, paused.',
    cancelled: (step: number) => `The warm start was cancelled. This is the previous run, paused at step ${step}.`,
    cancelledFresh: 'The warm start was cancelled. This is a run with the default settings, paused at step 0.',
    loss: (loss: string) => `loss ${loss}`,
    again: (missed: string) => `The policy never ${missed}, so the warm start restarts with other initial weights.`,
    why: 'Supervised training teaches the format of calls and answers. Reinforcement learning follows.',
  },
  log: {
    title: 'Event log',
    empty: 'No events yet.',
    step: 'Update',
    eventHead: 'Event',
    change: (label: string, from: string, to: string) => `${label}: ${from} → ${to}`,
    asPlanned: (changes: string) => `${changes} (scheduled)`,
    unplanned: 'The scheduled changes were cancelled',
    sample: (number: number) => `Sampled a group: sample ${number}`,
    tieSample: (number: number) => `Sampled a tied group: sample ${number}`,
    noTie: (samples: number) => `No tied group in ${samples} samples`,
    show: 'Show',
    ofRule: (rule: string, label: string) => `${label} of ${rule}`,
    none: 'none',
  },
  device: {
    label: 'Device and speed',
    software: 'software renderer: slow',
    steps: (rate: string) => `${rate} updates/s`,
    tokens: (rate: string) => `${rate} tokens/s`,
    split: (generate: string, update: string) => `${generate} ms sampling + ${update} ms update`,
  },
  runs: {
    title: 'Saved runs',
    caption: 'Stored in this browser only. Each resumes exactly where it stopped.',
    empty: 'No saved runs yet. A run is saved when it is paused, and every 15 seconds while it trains.',
    emptyUnsaved: 'No saved runs.',
    open: 'Open',
    openRun: (name: string, step: number) => `Open ${name} at step ${step}`,
    remove: 'Delete',
    removeRun: (name: string) => `Delete ${name}`,
    removeSure: 'Really delete?',
    file: 'File',
    fileRun: (name: string) => `Export ${name} as a file`,
    import: 'Import run',
    current: 'this run',
    at: (step: number) => `step ${step}`,
    bytes: (megabytes: string) => `${megabytes} MB`,
    name: (rules: string, seed: number) => `${rules}, seed ${seed}`,
    ruleFrom: (step: number, rule: string) => `from step ${step} ${rule}`,
    summary: (environment: string, rules: string, seed: number) => `${environment}: ${rules}; seed ${seed}`,
    resumed: (step: number) => `Your run was resumed, paused at step ${step}.`,
    imported: (file: string) => `${file} was opened.`,
    removed: (name: string) => `${name} was deleted.`,
  },
  storage: {
    rejectedText: (reason: string) =>
      `Not saved on this device: ${reason}. Everything else works; export a run as a file to keep it.`,
    full: (step: number | null) =>
      step === null
        ? 'The storage of this browser is full: this run is not saved. Delete a saved run, or export this one as a file.'
        : `The storage of this browser is full: the last saved state is step ${step}. Delete a saved run, ` +
          `or export this one as a file.`,
    failed: (reason: string) => `The run could not be saved: ${reason}. The previously saved state is still there.`,
    corrupt: (name: string, reason: string) =>
      `The saved run ${name} cannot be read: ${reason}. The stored data was not changed, and no other run is affected.`,
    badFile: (file: string, reason: string) => `${file} was not opened: ${reason}. Nothing was changed.`,
    listFailed: (reason: string) => `The runs on this device cannot be listed: ${reason}.`,
  },
  problem: {
    region: 'Problems',
    restart: (step: number) => `Resume from the checkpoint of step ${step}`,
    restartFresh: 'Start again from step 0',
    again: 'Try again',
    dismiss: 'Dismiss',
    crashed: (reason: string) => `The training worker stopped: ${reason}. The curves are still here.`,
    unreadable: 'A message of the training worker cannot be read',
    workerFailed: 'it could not be loaded',
  },
  notices: {
    region: 'Notices',
    link: 'About this link',
    dismiss: 'Dismiss',
  },
  url: urlStrings,
  share: {
    title: 'Share and export',
    link: 'Copy link',
    copied: 'Link copied. It reproduces this run, including manual changes.',
    copiedLong: (changes: number, limit: number) =>
      `Link copied. It contains ${limit} of the ${changes} steps with changes. ` +
      'Export the run as a file to keep all changes.',
    copyFailed: 'The browser blocks the clipboard here. Copy the address of the page instead.',
    csv: 'Curves (CSV)',
    group: 'Group (JSON Lines)',
    run: 'Export run',
    panels: 'Show',
    panelNames: {
      chart: 'main chart',
      curves: 'small charts',
      controls: 'controls',
      group: 'group',
      rule: 'your rule',
      inspector: 'inspector',
      truth: 'measured values',
      python: 'Python',
      log: 'event log',
      runs: 'runs',
    },
  },
  noEngine: {
    title: 'This browser cannot train',
    body:
      'Turnwise trains on the processor through WebAssembly SIMD, or on a graphics card through WebGPU. This browser ' +
      'has neither.',
    how: 'Browsers that can train',
    browsers: [
      ['Chrome, Edge', 'version 91 or newer.'],
      ['Firefox', 'version 89 or newer.'],
      ['Safari', 'version 16.4 or newer on macOS, iOS and iPadOS.'],
    ],
  },
  about: 'Turnwise trains a real network in this tab. Nothing is sent anywhere.',
} as const;

function subscript(number: number): string {
  return String(number).replace(/\d/g, (digit) => '₀₁₂₃₄₅₆₇₈₉'[Number(digit)] ?? digit);
}
