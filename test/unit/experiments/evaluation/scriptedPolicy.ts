import { createRepairEnvironment, payByModel } from '../../../../src/environments/repair/open.ts';
import { END, PROGRAM, spell, tokenNumber } from '../../../../src/environments/repair/vocabulary.ts';
import type { EpisodeSampler } from '../../../../src/experiments/evaluation/heldOut.ts';
import { defaults } from '../../../../src/parameters/parameters.ts';
import type { Continuation, SamplingSettings } from '../../../../src/policy/turns.ts';
import { pcg4d } from '../../../../src/random/counter.ts';
import { Collector, type Evaluation } from '../../../../src/training/collect/collector.ts';
import { FakePython, SUM_TASK, written } from '../../environments/repair/repairWorld.ts';

// A scripted policy for tests, in place of a network on a device.

export const RIGHT = 't = 0\nfor x in a:\n    if x > 5:\n        t += x\nreturn t';
export const NEARLY = 't = 0\nfor x in a:\n    if x >= 5:\n        t += x\nreturn t';
/** Program that passes the visible tests and not all hidden tests. */
export const VISIBLE = 'return sum(a[:2])';
export const ZERO = 'return 0';

/**
 * Function that returns the text of a turn from its prompt and a random draw, 0 to 99. The text has one of three forms:
 * - a program
 * - a reflection in tokens, ` <program> ` and a program, optionally repeated
 * - tests in tokens, beginning with `in:`
 */
export type Script = (prompt: string, draw: number) => string;

function turnTokens(text: string): number[] {
  if (text.startsWith('in:')) return [...text.split(' ').map(tokenNumber), END];
  const parts = text.split(' <program> ');
  const program = written(parts.pop() ?? '');
  return [...parts.flatMap((part) => [...part.split(' ').filter(Boolean).map(tokenNumber), PROGRAM]), ...program];
}

/** Policy that is right in a quarter of first attempts, and repairs a program if the feedback shows its bug. */
export const reader: Script = (prompt, draw) => {
  if (!prompt.includes('<fb>')) return draw < 25 ? RIGHT : draw < 60 ? NEARLY : ZERO;
  const [attempt, feedback] = prompt.split('<fb>');
  const observed = feedback.includes('in: [ 5 ] want 0 got 5') ? NEARLY : ZERO;
  const attempted = attempt.includes('return 0') ? ZERO : NEARLY;
  return observed === attempted ? RIGHT : attempted;
};

/**
 * Creates an episode sampler of the Repair environment whose policy is a script.
 * @param capacity number of episodes in a batch @param verify score of a reward model for a program in tokens
 */
export function scripted(
  script: Script,
  capacity = 6,
  verify?: (program: string) => number,
  reflection: 'none' | 'written' = 'none',
  verification: 'none' | 'written' = 'none',
) {
  const { execute } = new FakePython();
  const tasks = [0, 1].map((id) => ({ ...SUM_TASK, id, heldOut: true }));
  const environment = createRepairEnvironment({ reflection, verification }, { execute, problems: [], tasks });
  const { context } = environment;
  const table = new Uint32Array(64 * context);
  const prompts: string[] = [];
  const engine = {
    config: { context },
    capacity: { sequences: 64, rows: 64 * context },
    table,
    async turn(continuations: readonly Continuation[], { seed, step }: SamplingSettings) {
      const lengths = continuations.map(({ sequence, rollout, length }) => {
        const start = sequence * context;
        const prompt = spell([...table.subarray(start, start + length)]);
        prompts.push(prompt);
        const program = turnTokens(script(prompt, pcg4d(seed, step, rollout, length)[0] % 100));
        table.set(program, start + length);
        return length + program.length;
      });
      return { tokens: table, sampled: new Float32Array(4 * table.length), lengths };
    },
  };
  const collector = new Collector(environment, engine);
  const sampler = {
    environment,
    seed: 3,
    capacityFor: () => capacity,
    play: (selected: readonly (typeof tasks)[number][], key: number, evaluation: Evaluation) => {
      const controls = evaluation.controls ?? defaults(environment.controls);
      const requested = environment.learnedReward?.judgeIn(controls);
      if (requested && !verify) throw new Error('there is no reward model');
      return collector.collect({
        ...{ step: 0, tasks: selected, branching: [1], controls, seed: 3, key },
        sampling: { temperature: 1, topP: 1, topK: 0 },
        ...evaluation,
        ...(requested && verify
          ? {
              pay: async (turns) =>
                turns.map((turn) => payByModel(turn.stepResult, verify(spell(turn.written)), controls)),
            }
          : {}),
      });
    },
  } as unknown as EpisodeSampler;
  return { sampler, promptLog: prompts };
}
