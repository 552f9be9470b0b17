/** Texts of the user's results in the lessons. */
export const resultStrings = {
  title: 'Your results',
  link: 'My results',
  none: 'After a lesson, your prediction and the result are stored here, in this browser.',
  lead: 'Your predictions, results and answers are stored in this browser. Nothing is sent anywhere. Save them as a file to keep or submit them.',
  lesson: (title: string, attempts: number, answers: number) =>
    `${title}: ${attempts === 1 ? 'one experiment' : `${attempts} experiments`}${
      answers === 0 ? '' : answers === 1 ? ', one answer to an exercise' : `, ${answers} answers to exercises`
    }.`,
  assessment: (before: number, after: number) => `Questions: ${before} answered before, ${after} after.`,
  name: 'Your name in the file',
  save: 'Save the result file',
  file: (name: string) => `turnwise-result${name === '' ? '' : `-${name}`}.json`,
  reset: 'Reset my progress',
  sure: 'This removes all predictions, results and answers from this browser. Saved files are not affected.',
  yes: 'Remove all',
  no: 'Cancel',
} as const;
