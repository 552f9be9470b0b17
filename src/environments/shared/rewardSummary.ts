/**
 * Summary of a turn with a reward of a learned model. It comes after the summary of the environment, which a replay
 * repeats.
 */
export const appendRewardToSummary = (summary: string, reward: string): string => `${summary}; ${reward}`;
