import type { RuleFamily } from '../../credit/rule.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';

/** Texts of the guided tour. */
export const storyStrings = {
  label: 'Guided tour',
  next: 'Next',
  stop: 'End tour',
  number: (scene: number, scenes: number) => `${scene} of ${scenes}`,
} as const;

/** Parts of the sentence about a run. */
export const sentenceStrings = {
  shared: 'all turns get the same credit',
  separate: 'each turn earns its own credit',
  since: (rule: string, step: number) => `${rule} since update ${step}`,
  credit: (subject: string, credit: string) => `${subject}: ${credit}.`,
  idea: (rule: string, idea: string) => `${rule}: ${idea.charAt(0).toLowerCase()}${idea.slice(1)}`,
  figure: (label: string, value: string) => `${label}: ${value}.`,
  press: (rule: string) => `Now press ${rule}.`,
} as const;

/** Texts of the picture of a group. */
export const pictureStrings = {
  region: 'Attempts',
  title: (attempts: number) => `${attempts} attempts at`,
  opening: 'before training',
  noGroup: 'The first group appears after the first update.',
  more: (lanes: number) => `and ${lanes} more`,
  /** Legend for boxes that show only the first letter of a text. */
  letters: (texts: readonly string[]) =>
    texts.flatMap((text) => (text.length > 1 ? [`${text.charAt(0)} ${text}`] : [])).join(', '),
  moreLikely: 'more likely',
  lessLikely: 'less likely',
  equal: (attempts: number) => `All ${attempts} equal: no learning signal.`,
  preview: (rule: string) => `Preview: ${rule}`,
  unreadable: (rule: string) => `${rule} cannot read this group.`,
  branched: (rule: string) => `${rule} needs a group without branches. The next group under it has none.`,
  pruned: 'pruned',
  solved: 'correct',
  unsolved: 'incorrect',
  outcome: 'outcome',
  meeting: (letter: string) => `same state as other boxes ${letter}`,
  passed: (passed: number, tests: number) => `${passed} of ${tests} tests passed`,
  keys: 'Arrow keys move between the attempts. Enter opens one.',
  /** Labels for screen readers. */
  attempt: 'Attempt',
  credit: 'credit',
} as const;

/** Texts of the choice of an environment and of its rules. */
export const environmentStrings = {
  label: 'Environment',
  help: 'Task of the agent. A change begins a new run; this run stays in “Saved runs”.',
  /** Title and sentence of each environment. */
  each: ENVIRONMENTS,
  families: {
    group: ['GRPO', 'a rollout is compared with the others of its group'],
    tree: ['Trees', 'a turn also gets credit for the turns that continue it'],
    tests: ['VeRPO', 'a program gets a reward for each unit test that it passes, more for hard and rare tests'],
    states: ['Shared states', 'a step is compared with other actions in the same state'],
    critic: ['PPO', 'a token is compared with the prediction of a critic'],
    other: ['Others', 'other baselines'],
  } satisfies Record<RuleFamily, readonly [string, string]> as Readonly<Record<RuleFamily, readonly [string, string]>>,
};

/** Texts of the panel about mean advantages. Its sentences are shared with the terminal. */
export const whyStrings = {
  title: (skill: string) => `Why is ${skill} changing?`,
  /** Skill in the title, for environments that do not name one. */
  skill: 'the result',
  /** Text of one reward component. */
  part: (name: string, reward: string) => `${name} ${reward}`,
  noPay: 'none',
  table: 'Mean advantages by result of the turn',
  explanation: 'result of the turn',
  share: 'share',
  compared: (rule: string) => `under ${rule}`,
  none: '–',
  moves: {
    title: 'Predicted and actual change of each update',
    caption: (agreed: number, total: number) =>
      total === 0
        ? 'No update is larger than its noise yet.'
        : `In ${agreed} of the ${total} updates that are larger than their noise, the probability changed as predicted.`,
    predicted: 'predicted change',
    followed: 'actual change',
    describe: (from: number, to: number) => `Updates ${from} to ${to}: bars up: more likely, bars down: less likely`,
    bar: (step: number, move: string, change: string) => `Update ${step}: predicted ${move}, probability ${change}`,
  },
} as const;
