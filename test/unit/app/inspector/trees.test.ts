import { describe, expect, test, vi } from 'vitest';
import { plainColour } from '../../../../src/app/drawing/svgFile.ts';
import { inspectView } from '../../../../src/app/inspector/inspected.ts';
import { classifyOutcomes, quadrantOf, quadrants, rolloutGraph } from '../../../../src/app/inspector/rolloutGraph.ts';
import { StateTable } from '../../../../src/app/inspector/rolloutTables.ts';
import { RolloutTree, withActionTexts } from '../../../../src/app/inspector/rolloutTree.ts';
import { testWeights } from '../../../../src/app/inspector/testWeights.ts';
import { edgeByKey, fill, layoutForest, layoutGraph, turnByKey } from '../../../../src/app/inspector/treeLayouts.ts';
import { inspectorStrings } from '../../../../src/app/strings/inspectorStrings.ts';
import { FEEDBACK_TREE, MEETING, TESTED } from '../../../../src/credit/explanation/examples.ts';
import { grpoOr } from '../../../../src/credit/rules/grpo/grpoOr.ts';
import { verpo } from '../../../../src/credit/rules/tests/verpo.ts';
import { rtmc } from '../../../../src/credit/rules/tree/rtmc.ts';
import { creditCases } from '../../../vectorFile.ts';
import { stepsView } from '../appLiveFixtures.ts';
import { renderedMarkup } from '../renderedMarkup.ts';

const SIZES = { width: 1000, node: { width: 90, height: 30 }, gap: { x: 20, y: 6 } };

test('colours of saved drawings are converted to rgb() or rgba(), which any program reads', () => {
  expect(plainColour('color(srgb 0.5 0.25 1)')).toBe('rgb(128, 64, 255)');
  expect(plainColour('color(srgb 1 0 0 / 0.16)')).toBe('rgba(255, 0, 0, 0.16)');
  expect(plainColour('rgb(1, 2, 3)')).toBe('rgb(1, 2, 3)');
});

