import type { Credit } from '../../../credit/rule.ts';
import type { LessonExercise } from '../../../lessons/lesson.ts';
import { type AnswerCheck, checkedNumber, parseNumber } from '../../../lessons/results/courseResult.ts';
import type { ParameterValues } from '../../../parameters/parameters.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { type CreditChoice, creditOf } from '../../inspector/choice.ts';
import { exerciseStrings } from '../../strings/exerciseStrings.ts';

/** Exercise on groups of the user's run: a table, and questions that the page corrects. */
export interface Exercise {
  /** Group from whose numbers the answers are computed; absent if the exercise is about several groups. */
  readonly group?: GroupView;
  /** Caption of the table. */
  readonly caption: string;
  /** Question of the group's task; absent if the caption is sufficient. */
  readonly task?: string;
  /** Headings of the columns. The first cell of a row is its heading. */
  readonly columns: readonly string[];
  readonly rows: readonly ExerciseRow[];
  /** [lines] numbers in the hint. */
  readonly given: readonly string[];
  readonly questions: readonly Question[];
}

export interface ExerciseRow {
  readonly cells: readonly string[];
  /** True if a question refers to the row. */
  readonly isQuestion: boolean;
}

/** Question with blanks to fill in, or with options to select. */
export type Question = BlanksQuestion | ChoiceQuestion;

interface QuestionBase {
  readonly label: string;
  /** [lines] derivation of the answer. */
  readonly derivation?: readonly string[];
  /** Turn of the group whose derivation under a credit rule explains the answer. It replaces `derivation`. */
  readonly worked?: { readonly turn: number; readonly choice: CreditChoice };
}

/** Question in which the user enters numbers. */
export interface BlanksQuestion extends QuestionBase {
  readonly kind: 'blanks';
  readonly blanks: readonly Blank[];
  /** Decides if the numbers reach a goal. If it is absent, the only number is compared with the answer of its blank. */
  readonly evaluate?: (values: readonly number[]) => Evaluation;
}

export interface Blank {
  /** Label; absent for a single blank, which has the label of the question. */
  readonly label?: string;
  readonly help?: string;
  /** Initial number. */
  readonly begin?: number;
  /** Correct number. */
  readonly answer?: number;
  /** Allowed range. */
  readonly min?: number;
  readonly max?: number;
}

export interface Evaluation {
  readonly met: boolean;
  /** [lines] consequences of the numbers. */
  readonly reports: readonly string[];
}

/** Question in which the user selects an option, or marks all correct options. */
export interface ChoiceQuestion extends QuestionBase {
  readonly kind: 'choice';
  readonly options: readonly string[];
  /** Indices of the correct options. */
  readonly right: readonly number[];
  /** True if the user can mark several options. */
  readonly several: boolean;
}

/** Checked answer to a question. */
export interface Answered {
  readonly check: AnswerCheck;
  /** Answer of the user as text: the entered numbers or the selected options. */
  readonly given: string;
  /** Message about the result of the check. */
  readonly text: string;
  /** [lines] consequences of the answer. */
  readonly reports: readonly string[];
}

/**
 * Checks the answer of the user to a question.
 * @param given texts of the blanks in order, or indices of the selected options
 */
export function checkAnswer(question: Question, given: readonly string[]): Answered {
  return question.kind === 'blanks' ? checkBlanks(question, given) : checkChoice(question, given);
}

function checkBlanks({ blanks, evaluate }: BlanksQuestion, given: readonly string[]): Answered {
  const texts = exerciseStrings;
  const typed = blanks.map((_, index) => given[index]?.trim() ?? '');
  const answer = {
    given: blanks.map(({ label }, index) => (label ? `${label} ${typed[index]}` : typed[index])).join(', '),
    reports: [],
  };
  const values = typed.map(parseNumber);
  const invalid = blanks.find(({ min = -Infinity, max = Infinity }, index) => {
    const value = values[index] ?? Number.NaN;
    return !(value >= min && value <= max);
  });
  if (invalid) {
    const { label, min = -Infinity, max = Infinity } = invalid;
    return { ...answer, check: 'empty', text: label ? texts.range(label, min, max) : texts.empty };
  }
  if (evaluate) {
    const { met, reports } = evaluate(values);
    return { ...answer, check: met ? 'right' : 'wrong', text: met ? texts.met : texts.unmet, reports };
  }
  const check = checkedNumber(typed[0] ?? '', blanks[0]?.answer ?? Number.NaN);
  return { ...answer, check, text: texts[check] };
}

