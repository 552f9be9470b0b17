import type { OptionalControls } from '../../environments/descriptor.ts';
import type { ParameterTable } from '../../parameters/parameters.ts';

/** Fields of a control whose values are whole numbers. */
const INTEGER = { kind: 'number', step: 1, integer: true } as const;

/**
 * Controls that can change during a run, in addition to the rule, the rewards and their parameters. The defaults are
 * for Search; other environments override them.
 */
export const TRAINING_CONTROLS: ParameterTable = [
  {
    kind: 'number',
    name: 'learningRate',
    label: 'Learning rate',
    symbol: 'η',
    default: 1e-4,
    min: 0,
    max: 1e-2,
    step: 1e-6,
    scale: 'log',
    help: 'Step size of AdamW. If it is too high, training diverges; if it is too low, the policy hardly changes.',
  },
  {
    ...INTEGER,
    name: 'warmUp',
    label: 'Learning-rate warm-up',
    default: 0,
    min: 0,
    max: 200,
    help: 'Number of first updates in which the learning rate rises linearly to its value. 0: no warm-up.',
  },
  {
    kind: 'number',
    name: 'clipLow',
    label: 'Clip below',
    symbol: 'ε⁻',
    default: 0.2,
    min: 0,
    max: 1,
    step: 0.01,
    help: 'The gradient is 0 if the probability ratio is below 1 − ε⁻ and the advantage is negative.',
  },
  {
    kind: 'number',
    name: 'clipHigh',
    label: 'Clip above',
    symbol: 'ε⁺',
    default: 0.28,
    min: 0,
    max: 5,
    step: 0.01,
    help: 'The gradient is 0 if the probability ratio is above 1 + ε⁺ and the advantage is positive.',
  },
  {
    kind: 'choice',
    name: 'ratio',
    label: 'Ratio of',
    default: 'token',
    options: ['token', 'turn', 'sequence'],
    help: 'Clip the probability ratio of each token, or one ratio for all tokens of a turn or of a sequence: the geometric mean of their ratios.',
  },
  {
    kind: 'number',
    name: 'klCoef',
    label: 'KL to the warm start',
    symbol: 'β',
    default: 0,
    min: 0,
    max: 1,
    step: 0.005,
    help: 'Weight of the KL penalty (k3) that pulls the policy back to the policy it started from.',
  },
  {
    kind: 'number',
    name: 'entropyCoef',
    label: 'Entropy bonus',
    symbol: 'c_H',
    default: 0,
    min: 0,
    max: 0.2,
    step: 0.001,
    help: 'Weight of the entropy bonus, which keeps sampling varied.',
  },
  {
    kind: 'number',
    name: 'clipNorm',
    label: 'Gradient clip',
    default: 1,
    min: 0.01,
    max: 100,
    step: 0.01,
    scale: 'log',
    help: 'The gradient is scaled down so that its global norm is at most this.',
  },
  {
    ...INTEGER,
    name: 'groupSize',
    label: 'Rollouts per question',
    symbol: 'G',
    default: 8,
    min: 2,
    max: 16,
    help: 'Rollouts that are sampled for the same question and compared with each other.',
  },
  {
    ...INTEGER,
    name: 'questions',
    label: 'Questions per step',
    default: 16,
    min: 1,
    max: 16,
    help: 'Groups in one update. Fewer groups make steps faster and noisier.',
  },
  {
    ...INTEGER,
    name: 'minibatches',
    label: 'Minibatches',
    default: 2,
    min: 1,
    max: 8,
    help: 'Maximum number of equal parts of a batch; each part makes one optimiser step. Later parts are slightly off-policy.',
  },
  {
    ...INTEGER,
    name: 'epochs',
    label: 'Epochs',
    default: 1,
    min: 1,
    max: 4,
    help: 'Passes over the same rollouts.',
  },
  {
    kind: 'choice',
    name: 'aggregation',
    label: 'Loss average',
    default: 'token-mean',
    options: ['token-mean', 'sequence-mean'],
    help: 'Average the loss over all policy tokens, or within each sequence first.',
  },
  {
    kind: 'number',
    name: 'temperature',
    label: 'Temperature',
    symbol: 'τ',
    default: 1,
    min: 0.1,
    max: 2,
    step: 0.05,
    help: 'Divides the logits before sampling. 1 samples the policy unchanged.',
  },
  {
    kind: 'number',
    name: 'topP',
    label: 'Top-p',
    default: 1,
    min: 0.05,
    max: 1,
    step: 0.05,
    help: 'Sample only from the most probable tokens that together reach this probability. 1 turns it off.',
  },
  {
    ...INTEGER,
    name: 'topK',
    label: 'Top-k',
    default: 0,
    min: 0,
    max: 1024,
    help: 'Sample only from the k most probable tokens. 0 turns it off.',
  },
];

