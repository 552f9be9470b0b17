import type { OptionalControls } from '../../environments/descriptor.ts';
import type { ParameterTable } from '../../parameters/parameters.ts';

/** Number of programs in an update, if turns start from fresh prompts and rollouts end early. */
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
  {
    kind: 'choice',
    name: 'continuations',
    label: 'Continuations',
    default: 'even',
    options: ['even', 'spread'],
    help:
      'even: each failed program gets as many next attempts. spread: as many in all, two at least and twice as many at ' +
      'most for a program, more where the rewards of a problem’s programs vary more.',
  },
];

/** Turns that an update leaves out, if programs make turns expensive. */
const FILTER_CONTROLS: ParameterTable = [
  {
    kind: 'choice',
    name: 'skipZero',
    label: 'Turns of advantage 0',
    default: 'on',
    options: ['on', 'off'],
    help: 'on: turns whose advantage is 0 are not computed, unless KL, entropy, a mean within sequences or a ratio of sequences ask for all turns. They count in the mean of the loss all the same.',
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

/** Branching of rollouts under a rule that reads trees, if a turn continues in its sequence. */
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