describe('a forest of programs', () => {
  const groups = ['murphy-mars', 'verpo'].flatMap(creditCases).map(({ group }) => group);

  test.each([1000, 500, 260])('a forest has no overlapping boxes and fits in %i px if its depth allows it', (width) => {
    for (const group of groups) {
      const picture = layoutForest(group, { ...SIZES, width });
      const { positioned } = picture;
      expect(positioned).toHaveLength(group.turns.length);
      for (const a of positioned) {
        for (const b of positioned) {
          const apart = Math.abs(a.x - b.x) >= 90 || Math.abs(a.y - b.y) >= 30;
          if (a !== b) expect(apart, `${group.id}: turns ${a.turn} and ${b.turn}`).toBe(true);
        }
      }
      const deepest = Math.max(...positioned.map(({ depth }) => depth));
      expect(picture.width).toBeLessThanOrEqual(Math.max(width, (deepest + 1) * 110));
      expect(Math.max(...positioned.map(({ x }) => x + 90))).toBeLessThanOrEqual(picture.width + 1e-9);
      expect(Math.max(...positioned.map(({ y }) => y + 30))).toBe(picture.height);
      expect(Math.min(...positioned.flatMap(({ x, y }) => [x, y]))).toBeGreaterThanOrEqual(0);
    }
  });

  test('a forest of programs has the continuations of a turn to its right, and chains in rows', () => {
    const { positioned, order } = layoutForest(FEEDBACK_TREE, SIZES);
    for (const { parent, x, depth } of positioned) {
      if (parent >= 0) expect([x, depth]).toEqual([positioned[parent].x + 110, positioned[parent].depth + 1]);
    }
    expect([...order].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    const chain = layoutForest(TESTED, { ...SIZES, width: 200 });
    expect(chain.positioned[1].y).toBe(chain.positioned[0].y);
    expect(new Set(chain.positioned.map(({ y }) => y)).size).toBe(3);
  });

  test('trees of a forest are distributed over the columns in order', () => {
    expect(fill([10, 10, 10, 10], 2)).toEqual([0, 0, 1, 1]);
    expect(fill([30, 10, 10, 10], 2)).toEqual([0, 1, 1, 1]);
    expect(fill([5], 3)).toEqual([1]);
    expect(fill([], 3)).toEqual([]);
  });

  test('arrow keys select the next turn in a forest of programs', () => {
    const picture = layoutForest(FEEDBACK_TREE, { ...SIZES, width: 200 });
    const walk = (...keys: string[]) => keys.reduce((turn, key) => turnByKey(picture, turn, key) ?? -1, 0);
    expect(walk('ArrowRight')).toBe(3);
    expect(walk('ArrowRight', 'ArrowDown')).toBe(4);
    expect(walk('ArrowRight', 'ArrowDown', 'ArrowLeft')).toBe(0);
    expect(walk('End')).toBe(2);
    expect(walk('End', 'Home', 'ArrowDown', 'ArrowUp')).toBe(0);
    expect([turnByKey(picture, 2, 'ArrowRight'), turnByKey(picture, 0, 'ArrowUp'), turnByKey(picture, 0, 'a')]).toEqual(
      [undefined, undefined, undefined],
    );
  });
});

describe('weights of tests', () => {
  test('the weights of tests are the weights of VeRPO, w / (d + 10⁻⁶), for every test and parameter', () => {
    for (const { group } of creditCases('verpo')) {
      for (const parameters of [{}, { alpha: 0 }, { alpha: 5, bandwidth: 0.3 }]) {
        const { turn, marks, density: drawn } = testWeights(group, parameters);
        const { weights, passRate, bandwidth: sigma } = verpo.credit(group, parameters).intermediate;
        expect([turn, drawn?.bandwidth]).toEqual(['difficulty-density', sigma[0]]);
        expect(marks.flatMap(({ tests }) => tests).sort((a, b) => a - b)).toEqual([...passRate.keys()]);
        for (const { tests, passRate: rate, difficulty = 0, density = 0, weight } of marks) {
          for (const index of tests) expect([passRate[index], weights[index]]).toEqual([rate, weight]);
          expect(difficulty).toBeCloseTo(Math.exp(-('alpha' in parameters ? parameters.alpha : 2) * rate), 12);
          expect(weight).toBeCloseTo(difficulty / (density + 1e-6), 12);
        }
        expect(marks.map(({ passRate: rate }) => rate)).toEqual(
          marks.map(({ passRate: rate }) => rate).sort((a, b) => a - b),
        );
        const curve = drawn?.curve ?? [];
        expect([curve[0][0], curve.at(-1)?.[0]]).toEqual([0, 1]);
        // The density curve is at most the number of tests.
        expect(Math.max(...curve.map(([, density]) => density))).toBeLessThanOrEqual(passRate.length + 1e-9);
      }
    }
  });

  test('the weights of tests are listed only with the values that each choice uses', () => {
    const describeWeights = (turn: string) => {
      const { marks, density } = testWeights(TESTED, { turn });
      return { marks: marks.map(({ tests, passRate, ...rest }) => rest), density };
    };
    expect(describeWeights('pass-rate')).toEqual({ marks: Array(3).fill({ weight: 1 / 3 }), density: undefined });
    expect(describeWeights('none')).toEqual({ marks: Array(3).fill({ weight: 0 }), density: undefined });
    expect(describeWeights('difficulty').marks).toEqual(
      [0.25, 0.5, 1].map((rate) => ({ weight: Math.exp(-2 * rate) })),
    );
    // Failure rates 3/4, 1/2, 0: squares 9/16, 4/16, 0, of 13/16.
    expect(describeWeights('failure-rate')).toEqual({
      marks: [
        { difficulty: 9 / 16, weight: 9 / 13 },
        { difficulty: 4 / 16, weight: 4 / 13 },
        { difficulty: 0, weight: 0 },
      ],
      density: undefined,
    });
    expect(() => testWeights(MEETING, {})).toThrow('field "passed"');
  });
});

describe('the graph of rollouts', () => {
  const cases = creditCases('rtmc');

  test('the graph of rollouts has the values of RTMC and counts each rollout once', () => {
    for (const { group, parameters } of cases) {
      const { states, edges, edgeOf, rollouts } = rolloutGraph(group, parameters);
      const { advantage, intermediate } = rtmc.credit(group, parameters);
      group.turns.forEach((turn, index) => {
        const edge = edges[edgeOf[index]];
        const state = states[edge.from];
        expect([state.state, edge.action]).toEqual([turn.state, turn.action]);
        expect([edge.q, edge.advantage, state.value, state.visits]).toEqual([
          intermediate.q[index],
          advantage[index],
          intermediate.v[index],
          intermediate.visits[index],
        ]);
      });
      for (const { id, visits } of states) {
        const outgoing = edges.filter(({ from }) => from === id);
        expect(outgoing.reduce((sum, edge) => sum + edge.visits, 0)).toBe(visits);
      }
      for (const { solved, failed, visits } of edges) expect(solved + failed).toBe(visits);
      expect(edges.reduce((sum, { ended }) => sum + ended.solved + ended.failed, 0)).toBe(rollouts.length);
    }
  });

  test('in the graph of the documentation example, three rollouts look and two of them fix the error', () => {
    const { states, edges } = rolloutGraph(MEETING, {});
    expect(states.map(({ state, visits, solved, failed }) => [state, visits, solved, failed])).toEqual([
      ['start', 4, 2, 2],
      ['seen', 3, 2, 1],
    ]);
    expect(edges.map((edge) => [edge.action, edge.visits, edge.to, classifyOutcomes(edge)])).toEqual([
      ['look', 3, [{ state: 1, turns: 3 }], 'mixed'],
      ['fix', 2, [], 'solved'],
      ['give up', 1, [], 'failed'],
      ['guess', 1, [], 'failed'],
    ]);
  });

  test('a state that a rollout visits repeatedly is one state with a loop', () => {
    const step = (parent: number, state: string, action: string) => ({ parent, reward: 0, state, action });
    const group = {
      id: 'loop',
      turns: [step(-1, 's', 'try'), step(0, 's', 'try'), { ...step(1, 's', 'stop'), outcome: 1, solved: true }],
    };
    const graph = rolloutGraph(group, {});
    expect(graph.edges[0]).toMatchObject({ visits: 1, turns: [0, 1], to: [{ state: 0, turns: 2 }] });
    const picture = layoutGraph(graph, { width: 500, node: { width: 40, height: 24 }, row: 36, step: [80, 150] });
    expect(picture.states).toHaveLength(1);
    expect([...picture.order].sort()).toEqual([0, 1]);
  });

  test('rollouts that the step limit cut off are distinguished from failed rollouts', () => {
    const step = (parent: number, action: string, rest: object = {}) => ({
      parent,
      reward: 0,
      state: 's',
      action,
      ...rest,
    });
    const lost = { outcome: 0, solved: false };
    const turns = [
      step(-1, 'wait', { ...lost, truncated: true }),
      step(-1, 'finish', lost),
      step(-1, 'wait', { ...lost, truncated: true }),
      step(-1, 'repair', { outcome: 1, solved: true }),
    ];
    const { states, edges } = rolloutGraph({ id: 'cut', turns }, {});
    expect(states[0]).toMatchObject({ solved: 1, failed: 3, incomplete: 2 });
    expect(edges.map((edge) => [edge.action, classifyOutcomes(edge)])).toEqual([
      ['wait', 'incomplete'],
      ['finish', 'failed'],
      ['repair', 'solved'],
    ]);
    const { ended, ends } = inspectorStrings.states;
    expect([ended(states[0]), ends(states[0])]).toEqual(['1 solved, 1 failed, 2 cut off by the limit', '✓1 ✗1 …2']);
    expect(ended({ solved: 1, failed: 1, incomplete: 0 })).toBe('1 solved, 1 failed');
  });

  test('a state that is reached only after a loop is drawn one action after the loop', () => {
    const step = (parent: number, state: string, action: string) => ({ parent, reward: 0, state, action });
    const last = { ...step(2, 'b', 'stop'), outcome: 0, solved: false };
    const turns = [step(-1, 'a', 'fail'), step(0, 'a', 'fail'), step(1, 'a', 'look'), last];
    const graph = rolloutGraph({ id: 'late', turns }, {});
    expect(graph.states.map(({ state, depth }) => [state, depth])).toEqual([
      ['a', 0],
      ['b', 1],
    ]);
    const picture = layoutGraph(graph, { width: 500, node: { width: 40, height: 24 }, row: 36, step: [80, 150] });
    expect(picture.states[1].x - picture.states[0].x).toBe(150);
    expect(picture.lines.filter(({ tree }) => tree).map(({ state }) => state)).toEqual([1, -1]);
  });

  test.each([280, 1100])('a graph of rollouts at %i px has each state and edge once, without overlap', (width) => {
    for (const { group, parameters } of cases) {
      const graph = rolloutGraph(group, parameters);
      const picture = layoutGraph(graph, { width, node: { width: 44, height: 26 }, row: 36, step: [96, 170] });
      expect([...picture.order].sort((a, b) => a - b)).toEqual(graph.edges.map(({ id }) => id));
      expect(picture.states).toHaveLength(graph.states.length);
      const keys = picture.states.map(({ x, y }) => `${x.toFixed(3)} ${y.toFixed(3)}`);
      expect(new Set(keys).size).toBe(keys.length);
      const rows = picture.states.map(({ y }) => y);
      expect(Math.min(...rows)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...rows)).toBeLessThanOrEqual(picture.height);
      for (const [id, { x }] of picture.states.entries()) {
        expect(x).toBeCloseTo(22 + graph.states[id].depth * stepOf(picture.states, graph.states), 6);
      }
      const drawn = graph.edges.reduce(
        (sum, { to, ended }) => sum + to.length + Number(ended.solved + ended.failed > 0),
        0,
      );
      expect(picture.lines).toHaveLength(drawn);
      expect(
        picture.lines
          .filter(({ tree, state }) => tree && state >= 0)
          .map(({ state }) => state)
          .sort(),
      ).toEqual(graph.states.flatMap(({ id, depth }) => (depth > 0 ? id : [])).sort());
    }
  });

  test('the tree of states and its table show tool calls instead of the actions that rules compare', () => {
    vi.stubGlobal('ResizeObserver', class {});
    const view = stepsView();
    const turns = view.forest.turns.map((turn, at) => ({ ...turn, action: `modify:replace:e03${at}@app.py` }));
    const inspected = inspectView({ ...view, forest: { ...view.forest, turns } });
    const graph = withActionTexts(rolloutGraph(inspected.group, {}), inspected);
    const table = renderedMarkup(new StateTable(), { graph });
    const tree = renderedMarkup(new RolloutTree(), { inspected, size: { width: 600 } } as Partial<RolloutTree>);
    for (const markup of [table, tree]) {
      expect(markup).toContain('view("a.py")');
      expect(markup).not.toContain('modify:replace');
    }
  });

  test('arrow keys select the next action along the rollouts', () => {
    const graph = rolloutGraph(MEETING, {});
    const picture = layoutGraph(graph, { width: 500, node: { width: 40, height: 24 }, row: 36, step: [80, 150] });
    expect(edgeByKey(graph, picture, 0, 'ArrowRight')).toBe(1);
    expect(edgeByKey(graph, picture, 2, 'ArrowLeft')).toBe(0);
    expect(edgeByKey(graph, picture, 1, 'ArrowRight')).toBeUndefined();
    expect(picture.order).toEqual([0, 1, 2, 3]);
    expect(edgeByKey(graph, picture, 0, 'End')).toBe(3);
  });

  test('steps are counted in quadrants by the signs of two advantages and by the outcome of their rollouts', () => {
    expect([quadrantOf(1, 1), quadrantOf(-1, 1), quadrantOf(1, -1), quadrantOf(-1, -1), quadrantOf(0, 1)]).toEqual([
      'both-more',
      'rescued',
      'penalised',
      'both-less',
      'neither',
    ]);
    const { rollouts } = rolloutGraph(MEETING, {});
    const [grpo, tree] = [grpoOr, rtmc].map((rule) => rule.credit(MEETING, {}).advantage);
    // One of the two failed rollouts looked first. RTMC assigns this turn a positive advantage.
    expect(quadrants(MEETING, rollouts, grpo, tree)).toEqual({
      'both-more': { solved: 4, failed: 0 },
      rescued: { solved: 0, failed: 1 },
      penalised: { solved: 0, failed: 0 },
      'both-less': { solved: 0, failed: 2 },
      neither: { solved: 0, failed: 0 },
    });
  });
});

/** Returns the distance between successive depths in a picture [px]. */
function stepOf(positions: readonly { readonly x: number }[], states: readonly { readonly depth: number }[]): number {
  const [far, at] = states.reduce(
    ([maximum, best], { depth }, id) => (depth > maximum ? [depth, id] : [maximum, best]),
    [0, 0],
  );
  return far === 0 ? 0 : (positions[at].x - 22) / far;
}
