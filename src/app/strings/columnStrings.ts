import type { Metrics } from '../../training/data/protocol.ts';

/** Columns of their own in a table of curves; the others are tables by name. */
export type Column = Exclude<keyof Metrics, 'components' | 'facts' | 'heldOut'>;

const SHARE = 'share 0 to 1';
const NATS = 'nats a token';
const MS = 'ms';

/** Unit and meaning of every column of the table of curves. */
export const columnStrings: Readonly<Record<Column, readonly [unit: string, meaning: string]>> = {
  step: ['count', 'updates done before this one'],
  rule: ['name', 'credit rule of the update'],
  toolUse: [SHARE, 'rollouts with an executed tool call'],
  retrieval: [SHARE, 'rollouts whose document held the answer'],
  answer: [SHARE, 'rollouts with the right answer'],
  format: [SHARE, 'rollouts with a well-formed answer'],
  searches: ['count', 'executed tool calls a rollout, mean'],
  rewardTurn: ['reward', 'summed rewards of the turns before the last, mean over rollouts'],
  rewardOutcome: ['reward', 'outcome reward, mean over rollouts'],
  searchProbability: [SHARE, 'probability of searching at the token that decides, mean'],
  entropy: [NATS, 'entropy of the next token where the policy writes, mean'],
  klOld: [NATS, 'KL to the sampling policy during the update, k1 estimate'],
  klOldK3: [NATS, 'KL to the sampling policy during the update, k3 estimate'],
  klReferenceK1: [NATS, 'KL to the warm start, k1 estimate'],
  klReference: [NATS, 'KL to the warm start, k3 estimate'],
  clipLow: [SHARE, 'policy tokens whose ratio is clipped from below'],
  clipHigh: [SHARE, 'policy tokens whose ratio is clipped from above'],
  gradientNorm: ['norm', 'gradient of the policy before clipping, mean over minibatches'],
  loss: ['loss', 'loss of the policy, mean over minibatches'],
  valueLoss: ['loss', 'loss of the critic, mean over minibatches'],
  valueGradientNorm: ['norm', 'gradient of the critic before clipping, mean over minibatches'],
  explainedVariance: ['at most 1', 'variance of returns that the critic explained before the update'],
  degenerate: [SHARE, 'groups whose rollouts all got the same reward under the rule'],
  degenerateBest: [SHARE, 'groups that tied at the best reward'],
  degenerateWorst: [SHARE, 'groups that tied at the worst reward'],
  degenerateOther: [SHARE, 'groups that tied at another reward'],
  advantageFirst: ['advantage', 'size of the advantage of turn 1, mean'],
  advantageLast: ['advantage', 'size of the advantage of the last turn, mean'],
  tasks: ['count', 'questions or problems of the update'],
  turns: ['count', 'turns sampled for them'],
  fill: [SHARE, 'turns that a task took of those that it may take, running mean'],
  retained: [SHARE, 'turns that the update trained on'],
  tokensPerSecond: ['tokens/s', 'tokens sampled and trained on'],
  stepMs: [MS, 'the whole update'],
  generateMs: [MS, 'sampling, programs included'],
  executeMs: [MS, 'part of generateMs that programs were waited for'],
  updateMs: [MS, 'credit and optimisation'],
  encodeMs: [MS, 'part of updateMs that the CPU takes to prepare it'],
  creditMs: [MS, 'GPU time of credit'],
  optimizeMs: [MS, 'GPU time of optimisation'],
};

/** What stands above the table of curves. */
export const columnNotes = {
  title: "Turnwise, curves of a run. Lines that begin with # are notes (pandas: read_csv(file, comment='#')).",
  run: (words: string) => `Run: ${words}`,
  link: (query: string) => `Link: ${query}`,
  settings: (values: string) => `World: ${values}`,
  controls: (values: string) => `Controls at step 0: ${values}`,
  change: (step: number, text: string) => `Step ${step}: ${text}`,
  thinned: (every: number, before: number) =>
    `Before step ${before} about one update in ${every} is here: the others were not kept.`,
  column: (name: string, unit: string, meaning: string) => (unit ? `${name} [${unit}]: ${meaning}` : name),
  units: { share: SHARE, number: 'number' },
  component: ['reward', 'part of the reward, summed over the turns of a rollout, mean over rollouts'],
  heldOut: (help: string) => `${help} On tasks that are never trained on; empty where not measured.`,
} as const;
