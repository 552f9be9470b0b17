/** Returns a training time in words: tens of seconds up to 90 s, then minutes. */
export function trainingTime(seconds: number): string {
  if (seconds < 90) return `${Math.max(10, 10 * Math.round(seconds / 10))} s`;
  return `${Math.round(seconds / 60)} min`;
}