/** Controls of measurements on held-out tasks, for environments with such tasks. */
export const HELD_OUT_CONTROLS: ParameterTable = [
  {
    kind: 'choice',
    name: 'heldOutMode',
    label: 'Held-out tasks',
    default: 'auto',
    options: ['auto', 'on', 'off'],
    help:
      'Measures the policy during training on tasks that it is never trained on. auto: if the run has such tasks. The ' +
      'measurement does not change the run.',
  },
  {
    ...INTEGER,
    name: 'heldOutEvery',
    label: 'Measured every',
    default: 10,
    min: 1,
    max: 1000,
    scale: 'log',
    help: 'Updates from one measurement on held-out tasks to the next.',
  },
  {
    kind: 'number',
    name: 'heldOutTasks',
    label: 'Tasks measured',
    default: 64,
    min: 4,
    max: 128,
    step: 4,
    integer: true,
    help: 'Maximum number of held-out tasks of a measurement: the same tasks throughout a run, with one episode each.',
  },
];

/** Controls that only rules with a critic (PPO) use. */
export const CRITIC_CONTROLS: ParameterTable = [
  {
    kind: 'number',
    name: 'criticRate',
    label: 'Critic learning rate',
    symbol: 'η_V',
    default: 1e-3,
    min: 0,
    max: 1e-2,
    step: 1e-5,
    scale: 'log',
    help: 'Step size of AdamW for the critic. The critic must learn faster than the policy that it evaluates; it takes 2 to 3 MB more.',
  },
  {
    ...INTEGER,
    name: 'criticUpdates',
    label: 'Critic first',
    default: 10,
    min: 0,
    max: 100,
    help: 'Updates in which only the critic is trained, each time a rule that needs it becomes active.',
  },
  {
    kind: 'number',
    name: 'valueClip',
    label: 'Value clip',
    symbol: 'ε_V',
    default: 0,
    min: 0,
    max: 2,
    step: 0.05,
    help: 'The value loss has no gradient if a value has moved further than this since sampling. 0 turns it off.',
  },
];

/** Controls for the number of programs in an update, for environments with fresh prompts and early ends of rollouts. */
const PROGRAM_CONTROLS: ParameterTable = [
  {
    ...INTEGER,
    name: 'programs',
    label: 'Programs per step',
    default: 176,
    min: 0,
    max: 256,
    help:
      'Approximate number of programs in one update: the number of problems follows from the programs per problem so far. ' +
      '0: a fixed number of problems, with any number of programs.',
  },
  {
    ...INTEGER,
    name: 'singleSize',
    label: 'Programs per problem, one turn',
    default: 16,
    min: 2,
    max: 16,
    help: 'Rollouts of the same problem under a rule whose rollouts have a single turn.',
  },
  {
    ...INTEGER,
    name: 'treeRoots',
    label: 'First programs of a tree',
    default: 6,
    min: 2,
    max: 8,
    help: 'First attempts at the same problem under a rule that reads trees.',
  },
  {
    ...INTEGER,
    name: 'treeChildren',
    label: 'Continuations per program',
    default: 4,
    min: 1,
    max: 8,
    help: 'Next attempts at each program that failed, under a rule that reads trees.',
  },
  {
    kind: 'choice',
    name: 'continuations',
    label: 'Continuations',
    default: 'even',
    options: ['even', 'spread'],
    help:
      'even: every failed program gets the same number of next attempts. spread: the same total, with at least two and at most ' +
      'twice the even number for a program, more if the rewards of the programs of a problem vary more.',
  },
];

/** Controls that exclude turns from an update, for environments in which programs make turns expensive. */
const FILTER_CONTROLS: ParameterTable = [
  {
    kind: 'choice',
    name: 'skipZero',
    label: 'Skip zero advantages',
    default: 'on',
    options: ['on', 'off'],
    help: 'on: turns whose advantage is 0 are not computed, unless KL, entropy, a mean within sequences or a ratio of sequences needs all turns. They still count in the mean of the loss.',
  },
  {
    kind: 'choice',
    name: 'filterUniform',
    label: 'Drop tied groups',
    default: 'off',
    options: ['on', 'off'],
    help:
      'on: groups whose rollouts all ended with the same outcome are dropped, even if a rule gives them credit, and ' +
      'the mean is over the other groups.',
  },
];

/** Controls for trees of rollouts, for environments whose turns continue in their sequence. */
const BRANCHING_CONTROLS: ParameterTable = [
  {
    ...INTEGER,
    name: 'branches',
    label: 'Turns from a state',
    default: 4,
    min: 1,
    max: 8,
    help:
      'Number of turns sampled from every state after a first turn, under a rule that reads trees. The last turn that ' +
      'the world allows is sampled once.',
  },
];

/** Groups of controls that environments can include, by name. */
export const OPTIONAL_CONTROLS: Readonly<Record<OptionalControls, ParameterTable>> = {
  programs: PROGRAM_CONTROLS,
  filters: FILTER_CONTROLS,
  branching: BRANCHING_CONTROLS,
};

/** Names of the controls for measurements on held-out tasks. They do not affect the training. */
export const EVALUATION_NAMES: readonly string[] = HELD_OUT_CONTROLS.map(({ name }) => name);

/**
 * Names of the controls for the size of an update and of its measurements. Their values depend on the device, not on
 * the purpose of the run.
 */
export const SIZES: readonly string[] = [
  ...['groupSize', 'questions', 'minibatches', 'programs', 'singleSize', 'treeRoots', 'treeChildren', 'branches'],
  ...EVALUATION_NAMES,
];
