import type { CreditChoice } from '../../src/app/inspector/choice.ts';
import { type Inspected, inspect, inspectView } from '../../src/app/inspector/inspected.ts';
import type { Group } from '../../src/rollouts/forest.ts';
import type { GroupView, RolloutView, TokenView, TurnView } from '../../src/training/data/protocol.ts';
import { groupOf } from '../unit/app/appFixtures.ts';
import { stepsView, treeView } from '../unit/app/appLiveFixtures.ts';
import { LONG_NAME } from './runs.ts';

/** Returns a choice of a rule with the given parameters. */
export function choiceOf(rule: string, values: CreditChoice['values'] = {}): CreditChoice {
  return { rule, values };
}

/** Groups in the form of the inspector: programs of a repair run (PROGRAMS) and tool calls of a repo run (CALLS). */
export const PROGRAMS: Inspected = inspectView(treeView());
export const CALLS: Inspected = inspectView(stepsView());

const ROLLOUTS = 10;
const TURNS = 4;

/** Creates a group of many rollouts with many turns and long texts. */
export function largeGroup(): GroupView {
  const token = (text: string, turn: number): TokenView => ({
    text,
    kind: 'markup',
    turn,
    logProb: -0.7,
    entropy: 0.4,
  });
  const rollouts = Array.from({ length: ROLLOUTS }, (_, rollout): RolloutView => {
    const turns = Array.from({ length: TURNS }, (_, turn): TurnView => {
      const advantage = Math.sin(rollout + 2 * turn) * 2;
      return {
        ...{ forestTurn: rollout * TURNS + turn, summary: turn === 2 ? `asked for ${LONG_NAME}` : 'searched' },
        ...{ reward: turn / 10, components: { executed: 0.2, retrieved: turn / 20, duplicate: -0.1 } },
        ...{ advantage, outcomeOnlyAdvantage: advantage / 3 },
      };
    });
    const tokens = turns.flatMap((_, turn) => [
      token(`<search>`, turn),
      token(`e${rollout}`, turn),
      token('<doc>', -1),
    ]);
    return { tokens, turns, outcome: rollout % 3 === 0 ? 1 : -0.2 };
  });
  const turns = rollouts.flatMap(({ turns: rolloutTurns, outcome }) =>
    rolloutTurns.map(({ forestTurn, reward }, turn) => ({
      ...{ parent: turn === 0 ? -1 : forestTurn - 1, reward, tokens: 2 },
      ...(turn === TURNS - 1 ? { outcome } : {}),
    })),
  );
  return groupOf({ question: LONG_NAME, groups: 128, group: 127, forest: { id: LONG_NAME, turns }, rollouts });
}

/** Creates a tied group: all rollouts have the same turns, so that no rule has differences to compare. */
export function tiedGroup(): GroupView {
  const group = groupOf();
  const first = group.rollouts[0] as RolloutView;
  const even = first.turns.map((turn) => ({ ...turn, advantage: 0, outcomeOnlyAdvantage: 0 }));
  const createRollout = (turns: readonly TurnView[]) => ({
    ...first,
    turns: even.map((turn, at) => ({ ...turn, forestTurn: turns[at]?.forestTurn ?? 0 })),
  });
  const [a, b] = group.forest.turns;
  const turns = [a, b, a, { ...b, parent: 2 }] as Group['turns'];
  return {
    ...group,
    forest: { id: 'tied', turns },
    rollouts: group.rollouts.map(({ turns: rolloutTurns }) => createRollout(rolloutTurns)),
  };
}

/** Creates a group of eight rollouts with recurring states and long names of states and actions. */
export function meetingGroup(): Inspected {
  const turns = Array.from({ length: 8 }, (_, rollout) =>
    Array.from({ length: 5 }, (_, step) => ({
      ...{ parent: step === 0 ? -1 : rollout * 5 + step - 1, reward: 0 },
      ...{
        state: step === 0 ? 'start' : `after ${step} calls, file ${(rollout * step) % 4}`,
        action: `view("${LONG_NAME.slice(0, 30 + step)}", ${(rollout + step) % 3})`,
      },
      ...(step === 4 ? { outcome: rollout % 2, solved: rollout % 2 === 1 } : {}),
    })),
  ).flat();
  return inspect({ id: LONG_NAME, turns });
}

/** Creates a group of two trees of programs, one of them with three levels, with 24 unit tests. */
export function testedTree(): Inspected {
  const parents = [-1, 0, 0, 0, 1, 1, 1, 2, 2, 3, -1, 10, 10];
  const tests = 24;
  const passedOf = (turn: number) =>
    Array.from({ length: tests }, (_, test) => Number((turn * 5 + test * test) % 7 < 2 + turn / 3));
  const leaf = parents.map((_, turn) => !parents.includes(turn));
  return inspect({
    id: 'many tests',
    turns: parents.map((parent, turn) => {
      const passed = passedOf(turn);
      const solved = !passed.includes(0);
      const program = `def f(values):\n    return [value for value in values if value != ${turn}]  # ${LONG_NAME}`;
      const detail = {
        program,
        tests: passed.map((bit, test) => ({
          args: `([${test}, ${turn}],)`,
          expected: `[${test}]`,
          got: bit ? `[${test}]` : `IndexError: ${LONG_NAME}`,
          passed: bit === 1,
          visible: test < 2,
        })),
        feedback: `test ${passed.indexOf(0)} fails: ${LONG_NAME}`,
      };
      return {
        ...{
          parent,
          reward: passed.filter(Boolean).length / tests,
          passed,
          solved,
          detail,
          summary: `wrote ${LONG_NAME}`,
        },
        ...(leaf[turn] ? { outcome: Number(solved) } : {}),
      };
    }),
  });
}
