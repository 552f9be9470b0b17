/** Texts of the figure of decision density. */
export const densityStrings = {
  title: 'Decision density and credit per rollout',
  lead: 'Each point is one size of Search under its initial policy: the mean of 20 seeds with its 95 % interval. A turn is a decision if the absolute value of its true advantage is above 0.1. A label gives the turns and hops: 6·2 is 6 turns, 2 hops.',
  across: 'Decision density: share of turns that are decisions',
  up: 'Correlation of GRPO-OR with the true advantages',
  limit: 'square root of the density',
  label: (turns: number, hops: number) => `${turns} turns${hops > 1 ? `, ${hops} hops` : ''}`,
  point: (label: string, density: string, correlation: string) =>
    `${label}: density ${density}, correlation ${correlation}`,
  note: 'The dashed curve is the maximum correlation of a rule with the same squared credit for all turns. Above it, GRPO-OR gives decisions more credit than other turns.',
} as const;
