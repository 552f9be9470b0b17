/**
 * Appends the reward of a learned model to the summary of a turn. The summary of the environment comes first, because a
 * replay repeats only that part.
 */
export const appendRewardToSummary = (summary: string, reward: string): string => `${summary}; ${reward}`;
