/** Formats a training time: rounded to 10 s below 90 s, otherwise to minutes. @param seconds training time [s] */
export function trainingTime(seconds: number): string {
  if (seconds < 90) return `${Math.max(10, 10 * Math.round(seconds / 10))} s`;
  return `${Math.round(seconds / 60)} min`;
}
