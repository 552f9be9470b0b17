/** Question that is put before the lessons and after them. */
export interface AssessmentQuestion {
  readonly name: string;
  /** Name of the lesson that it is about. */
  readonly lesson: string;
  /** HTML. */
  readonly question: string;
  /** To pick from; empty for an open question. */
  readonly choices: readonly AssessmentChoice[];
  /** Name of the right choice; empty for an open question. */
  readonly right: string;
  /**
   * Reason why the right choice is right; for an open question an answer with which users compare their answers. HTML.
   */
  readonly why: string;
}

export interface AssessmentChoice {
  readonly name: string;
  /** A text, without markup. */
  readonly label: string;
}

/** Result of the check of an answer; `open` and `none` are neither right nor wrong. */
export type AnswerResult = 'right' | 'wrong' | 'open' | 'none';

/** Holds an answer against its question: the name of a choice, or a text. */
export function assessed({ choices, right }: AssessmentQuestion, answer: string | undefined): AnswerResult {
  if (answer === undefined || answer.trim() === '') return 'none';
  if (choices.length === 0) return 'open';
  return answer === right ? 'right' : 'wrong';
}
