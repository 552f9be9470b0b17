/** What is said of a turn that a learned model has paid: behind what the environment said of it, which a replay says again. */
export const paidSummary = (summary: string, paid: string): string => `${summary}; ${paid}`;
