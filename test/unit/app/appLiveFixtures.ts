import type { ProgramDetail } from '../../../src/rollouts/rolloutBatch.ts';
import type { GroupView, RolloutView, TurnView } from '../../../src/training/data/protocol.ts';

const token = (text: string, turn: number) => ({ text, kind: 'code', turn, logProb: -1, entropy: 1 });

function program(text: string, passed: readonly number[]): ProgramDetail {
  const tests = passed.map((bit, test) => ({
    ...{ args: `([${test}],)`, expected: '0', got: bit ? '0' : '1', passed: bit === 1, visible: test === 0 },
  }));
  const failing = passed.indexOf(0);
  return { program: `def f(a):\n    ${text}`, tests, ...(failing < 0 ? {} : { feedback: `test ${failing} fails` }) };
}

/** Returns a sequence of one turn: one prompt token, then two tokens of the policy. */
function sequence(turn: TurnView, outcome = 0): RolloutView {
  return { tokens: [token('<p>', -1), token('return', 0), token(`v${turn.forestTurn}`, 0)], turns: [turn], outcome };
}

/**
 * Returns a tree of programs as the page shows it. The tree has two first programs. The first one fails and has two
 * continuations, the second of which passes. Each turn is a separate sequence.
 */
export function treeView(overrides: Partial<GroupView> = {}): GroupView {
  const parents = [-1, 0, 0, -1];
  const passed = [
    [1, 0],
    [0, 0],
    [1, 1],
    [1, 0],
  ];
  const solved = passed.map((bits) => !bits.includes(0));
  const rewards = passed.map((bits) => (bits[0] + bits[1]) / 2);
  const leaf = [false, true, true, true];
  return {
    step: 3,
    group: 1,
    groups: 4,
    sampleOnly: false,
    question: 'return the number of zeros',
    rule: 'murphy-mars',
    forest: {
      id: 'step 3, group 1',
      turns: parents.map((parent, turn) => ({
        ...{ parent, reward: rewards[turn], solved: solved[turn], passed: passed[turn], tokens: 2 },
        ...(leaf[turn] ? { outcome: Number(solved[turn]) } : {}),
      })),
    },
    rollouts: parents.map((_, forestTurn) =>
      sequence(
        {
          forestTurn,
          summary: `wrote v${forestTurn}`,
          detail: program(`return v${forestTurn}`, passed[forestTurn]),
          reward: rewards[forestTurn],
          components: { passed: rewards[forestTurn] },
          // The rule pruned the first continuation.
          advantage: [0.5, Number.NaN, 0.7, -0.5][forestTurn],
          outcomeOnlyAdvantage: Number.NaN,
        },
        Number(solved[forestTurn]),
      ),
    ),
    ...overrides,
  };
}

/**
 * Returns two rollouts of two tool calls each, the second of which solves its task. After the first calls, both
 * rollouts have the same files, but different actions.
 */
export function stepsView(overrides: Partial<GroupView> = {}): GroupView {
  const calls = ['view("a.py")', 'finish()', 'search("f")', 'finish()'];
  const history = ['', '>view', '', '>search'];
  const coarse = ['#', '#', '#', '#'];
  const view = groupOfSteps(calls);
  return {
    ...view,
    forest: {
      id: 'step 5, group 1',
      turns: calls.map((call, turn) => ({
        ...{ parent: turn % 2 === 0 ? -1 : turn - 1, reward: 0.02, tokens: 1, action: call, state: history[turn] },
        states: { history: history[turn], coarse: coarse[turn] },
        ...(turn % 2 === 0 ? {} : { outcome: Number(turn === 3), solved: turn === 3 }),
      })),
    },
    ...overrides,
  };
}

function groupOfSteps(calls: readonly string[]): Omit<GroupView, 'forest'> {
  const turn = (forestTurn: number): TurnView => ({
    ...{ forestTurn, summary: calls[forestTurn], reward: 0.02, components: { valid: 0.02 } },
    tool: { call: calls[forestTurn], answer: [[{ text: 'm = ' }, { text: 'min', mark: 'wrong' }]] },
    advantage: 0.1 * forestTurn,
    outcomeOnlyAdvantage: -0.1,
  });
  const rollout = (first: number, outcome: number): RolloutView => ({
    tokens: [token('<issue>', -1), token('view', 0), token('<o>', -1), token('finish', 1)],
    turns: [turn(first), turn(first + 1)],
    outcome,
  });
  return {
    ...{ step: 5, group: 0, groups: 2, sampleOnly: false, question: 'top gives too little', rule: 'rtmc' },
    rollouts: [rollout(0, 0), rollout(2, 1)],
  };
}
