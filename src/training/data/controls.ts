import type { OptionalControls } from '../../environments/descriptor.ts';
import type { ParameterTable } from '../../parameters/parameters.ts';

/**
 * Everything about training that may change while a run goes on, apart from the rule, its parameters and the
 * environment's reward weights, which bring tables of their own. Defaults: spec of the search environment.
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
    help: 'Step size of AdamW. Too high and the policy falls apart, too low and nothing moves.',
  },
  {
    kind: 'number',
    name: 'warmUp',
    label: 'Learning-rate warm-up',
    default: 0,
    min: 0,
    max: 200,
    step: 1,
    integer: true,
    help: 'Updates from the first one on in which the learning rate rises evenly to its value. 0: it is there at once.',
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
    help: 'The probability ratio stops counting below 1 − ε⁻ when the advantage is negative.',
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
    help: 'The probability ratio stops counting above 1 + ε⁺ when the advantage is positive.',
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
    kind: 'number',
    name: 'groupSize',
    label: 'Rollouts a question',
    symbol: 'G',
    default: 8,
    min: 2,
    max: 16,
    step: 1,
    integer: true,
    help: 'Rollouts that are sampled for the same question and compared with one another.',
  },
  {
    kind: 'number',
    name: 'questions',
    label: 'Questions a step',
    default: 16,
    min: 1,
    max: 16,
    step: 1,
    integer: true,
    help: 'Groups in one update. Fewer make faster, noisier steps.',
  },
  {
    kind: 'number',
    name: 'minibatches',
    label: 'Minibatches',
    default: 2,
    min: 1,
    max: 8,
    step: 1,
    integer: true,
    help: 'At most so many equal parts of a batch; each makes one optimiser step. Later parts are slightly off-policy.',
  },
  {
    kind: 'number',
    name: 'epochs',
    label: 'Epochs',
    default: 1,
    min: 1,
    max: 4,
    step: 1,
    integer: true,
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
    help: 'Divides the logits before sampling. 1 samples the policy as it is.',
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
    kind: 'number',
    name: 'topK',
    label: 'Top-k',
    default: 0,
    min: 0,
    max: 1024,
    step: 1,
    integer: true,
    help: 'Sample only from the k most probable tokens. 0 turns it off.',
  },
];

/** When a policy is measured on held-out tasks, where an environment has such. */
export const HELD_OUT_CONTROLS: ParameterTable = [
  {
    kind: 'choice',
    name: 'heldOutMode',
    label: 'Held-out tasks',
    default: 'auto',
    options: ['auto', 'on', 'off'],
    help:
      'Whether the policy is measured on tasks that it is never trained on while it learns. auto: except on software ' +
      'renderers. The run is the same with and without.',
  },
  {
    kind: 'number',
    name: 'heldOutEvery',
    label: 'Measured every',
    default: 10,
    min: 1,
    max: 1000,
    step: 1,
    scale: 'log',
    integer: true,
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
    help: 'Held-out tasks of a measurement, at most: the same ones throughout a run, each played once.',
  },
];

/** What only rules with a critic (PPO) listen to. */
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
    help: "Step size of the critic's AdamW. The critic must run ahead of the policy that it judges.",
  },
  {
    kind: 'number',
    name: 'criticUpdates',
    label: 'Critic first',
    default: 10,
    min: 0,
    max: 100,
    step: 1,
    integer: true,
    help: 'Updates in which the critic alone learns, whenever a rule that needs it comes into force.',
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
    help: 'The value loss stops counting where a value has moved further than this since sampling. 0 turns it off.',
  },
];

/** How many programs an update runs, where turns start from fresh prompts and rollouts end early. */
const PROGRAM_CONTROLS: ParameterTable = [
  {
    kind: 'number',
    name: 'programs',
    label: 'Programs a step',
    default: 176,
    min: 0,
    max: 256,
    step: 1,
    integer: true,
    help:
      'Programs in one update, about: the number of problems follows from how many programs a problem took so far. 0: as ' +
      'many problems as asked for, however many programs that makes.',
  },
  {
    kind: 'number',
    name: 'singleSize',
    label: 'Programs a problem, one turn',
    default: 16,
    min: 2,
    max: 16,
    step: 1,
    integer: true,
    help: 'Rollouts of the same problem under a rule whose rollouts have a single turn.',
  },
  {
    kind: 'number',
    name: 'treeRoots',
    label: 'First programs of a tree',
    default: 6,
    min: 2,
    max: 8,
    step: 1,
    integer: true,
    help: 'First attempts at the same problem under a rule that reads trees.',
  },
  {
    kind: 'number',
    name: 'treeChildren',
    label: 'Programs that continue one',
    default: 4,
    min: 1,
    max: 8,
    step: 1,
    integer: true,
    help: 'Next attempts at each program that failed, under a rule that reads trees.',
  },
];

/** Turns that an update leaves out, where programs make turns dear. */
const FILTER_CONTROLS: ParameterTable = [
  {
    kind: 'choice',
    name: 'skipZero',
    label: 'Turns of advantage 0',
    default: 'on',
    options: ['on', 'off'],
    help: 'on: turns whose advantage is 0 are not computed, unless KL or entropy ask for all turns. They count in the mean of the loss all the same.',
  },
  {
    kind: 'choice',
    name: 'filterUniform',
    label: 'Groups that tie are dropped',
    default: 'off',
    options: ['on', 'off'],
    help:
      'on: groups whose rollouts all ended with the same outcome are dropped, whatever else a rule finds in them, and ' +
      'the mean is over the others.',
  },
];

/** How rollouts branch under a rule that reads trees, where a turn goes on in its sequence. */
const BRANCHING_CONTROLS: ParameterTable = [
  {
    kind: 'number',
    name: 'branches',
    label: 'Turns from a state',
    default: 4,
    min: 1,
    max: 8,
    step: 1,
    integer: true,
    help:
      'How often a turn is taken from every state behind a first turn, under a rule that reads trees. The last turn that ' +
      'the world allows is taken once.',
  },
];

/** Controls that environments ask for by the name of their group. */
export const OPTIONAL_CONTROLS: Readonly<Record<OptionalControls, ParameterTable>> = {
  programs: PROGRAM_CONTROLS,
  filters: FILTER_CONTROLS,
  branching: BRANCHING_CONTROLS,
};
