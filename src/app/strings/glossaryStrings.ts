/** Terms of the page: title and meaning. */
const terms = {
  policy: ['Policy', 'The network that is trained. It assigns a probability to each possible next token.'],
  rollout: [
    'Rollout',
    'One complete attempt at a task, from the first token to the last. Other terms: trajectory, episode.',
  ],
  turn: ['Turn', 'What the policy writes in one response: a tool call, a program, an answer.'],
  group: [
    'Group',
    'All rollouts of one task in one update. Most rules compare the rollouts of a group with each other.',
  ],
  reward: [
    'Rᴵ and Rᴼ',
    'Rᴵ is the reward of an intermediate turn, which is any turn before the last. Rᴼ is the outcome reward.',
  ],
  creditRule: [
    'Credit rule',
    'The formulas that map rewards to advantages. They determine which turns become more or less likely, and by how much.',
  ],
  advantage: [
    'Advantage, A',
    'How much better a turn or token is than its baseline, for example the group mean. The update makes it more likely ' +
      'if the advantage is positive, and less likely if it is negative. An advantage of 0 gives no gradient.',
  ],
  tied: [
    'Tied group',
    'A group whose rollouts all have the same reward. Rules that compare these rewards give no gradient. The reward can ' +
      'be the best, the worst, or one between.',
  ],
  masked: [
    'Masked from the loss',
    'Tokens that the environment wrote. The policy reads them, but they are not part of the loss.',
  ],
  warmStart: [
    'Warm start',
    'Supervised training before any reward: the policy imitates demonstrations of calls and answers. Every run begins ' +
      'with the resulting policy.',
  ],
  heldOut: [
    'Held-out tasks',
    'Tasks that are excluded from training. They show whether the policy learned a skill or memorised answers.',
  ],
  decision: [
    'P(search)',
    'The probability of a tool call, at the token where the policy either begins a call or does not.',
  ],
  entropy: ['Entropy', 'The uncertainty of the policy about its next token. It is 0 if only one token is possible.'],
  nat: ['Nat', 'The unit of entropy and KL with natural logarithms. One nat is 1.44 bits.'],
  kl: [
    'KL, k3',
    'A measure of the difference between two policies. k3 estimates it from sampled tokens as r − 1 − log r, where r is ' +
      'the ratio of the two probabilities. The estimate is never negative.',
  ],
  clip: [
    'Clip fraction',
    'Share of tokens whose probability changed so much in this update that clipping stops their gradient.',
  ],
  critic: [
    'Critic',
    'A second network that predicts the remaining reward. The PPO rules compare each token with this prediction instead ' +
      'of with the group. “Explained variance” is 1 if all predictions are correct, and 0 if they are no better than the mean.',
  ],
  state: [
    'State',
    'A description of the environment before a turn. If two rollouts reach the same state, their actions can be compared.',
  ],
  pruned: ['Pruned', 'Sampled, but excluded from the update by the rule.'],
  murphyPruning: [
    'IntraP and InterP',
    'The two pruning methods of Murphy. IntraP retains the attempts of a prompt that are furthest from their mean. ' +
      'InterP retains the groups of refinements whose rewards differ most.',
  ],
  normalisation: [
    'Normalisation',
    'The rewards of a group are centred and divided by their standard deviation; trainers differ in the details. “trl”, ' +
      '“verl” and “rllm” follow the libraries of these names, “dr-grpo” does not divide, and “turnwise” is the variant of ' +
      'this page.',
  ],
  continuation: [
    'Continuation',
    'To measure the value of a turn, the environment is restored to the state after the turn, and the policy continues ' +
      'from there many times. Each sample is a continuation; their mean outcome is the measured value.',
  ],
  clearTurn: ['Clear turn', 'A turn whose measured advantage is more than three standard errors away from zero.'],
  reliability: [
    'Reliability',
    'Share of the variance of the measured advantages that is not measurement error. More continuations raise it.',
  ],
  collapse: [
    'Collapse and recovery',
    'Collapse: the share of rollouts that use the tool falls below .1 after it was above .5. Recovery: the share is above .5 ' +
      'again. Tool use falls if rollouts without the tool have higher advantages, and can drift away if all advantages ' +
      'are 0. “Why is tool use changing?” shows the mean advantages.',
  ],
  shortcut: [
    'Shortcut',
    'Training accuracy rises and held-out accuracy falls. The policy learned something that helps with the training ' +
      'questions only, such as memorised answers. The training reward does not show it; held-out questions do.',
  ],
  overUse: [
    'Over-use',
    'The tool is called more than twice per rollout. If calls earn a reward and cost nothing, more calls earn more. A ' +
      'cost for each call, such as the control “Search cost”, prevents it.',
  ],
  entropyCollapse: [
    'Entropy collapse',
    'The policy is nearly deterministic: entropy below .05 nats, and below a quarter of the initial value. Its rollouts are equal, so their rewards tie and give no gradient. ' +
      'An entropy bonus or a lower learning rate prevents it.',
  ],
  diverging: [
    'Diverging',
    'The policy is more than 4 nats per token from the warm start, where successful runs stay below 2. Skills of the warm start may ' +
      'be lost. A lower learning rate or a KL penalty prevents it.',
  ],
  searchTokens: [
    'r5, e20, v42, w7, d85',
    'Tokens of the Search environment: relation 5, entity 20, value 42, filler word 7; d85 is document 85. The question “r5 of ' +
      'e20” asks for the value that relation 5 gives to entity 20.',
  ],
  codeTokens: ['NL, IND, DED', 'Tokens of programs: new line, indent, dedent.'],
  iterations: ['Iter-1, Iter-2', 'Share of tasks that are solved by the first attempt, or by one of the first two.'],
} as const satisfies Record<string, readonly [title: string, meaning: string]>;

/** Key of a term in the glossary. */
export type GlossaryTerm = keyof typeof terms;

/** Texts of the glossary: the terms of the page and their meanings. */
export const glossaryStrings = {
  title: 'Glossary and credit rules',
  caption: 'Terms of this page, and each rule with its formulas and its paper.',
  termsHead: 'Terms',
  rules: 'Credit rules, with formulas and papers',
  rulesCaption: '“Examples” in the Inspector shows a computation of every rule.',
  papers: 'Papers of the rules',
  paper: 'Paper',
  here: 'Terms',
  meaning: 'Meaning',
  meaningLabel: (term: string) => `Meaning: ${term}`,
  ruleLabel: (rule: string) => `Active rule: ${rule}`,
  hereLabel: (panel: string) => `Terms of this panel: ${panel}`,
  all: 'Glossary and credit rules',
  meanings: terms as Readonly<Record<GlossaryTerm, readonly [title: string, meaning: string]>>,
  sources: [
    ['GRPO: Shao et al. 2024', '2402.03300'],
    ['PPO: Schulman et al. 2017', '1707.06347'],
    ['Generalised advantage estimation: Schulman et al. 2015', '1506.02438'],
  ] as readonly (readonly [title: string, arxiv: string])[],
  arxiv: (number: string) => `arXiv ${number}`,
} as const;
