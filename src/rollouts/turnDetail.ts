// Details of a turn that views display. Credit rules do not read them.

/** Tool call and its response in readable form. */
export interface ToolDetail {
  readonly call: string;
  /** [lines][spans] text of the response. */
  readonly answer: readonly (readonly Span[])[];
}

/** Part of a line with the same mark. */
export interface Span {
  readonly text: string;
  /** `wrong`: differs from the right program; `changed`: written by the policy, and right. */
  readonly mark?: 'wrong' | 'changed';
}

/** Program of a turn with its test results. */
export interface ProgramDetail {
  /** Source code in readable form. */
  readonly program: string;
  /** Changes that the policy announced before the program; absent if it announced none. */
  readonly reflection?: string;
  /** Tests of the task. If the turn wrote tests, its tests instead; `program` is then the tested program. */
  readonly tests: readonly TestDetail[];
  /** Text that the policy received about the program; absent if the episode ended. */
  readonly feedback?: string;
  /** Score of a reward model, 0 to 1; absent if no reward model was used. */
  readonly modelReward?: number;
}

/** One unit test of a program. Values are Python literals. */
export interface TestDetail {
  readonly args: string;
  readonly expected: string;
  /** Returned value or exception. */
  readonly got: string;
  readonly passed: boolean;
  /** True if feedback in evaluations can show the test. */
  readonly visible: boolean;
  /** True if the right program also passes the test. Absent for tests of the task, which it always passes. */
  readonly agrees?: boolean;
}
