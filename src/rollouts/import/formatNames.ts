/** Names of the trainers and tools with readable logs. */
export const LOG_FORMATS = [
  'trl',
  'verl',
  'verifiers',
  'nemo-gym',
  'tau-bench',
  'swe-agent',
  'tinker-cookbook',
  'trackio',
] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];
