/** Texts around what a reader did in the lessons. */
export const resultStrings = {
  title: 'Your results',
  none: 'When you have gone through a lesson, what you predicted and what came is kept here, in this browser.',
  lead: 'What you predicted, what came and what you answered is kept in this browser. Nothing is sent anywhere. Save it as a file to keep it, or to hand it in.',
  lesson: (title: string, attempts: number, answers: number) =>
    `${title}: ${attempts === 1 ? 'one experiment' : `${attempts} experiments`}${
      answers === 0 ? '' : answers === 1 ? ', one answer to an exercise' : `, ${answers} answers to exercises`
    }.`,
  assessment: (before: number, after: number) => `Questions: ${before} answered before, ${after} after.`,
  name: 'Your name, as it shall stand in the file',
  save: 'Save the result file',
  file: (name: string) => `turnwise-result${name === '' ? '' : `-${name}`}.json`,
  forget: 'Begin anew',
  sure: 'Everything that this browser keeps of your lessons is removed: predictions, results and answers. A file that you saved stays.',
  yes: 'Remove it all',
  no: 'Keep it',
} as const;
