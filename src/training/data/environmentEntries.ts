import { REPAIR_CONTROLS, REPAIR_SETTINGS } from '../../environments/repair/repairSettings.ts';
import { REPO_SETTINGS } from '../../environments/repo/repoSettings.ts';
import { REPO_CONTROLS } from '../../environments/repo/rewards.ts';
import { SEARCH_CONTROLS } from '../../environments/search/rewards.ts';
import { SEARCH_SETTINGS } from '../../environments/search/searchSettings.ts';
import type { NumberParameter, ParameterTable, ParameterValues } from '../../parameters/parameters.ts';
import type { EnvironmentName } from './configuration.ts';
import { FILTER_CONTROLS, PROGRAM_CONTROLS } from './controls.ts';

/** What a run needs to know of an environment before there is one: data alone. */
export interface EnvironmentEntry {
  readonly name: EnvironmentName;
  /** For people. */
  readonly title: string;
  /** What shapes the world and its warm start. */
  readonly settings: ParameterTable;
  /** Settings that the warm start does not depend on: one checkpoint serves all their values. */
  readonly afterWarmStart: readonly string[];
  /** Rewards, and what else of the environment may change while a run goes on. */
  readonly rewards: ParameterTable;
  /**
   * The rules that a run offers, in the order in which people are offered them: those whose fields the environment's
   * turns carry, and whose rewards mean there what the rule takes them for. The first is the default.
   */
  readonly offered: readonly string[];
  /** Rules whose rollouts are one turn long here, whatever the environment allows. */
  readonly singleTurn: readonly string[];
  /** Training controls that only this environment has. */
  readonly controls: ParameterTable;
  /** Training controls that start, or end, elsewhere than in the common table. */
  readonly training: Readonly<Record<string, Partial<Pick<NumberParameter, 'default' | 'min' | 'max' | 'help'>>>>;
  /** Where rules start from other values than their own defaults. */
  readonly rules: ParameterValues;
  /** Betas of AdamW. */
  readonly betas: readonly [number, number];
  /** Most sequences of one batch, and most tokens that they can have together; as many as fit where absent. */
  readonly capacity: { readonly sequences: number; readonly tokens?: number };
  /** What the metrics of an update hold of this environment alone (facts.ts). */
  readonly facts: readonly Fact[];
  /** What is measured on held-out tasks while a run goes on (heldOutMeasures.ts). */
  readonly heldOut: readonly Fact[];
  /** How evaluations sample, where that is not the policy as it is: temperature 1, nothing cut off. */
  readonly evaluation: Readonly<Partial<Record<'temperature' | 'topP' | 'topK', number>>>;
}

/** A number that an update reports about the environment. */
export interface Fact {
  readonly name: string;
  /** For people. */
  readonly label: string;
  readonly format: 'share' | 'number';
  /** One sentence: what is counted. */
  readonly help: string;
}

const share = (name: string, label: string, help: string): Fact => ({ name, label, format: 'share', help });

const SEARCH: EnvironmentEntry = {
  name: 'search',
  title: 'Search',
  settings: SEARCH_SETTINGS,
  afterWarmStart: [],
  rewards: SEARCH_CONTROLS,
  offered: [
    ...['mt-grpo', 'grpo-or', 'grpo-mr'],
    ...['mt-ppo', 'ppo-or', 'ppo-mr'],
    ...['rloo', 'dr-grpo', 'gigpo', 'rtmc', 'grpo-step'],
  ],
  singleTurn: [],
  controls: [],
  training: {},
  rules: { ppoLambda: 0.95 },
  betas: [0.9, 0.99],
  capacity: { sequences: 256 },
  facts: [],
  heldOut: [
    share('answer', 'Right answer', 'Episodes that answer right.'),
    share('toolUse', 'Tool use', 'Episodes that call the tool.'),
  ],
  evaluation: {},
};

