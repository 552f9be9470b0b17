import type { RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import type { MetricRow } from '../metric.ts';

/** Returns the mean; NaN without values. */
export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const OUTSIDE_SEARCH = 'outside the search environment';

/** Returns the sum of each part of the reward over the turns of a rollout, mean over rollouts. */
function components({ trajectories }: RolloutBatch): Readonly<Record<string, number>> {
  const names = new Set(
    trajectories.flatMap(({ turns }) => turns.flatMap(({ components }) => Object.keys(components))),
  );
  const component = (name: string) =>
    mean(trajectories.map(({ turns }) => turns.reduce((sum, { components }) => sum + (components[name] ?? 0), 0)));
  return Object.fromEntries([...names].map((name) => [name, component(name)]));
}

/** Metrics of the sampled rollouts and their rewards. */
export const ROLLOUT_ROWS = [
  {
    name: 'step',
    label: 'Step',
    unit: 'count',
    group: 'update',
    kind: 'integer',
    help: 'updates done before this one',
  },
  {
    name: 'rule',
    label: 'Credit rule',
    unit: 'name',
    group: 'update',
    kind: 'text',
    help: 'credit rule of the update',
  },
  {
    name: 'toolUse',
    label: 'Tool use',
    short: 'tool use',
    unit: 'share',
    group: 'search',
    kind: 'nullable',
    help: 'rollouts with an executed tool call',
    missing: OUTSIDE_SEARCH,
  },
  {
    name: 'retrieval',
    label: 'Found the fact',
    short: 'found',
    unit: 'share',
    group: 'search',
    kind: 'nullable',
    help: 'rollouts whose document held the answer',
    missing: OUTSIDE_SEARCH,
  },
  {
    name: 'answer',
    label: 'Correct answer',
    short: 'correct answer',
    unit: 'share',
    group: 'search',
    kind: 'nullable',
    help: 'rollouts with the correct answer',
    missing: OUTSIDE_SEARCH,
  },
  {
    name: 'format',
    label: 'Well-formed',
    short: 'format',
    unit: 'share',
    group: 'search',
    kind: 'nullable',
    help: 'rollouts with a well-formed answer',
    missing: OUTSIDE_SEARCH,
  },
  {
    name: 'searches',
    label: 'Searches per rollout',
    short: 'searches',
    unit: 'count',
    group: 'search',
    kind: 'nullable',
    help: 'mean executed tool calls per rollout',
    missing: OUTSIDE_SEARCH,
  },
  {
    name: 'rewardTurn',
    label: 'Turn reward Rᴵ',
    short: 'Rᴵ',
    unit: 'reward',
    group: 'rewards',
    kind: 'number',
    help: 'summed rewards of the turns before the last, mean over rollouts',
    ofBatch: ({ trajectories }) =>
      mean(trajectories.map(({ turns }) => turns.slice(0, -1).reduce((sum, { reward }) => sum + reward, 0))),
  },
  {
    name: 'rewardOutcome',
    label: 'Outcome Rᴼ',
    short: 'Rᴼ',
    unit: 'reward',
    group: 'rewards',
    kind: 'number',
    help: 'outcome reward, mean over rollouts',
    ofBatch: ({ trajectories }) => mean(trajectories.map(({ turns }) => turns.at(-1)?.outcome ?? 0)),
  },
  {
    name: 'components',
    label: 'Parts of the reward',
    unit: 'reward',
    group: 'rewards',
    kind: 'numbers',
    help: 'part of the reward, summed over the turns of a rollout, mean over rollouts',
    column: 'component',
    ofBatch: components,
  },
  {
    name: 'searchProbability',
    label: 'p(search)',
    unit: 'share',
    group: 'search',
    kind: 'nullable',
    help: 'mean probability of a search at the deciding token',
    missing: `${OUTSIDE_SEARCH}, and if no rollout has such a token`,
    ofBatch({ rollouts }) {
      const probabilities = rollouts.flatMap(({ toolProbability }) => toolProbability ?? []);
      return probabilities.length > 0 ? mean(probabilities) : null;
    },
  },
  {
    name: 'tasks',
    label: 'Tasks',
    unit: 'count',
    group: 'batch',
    kind: 'integer',
    help: 'questions or problems of the update',
    ofBatch: ({ groups }) => groups.length,
  },
  {
    name: 'turns',
    label: 'Turns',
    unit: 'count',
    group: 'batch',
    kind: 'integer',
    help: 'turns sampled for them',
    ofBatch: ({ forest }) => forest.parent.length,
  },
  {
    name: 'fill',
    label: 'Turns taken',
    short: 'taken',
    unit: 'share',
    group: 'batch',
    kind: 'number',
    help: 'turns of a task as a share of the allowed turns, running mean',
  },
  {
    name: 'retained',
    label: 'Turns trained on',
    short: 'retained',
    unit: 'share',
    group: 'batch',
    kind: 'number',
    help: 'turns that the update trained on',
  },
  {
    name: 'facts',
    label: 'Facts of the environment',
    unit: 'number',
    group: 'environment',
    kind: 'nullables',
    help: 'metrics of the environment, by name',
    column: 'fact',
  },
  {
    name: 'heldOut',
    label: 'Held-out tasks',
    unit: 'number',
    group: 'environment',
    kind: 'sparse',
    help: 'results of the sampling policy on held-out tasks, by name; null if not measured',
    column: 'heldOut',
  },
] as const satisfies readonly MetricRow[];
