/** The words of the page that a reader may not know, each with what it means here. */
const terms = {
  policy: ['Policy', 'The network that is trained. To each possible next token it gives a probability.'],
  rollout: [
    'Rollout',
    'One whole attempt at a task, from the first token to the last. Other names for it: trajectory, episode.',
  ],
  turn: [
    'Turn',
    'What the policy writes in one go before something answers it: a call of a tool, a program, an answer.',
  ],
  group: ['Group', 'All rollouts of one task in one update. Most rules here compare them with one another.'],
  reward: [
    'Rᴵ and Rᴼ',
    'Rᴵ is the reward of a turn before the last one (I for intermediate). Rᴼ is the reward of the outcome.',
  ],
  creditRule: [
    'Credit rule',
    'The arithmetic that turns rewards into advantages. It decides which turns become more or less likely, and by how much.',
  ],
  advantage: [
    'Advantage, A',
    'How much better something went than what it is compared with. Above zero the update makes it more likely, below ' +
      'zero less likely, and at zero it leaves it alone.',
  ],
  tied: [
    'Tied group',
    'A group whose rollouts all earned the same. There is nothing to compare, so the update learns nothing from it. ' +
      'Some groups tie at the best reward, some at the worst, some between.',
  ],
  masked: [
    'Masked from the loss',
    'Tokens that the environment wrote. The policy reads them, but the update does not count them.',
  ],
  warmStart: [
    'Warm start',
    'Training by imitation before any reward: the policy is shown what calls and answers look like. Every run begins ' +
      'with its result.',
  ],
  heldOut: ['Held out', 'Tasks that are never trained on. They tell what was learnt from what was memorised.'],
  decision: [
    'P(search)',
    'The probability of calling the tool. It is read at the one token where the policy either begins a call or does not.',
  ],
  entropy: ['Entropy', 'How undecided the policy is about its next token. It is 0 where only one token is possible.'],
  nat: ['Nat', 'The unit of entropy and KL with natural logarithms. One nat is 1.44 bits.'],
  kl: [
    'KL, k3',
    'How far two policies are apart. k3 estimates it from sampled tokens as r − 1 − log r, where r is the ratio of the ' +
      'two probabilities; it is never below zero.',
  ],
  clip: [
    'Clip fraction',
    'Share of tokens whose probability has already changed so much in this update that they are not pushed further.',
  ],
  critic: [
    'Critic',
    'A second network that says what reward is still to be expected. The PPO rules compare each token with it instead ' +
      'of with the group. “Explained variance” is 1 where it is always right and 0 where it knows no more than the mean.',
  ],
  state: [
    'State',
    'What a turn found before it. Where two rollouts meet in the same state, their actions can be compared.',
  ],
  pruned: ['Pruned', 'Sampled, but left out of the update by the rule.'],
  murphyPruning: [
    'IntraP and InterP',
    'Two ways in which Murphy prunes. IntraP keeps, of the attempts from one prompt, those furthest from their mean. ' +
      'InterP keeps, of the groups of refinements, those whose rewards differ most.',
  ],
  normalisation: [
    'Normalisation',
    'Rewards of a group are centred and divided by their deviation, and trainers differ in the details. “trl”, ' +
      '“verl” and “rllm” do it as the libraries of these names, “dr-grpo” does not divide, and “turnwise” is this page’s ' +
      'own choice.',
  ],
  continuation: [
    'Continuation',
    'To measure what a turn was worth, the environment is put back to just after it and the policy plays on from there, ' +
      'many times. Each time is a continuation; their mean outcome is the measured value.',
  ],
  clearTurn: ['Clear turn', 'A turn whose measured advantage is more than three standard errors away from zero.'],
  reliability: [
    'Reliability',
    'Share of the differences between measured advantages that is not measurement error. More continuations raise it.',
  ],
  collapse: [
    'Collapse and recovery',
    'A collapse: the share of rollouts that use the tool fell below .1, having been above .5. A recovery: it is above .5 ' +
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
    'The tool is called more than twice a rollout. If calls earn a reward and cost nothing, more calls earn more. A ' +
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
  codeTokens: ['NL, IND, DED', 'Tokens of programs: a new line, a deeper indent, and a lesser indent.'],
  iterations: [
    'Iter-1, Iter-2',
    'Share of tasks that are solved by the first, or by the second attempt at the latest.',
  ],
} as const satisfies Record<string, readonly [title: string, meaning: string]>;

/** A word that the glossary explains. */
export type GlossaryTerm = keyof typeof terms;

/** Texts of the glossary: the words of the page and their meanings. */
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
