/** Texts of the panel that says what the deciding token was paid; its sentences are those of the terminal. */
export const whyStrings = {
  title: 'Why does it rise or fall?',
  /** In one line. */
  brief: (doing: string, paid: string, leaving: string, left: string) => `${doing} ${paid}, ${leaving} ${left}`,
  noPay: 'not tried',
  table: 'What turn 1 was paid, by what came of it: mean advantages',
  what: 'what came of it',
  share: 'share',
  compared: (rule: string) => `under ${rule}`,
  none: '–',
} as const;
