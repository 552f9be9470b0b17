// Details of a turn for people; credit rules do not see them.

/** A tool call and its answer as a person would write and read them. */
export interface ToolDetail {
  readonly call: string;
  /** [lines][spans] */
  readonly answer: readonly (readonly Span[])[];
}

/** A piece of a line. */
export interface Span {
  readonly text: string;
  /** `wrong`: not what the right program has there; `changed`: put there by the policy, and right. */
  readonly mark?: 'wrong' | 'changed';
}

/** A program and how it did, for people. */
export interface ProgramDetail {
  /** Source as a person would write it. */
  readonly program: string;
  /** Changes that the policy announced before the program; absent if it announced no changes. */
  readonly reflection?: string;
  /** Its task's tests; where the turn wrote tests, these, and the program is the one that they are about. */
  readonly tests: readonly TestDetail[];
  /** Feedback on the program to the policy, in words; absent if the episode ended. */
  readonly feedback?: string;
  /** Score of a reward model, between 0 and 1; absent if no reward model was used. */
  readonly modelReward?: number;
}

/** One unit test of a program; values as Python writes them. */
export interface TestDetail {
  readonly args: string;
  readonly expected: string;
  /** Returned value, or the exception. */
  readonly got: string;
  readonly passed: boolean;
  /** Feedback in evaluations may show it. */
  readonly visible: boolean;
  /** The right program passes it too; absent of the task's own tests, which it passes. */
  readonly agrees?: boolean;
}