function checkChoice({ options, right, several }: ChoiceQuestion, given: readonly string[]): Answered {
  const texts = exerciseStrings;
  const selected = given.filter((index) => index !== '').map(Number);
  const answer = { given: selected.map((index) => options[index]).join(', '), reports: [] };
  if (!several && selected.length === 0) return { ...answer, check: 'unselected', text: texts.unselected };
  const wrong = options.filter((_, index) => selected.includes(index) !== right.includes(index)).length;
  if (wrong === 0) return { ...answer, check: 'right', text: texts.right };
  return { ...answer, check: 'wrong', text: several ? texts.picked(wrong) : texts.wrong };
}

/** Creates an exercise from groups of a run, oldest first. Returns undefined if no group is suitable. */
export type ExerciseBuilder = (
  groups: readonly GroupView[],
  exercise: LessonExercise,
  controls: ParameterValues,
) => Exercise | undefined;

/**
 * Returns a builder that uses the newest of the most suitable groups.
 * @param suitability rates a group for the exercise; 0 if the group is not suitable
 */
export function fromBestGroup(
  suitability: (group: GroupView, exercise: LessonExercise) => number,
  create: (group: GroupView, exercise: LessonExercise) => Omit<Exercise, 'group' | 'caption' | 'task'>,
): ExerciseBuilder {
  return (groups, exercise) => {
    const rates = groups.map((group) => suitability(group, exercise));
    const maximum = Math.max(0, ...rates);
    const group = maximum === 0 ? undefined : groups[rates.lastIndexOf(maximum)];
    if (!group) return undefined;
    const attempts = group.forest.turns.filter(({ parent }) => parent === -1).length;
    const caption = exerciseStrings.group(group.step, attempts);
    return { group, caption, task: questionText(group), ...create(group, exercise) };
  };
}

/** Creates a question about a number that a rule computes for a turn. */
export function turnQuestion(
  label: string,
  answer: number,
  turn: number,
  { rule, parameters }: Pick<LessonExercise, 'rule' | 'parameters'>,
): BlanksQuestion {
  return { ...numberQuestion(label, answer), worked: { turn, choice: { rule, values: { [rule]: parameters } } } };
}

export function numberQuestion(label: string, answer: number, derivation: readonly string[] = []): BlanksQuestion {
  return { kind: 'blanks', label, blanks: [{ answer }], derivation };
}

/** Parameters of a rule without changes. It is a single object, because `creditOf` compares parameters by identity. */
const DEFAULTS: ParameterValues = {};

/** Returns the credit of a rule on a group; undefined if the rule cannot read the group. */
export function creditIn({ forest }: GroupView, rule: string, parameters = DEFAULTS): Credit | undefined {
  return creditOf(forest, { rule, values: { [rule]: parameters } }).credit;
}

/** Returns the question of a group in the notation of the lessons: table 1 for `table t0`, −1 for `neg 1`. */
export function questionText({ question }: GroupView): string {
  return question
    .replace(/^table t(\d+)$/, (_, table: string) => exerciseStrings.table(Number(table) + 1))
    .replace(/\bneg (\d+)/g, '−$1')
    .replace(/ \((\w+(?:, \w+)*)\)$/, (_, inputs: string) => exerciseStrings.inputs(inputs));
}

/** Returns the number of different values. */
export function kinds(values: Iterable<unknown>): number {
  return new Set(values).size;
}
