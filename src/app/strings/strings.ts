import { chartStrings } from './chartStrings.ts';
import { environmentStrings } from './environmentStrings.ts';
import { shellStrings } from './shellStrings.ts';
import { urlStrings } from './urlStrings.ts';

/**
 * Texts of the page, in one place; those of panels that come later stand beside it. Labels and help of parameters come
 * from their tables, titles of rules from their files.
 */
export const strings = {
  name: 'Turnwise',
  title: 'Turnwise: watch a reward rule keep a skill alive, or let it die',
  shell: shellStrings,
  /** Said of radio buttons that act. */
  manualRadios: 'Arrow keys move, Enter or Space chooses.',
  environments: environmentStrings,
  rule: {
    own: 'Your rule',
    ownIdea: 'Write one in Python, or open one from a file.',
    label: 'Credit rule',
    help: 'How rewards become advantages. Switch at any time: the run goes on with the new rule.',
    more: 'More',
    moreLabel: 'More credit rules',
    /** One line for each rule of a toggle. */
    lines: {
      'mt-grpo': 'each turn earns its own',
      'grpo-or': 'one number for all turns',
      'grpo-mr': 'one number, all rewards added',
      'grpo-mt': 'one number for both attempts',
      'murphy-mars': 'each attempt earns its own',
      rtmc: 'each step earns its own',
    } as Readonly<Partial<Record<string, string>>>,
    planned: (step: number, rule: string) => `Planned: ${rule} from step ${step}.`,
    plannedOver: (step: number, rule: string) => `Yours until step ${step}, then ${rule}.`,
    dropPlan: 'Drop the plan',
    dropPlanHelp: 'Nothing that is planned for later steps will happen',
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
    step: (step: string) => `step ${step}`,
    announcePaused: (step: number) => `Paused after ${step} steps.`,
    announcePlaying: 'Training.',
  },
  transport: {
    label: 'Run',
    play: 'Play',
    pause: 'Pause',
    step: 'Step',
    stepHelp: 'One update, then pause',
    reset: 'Reset',
    resetHelp: 'Back to step 0 with the controls as they are now; this run is kept below',
    seed: 'Seed',
    seedHelp: 'Number that all random draws of the run are made from. The same seed gives the same curve.',
  },
  settings: { button: 'Settings', experiments: 'Experiments', run: 'Run', page: 'Page' },
  presets: {
    label: 'Presets',
    value: (label: string, value: string) => `${label} ${value}`,
    world: (title: string) => `World ${title}`,
    from: (step: number, changes: string) => `from step ${step} ${changes}`,
    sets: (values: string) => `Sets: ${values}; all else as by default.`,
    keeps: (values: string) => `The size of your updates stays: ${values}.`,
  },
  theme: { label: 'Colours', auto: 'Auto', light: 'Light', dark: 'Dark' },
  charts: chartStrings,
  group: {
    title: 'One group, rollout by rollout',
    caption:
      'All rollouts of a group answer the same question and are compared with one another: that comparison is ' +
      'the credit.',
    captionCritic:
      'All rollouts of a group answer the same question. Here a critic, not the group, says what each token is ' +
      'compared with.',
    number: (group: number, groups: number) => `Group ${group} of ${groups}`,
    previous: 'Previous group',
    next: 'Next group',
    hold: 'Hold',
    holdHelp: 'Keeps this group on the screen while training goes on',
    sample: 'New sample',
    sampleHelp: 'Samples a group with the present policy, without an update',
    sampled: 'sampled now, not trained on',
    tie: 'Find a tie',
    tieHelp:
      'Samples groups with the present policy, without an update, until all rollouts of one end with the same outcome: ' +
      'outcome-only credit has nothing to compare there',
    noTie: (samples: number) => `None of ${samples} sampled groups is tied.`,
    credit: {
      title: (rollout: number) => `How the credit of rollout ${rollout} came about`,
      which: 'Turn whose credit is written out',
      under: 'under',
      other: (rule: string) => `the run is trained under ${rule}`,
    },
    atStep: (step: number) => `step ${step}`,
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
    outcomeOnlyKey: 'what outcome-only credit (GRPO-OR) would give the same rollouts',
    cutKey: (most: number) => `a pointed bar is cut: it stands for more than ±${most}`,
    badges: {
      label: 'What this group teaches',
      credit: 'Credit',
      per: { token: 'per token', turn: 'per turn', rollout: 'per rollout' },
      first: 'Turn 1',
      firstOnly: 'Turn 1 under outcome-only credit',
      equalTurns: ', here equal in all turns',
      signal: (range: string) => `signal (range ${range})`,
      noSignal: 'no signal',
    },
    spread: 'Spread of the advantages',
    spreadCaption:
      'One dot a rollout. Where all dots lie on zero, the turn learns nothing. Below, what outcome-only credit ' +
      'would give the very same rollouts.',
    spreadValue: (low: string, high: string) => `${low} to ${high}`,
    spreadNone: 'no spread',
    spreadLabel: (turn: number, rule: string, low: string, high: string) =>
      `Turn ${turn} under ${rule}: advantages from ${low} to ${high}`,
    transcript: (rollout: number) => `Transcript of rollout ${rollout}`,
    transcriptCaption:
      'Shaded by advantage: what the update makes more or less likely. Hatched: written by the environment, ' +
      'masked from the loss.',
    environment: 'environment, masked from the loss',
    tokenTitle: (kind: string, advantage: string, logProb: string, entropy: string) =>
      `${kind} · A ${advantage} · log p ${logProb} · entropy ${entropy}`,
    environmentTitle: (kind: string) => `${kind} · environment, masked from the loss`,
    less: 'less likely',
    more: 'more likely',
    tokenTable: 'Token by token',
    token: 'Token',
    kind: 'Kind',
    logProb: 'log p',
    entropy: 'Entropy',
    masked: 'masked',
    turnHead: (turn: number, advantage: string, mean: boolean) => `Turn ${turn}, ${mean ? 'mean A' : 'A'} ${advantage}`,
    /** Names of reward components; others are shown as they are called. */
    components: {
      executed: 'executed',
      retrieved: 'retrieved',
      format: 'format',
      skip: 'no call',
      searchCost: 'cost',
      right: 'right',
      wrong: 'wrong',
      malformed: 'malformed',
    } as Readonly<Record<string, string>>,
  },
  controls: {
    region: 'Controls',
    rewards: 'What is rewarded',
    rewardsCaption: 'Change while it trains.',
    rule: (rule: string) => `${rule} parameters`,
    training: 'Training',
    world: 'World',
    worldCaption: 'Takes effect in a new run, after its own warm start.',
    applyWorld: 'Start a new run with this world',
    worlds: 'Worlds with a name',
    ownWorld: 'A world of your own.',
    reset: (label: string) => `Reset ${label} to its default`,
    resetToRun: (label: string) => `Reset ${label} to the run’s value`,
    resetShort: 'reset',
    help: (label: string) => `What is ${label}?`,
    explain: 'Explain',
    explainAll: (what: string) => `Explain: ${what}`,
    none: 'This rule has no parameters.',
    warm: 'Warm start here',
    warmHelp: 'Makes the starting policy on this device instead of loading the shipped one, then starts at step 0.',
  },
  warming: {
    title: 'Warm start',
    progress: (number: number, stages: number, stage: string, step: number, steps: number) =>
      `Stage ${number} of ${stages} (${stage}): step ${step} of ${steps}`,
    /** @param seconds undefined while nothing is known */
    left: (seconds: number | undefined) => {
      if (seconds === undefined) return 'time left: not known yet';
      if (seconds >= 90) return `about ${Math.round(seconds / 60)} minutes left`;
      return `about ${Math.max(5, Math.ceil(seconds / 5) * 5)} seconds left`;
    },
    cancel: 'Cancel',
    cancelHelp: 'Gives up this warm start and goes back to the run before it, paused.',
    cancelled: (step: number) => `The warm start was given up. This is the run before it, paused at step ${step}.`,
    cancelledFresh: 'The warm start was given up. This is a run of the usual world, paused at step 0.',
    loss: (loss: string) => `loss ${loss}`,
    again: (missed: string) => `The policy never ${missed}, so the warm start begins again with other initial weights.`,
    why: 'Supervised lessons first: what a call and an answer look like. Reinforcement starts after them.',
  },
  log: {
    title: 'Event log',
    empty: 'Nothing was changed so far.',
    step: 'Step',
    what: 'What happened',
    change: (label: string, from: string, to: string) => `${label}: ${from} → ${to}`,
    asPlanned: (changes: string) => `${changes} (as planned)`,
    unplanned: 'The changes that were planned for later steps were dropped',
    ofRule: (rule: string, label: string) => `${label} of ${rule}`,
    none: 'none',
  },
  device: {
    label: 'Device and speed',
    software: 'software renderer: expect few steps a second',
    steps: (rate: string) => `${rate} steps/s`,
    tokens: (rate: string) => `${rate} tokens/s`,
    split: (generate: string, update: string) => `${generate} ms sampling + ${update} ms update`,
  },
  runs: {
    title: 'Runs on this device',
    caption: 'Kept in this browser only. A run goes on exactly where it stopped.',
    empty: 'No run is kept yet. A run is kept when it is paused, and every 15 seconds while it plays.',
    emptyUnkept: 'No run is kept.',
    open: 'Open',
    openRun: (name: string, step: number) => `Open ${name} at step ${step}`,
    remove: 'Delete',
    removeRun: (name: string) => `Delete ${name}`,
    removeSure: 'Really delete?',
    file: 'File',
    fileRun: (name: string) => `Export ${name} as a file`,
    import: 'Import a file of a run',
    current: 'this run',
    at: (step: number) => `step ${step}`,
    bytes: (megabytes: string) => `${megabytes} MB`,
    name: (rules: string, seed: number) => `${rules}, seed ${seed}`,
    ruleFrom: (step: number, rule: string) => `from step ${step} ${rule}`,
    words: (environment: string, rules: string, seed: number) => `${environment}: ${rules}; seed ${seed}`,
    resumed: (step: number) => `Your run was resumed, paused at step ${step}.`,
    imported: (file: string) => `${file} was opened.`,
    removed: (name: string) => `${name} was deleted.`,
  },
  storage: {
    refused: (reason: string) =>
      `Not saved on this device: ${reason}. Everything else works; export a run as a file to keep it.`,
    full: (step: number | null) =>
      step === null
        ? 'This browser has no room left for runs: this one is not kept. Delete one below, or export it as a file.'
        : `This browser has no room left for runs: the last good state, step ${step}, is kept. Delete a run ` +
          `below, or export this one as a file.`,
    failed: (reason: string) => `The run could not be saved: ${reason}. The state saved before it is still there.`,
    corrupt: (name: string, reason: string) =>
      `The saved run ${name} cannot be read: ${reason}. It was left as it is; nothing else is lost.`,
    badFile: (file: string, reason: string) => `${file} was not opened: ${reason}. Nothing was changed.`,
    listFailed: (reason: string) => `The runs on this device cannot be listed: ${reason}.`,
  },
  problem: {
    region: 'Problems',
    restart: (step: number) => `Go on from the checkpoint of step ${step}`,
    restartFresh: 'Start again from step 0',
    again: 'Try again',
    dismiss: 'Dismiss',
    crashed: (reason: string) => `The training worker stopped: ${reason}. The curves are still here.`,
    unreadable: 'A message of the training worker could not be read.',
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
    copied: 'The link is in the clipboard. It makes this very run again, changes by hand included.',
    copiedLong: (changes: number, most: number) =>
      `The link is in the clipboard, but the run has ${changes} steps with changes and a link is read up to ${most}: ` +
      'to keep all of them, export the run as a file.',
    copyFailed: 'The clipboard is not allowed here; copy the address of the page instead.',
    csv: 'Curves (CSV)',
    group: 'Group (JSON Lines)',
    run: 'This run (file)',
    panels: 'Show',
    panelNames: {
      chart: 'main chart',
      curves: 'small charts',
      controls: 'controls',
      group: 'group',
      rule: 'your rule',
      inspector: 'inspector',
      truth: 'truth',
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
  footer: {
    text: 'Turnwise. Everything runs in this tab; nothing is sent anywhere.',
  },
} as const;

function subscript(number: number): string {
  return String(number).replace(/\d/g, (digit) => '₀₁₂₃₄₅₆₇₈₉'[Number(digit)] ?? digit);
}