const REPAIR: EnvironmentEntry = {
  name: 'repair',
  title: 'Repair',
  settings: REPAIR_SETTINGS,
  afterWarmStart: ['maxTurns', 'easyTests'],
  rewards: REPAIR_CONTROLS,
  offered: ['grpo-mt', 'grpo-or', 'murphy-mars', 'murphy-mers', 'verpo', 'rloo', 'dr-grpo'],
  singleTurn: ['grpo-or'],
  controls: [...PROGRAM_CONTROLS, ...FILTER_CONTROLS],
  training: {
    learningRate: { default: 4e-4 },
    groupSize: { default: 10 },
    questions: { max: 20, help: 'Problems in one update, where "programs" is 0.' },
  },
  rules: {},
  betas: [0.9, 0.98],
  capacity: { sequences: 336, tokens: 20_480 },
  facts: [
    share('pass1', 'Solved at once', 'First programs that pass all tests.'),
    share('pass2', 'Solved at the second try', 'Second programs that pass all tests, of those that were written.'),
    share('solved', 'Solved', 'Rollouts whose last program passes all tests.'),
    share('repaired', 'Repaired', 'Failed first programs that a later one of the same rollout makes good.'),
    share('passRate', 'Tests passed', 'Tests that first programs pass.'),
    share('partial', 'Partly right', 'First programs that pass some tests but not all.'),
    share('syntaxErrors', 'Syntax errors', 'Programs that are not Python, or do not end.'),
    share('degenerate01', 'Ties under 0 or 1', 'Groups whose rollouts were all solved, or all not.'),
  ],
  heldOut: [
    share('iter1', 'Iter-1', 'Episodes whose first program passes the hidden tests.'),
    share('iter2', 'Iter-2', 'Episodes whose last program, the second at most, passes the hidden tests.'),
  ],
  evaluation: { temperature: 0.6, topP: 0.95 },
};

const REPO: EnvironmentEntry = {
  name: 'repo',
  title: 'Repository',
  settings: REPO_SETTINGS,
  afterWarmStart: [],
  rewards: REPO_CONTROLS,
  offered: ['rtmc', 'grpo-or', 'grpo-step', 'gigpo', 'rloo', 'dr-grpo', 'ppo-or', 'mt-ppo'],
  singleTurn: [],
  controls: FILTER_CONTROLS.map((control) =>
    control.kind === 'choice' ? { ...control, default: control.name === 'filterUniform' ? 'on' : 'off' } : control,
  ),
  training: { questions: { default: 8, max: 8 } },
  rules: { ppoLambda: 0.95, bonus: 0.1 },
  betas: [0.9, 0.98],
  capacity: { sequences: 128, tokens: 16_384 },
  facts: [
    share('solved', 'Solved', 'Episodes that finish with all tests passing, hidden ones too.'),
    { name: 'steps', label: 'Steps', format: 'number', help: 'Actions an episode, mean.' },
    share('finished', 'Finished', 'Episodes that end with finish.'),
    share('tested', 'Tested before finish', 'Episodes that run the tests after their last edit, and then finish.'),
    share('edited', 'Edited', 'Episodes that change a file.'),
    share('invalid', 'Invalid actions', 'Actions that the repository could not carry out.'),
    share('zeroAdvantage', 'Steps without credit', 'Steps whose advantage is 0, in groups with different outcomes.'),
    share('sharedStates', 'Shared states', 'Steps in a state that two or more episodes of the group came by.'),
    share('uniform', 'Ties', 'Groups whose episodes all ended with the same outcome.'),
  ],
  heldOut: [
    share('solved', 'Solved', 'Episodes that finish with all tests passing, hidden ones too.'),
    share('tested', 'Tested before finish', 'Episodes that run the tests after their last edit, and then finish.'),
  ],
  evaluation: {},
};

/** Every environment that a policy can be trained in. */
export const ENVIRONMENTS: Readonly<Record<EnvironmentName, EnvironmentEntry>> = {
  search: SEARCH,
  repair: REPAIR,
  repo: REPO,
};
