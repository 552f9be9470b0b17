import type { OptionalControls } from '../../environments/descriptor.ts';
import type { ParameterTable } from '../../parameters/parameters.ts';

/** Controls for the number of programs in an update, for environments with fresh prompts and early ends of rollouts. */
const PROGRAM_CONTROLS: ParameterTable = [
  {
    kind: 'number',
    name: 'programs',
    label: 'Programs per step',
    default: 176,
    min: 0,
    max: 256,
    step: 1,
    integer: true,
    help:
      'Approximate number of programs in one update: the number of problems follows from the programs per problem so far. ' +
      '0: a fixed number of problems, with any number of programs.',
  },
  {
    kind: 'number',
    name: 'singleSize',
    label: 'Programs per problem, one turn',
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
    label: 'Continuations per program',
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
    kind: 'number',
    name: 'branches',
    label: 'Turns from a state',
    default: 4,
    min: 1,
    max: 8,
    step: 1,
    integer: true,
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
