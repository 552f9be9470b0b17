import { buildForest, type Group } from '../src/rollouts/forest.ts';

// Loops with which the benchmark of credit compares the GPU. Each rule is one loop over float32 typed arrays on the
// CPU. The loops use default parameters, and require chains with adjacent turns, which the benchmark creates.

/** Turns of a batch in flat arrays. Arrays without a shape are [turns]. */
export interface FlatBatch {
  readonly groups: number;
  /** [groups + 1] index of the first turn. */
  readonly groupOffset: Uint32Array;
  /** [trajectories + 1] index of the first turn, and [groups + 1] index of the first trajectory; empty for trees. */
  readonly trajectoryOffset: Uint32Array;
  readonly groupTrajectory: Uint32Array;
  readonly parent: Int32Array;
  readonly reward: Float32Array;
  /** [turns] outcome on last turns, 0 on other turns. */
  readonly outcome: Float32Array;
  readonly solved: Uint8Array;
  /** [turns, tests] */
  readonly passed: Uint8Array;
  readonly tests: number;
  /** [turns] index of the state and of the action in the batch. */
  readonly state: Uint32Array;
  readonly action: Uint32Array;
  readonly states: number;
  readonly actions: number;
  /** [turns + 1] index of the first token, and [tokens] value of the critic. */
  readonly tokenOffset: Uint32Array;
  readonly value: Float32Array;
}

/** Converts groups to flat arrays for the loops. This conversion is not timed. */
export function flatten(groups: readonly Group[]): FlatBatch {
  const { parent, reward, outcome, groupOffset } = buildForest(groups);
  const turns = groups.flatMap((group) => group.turns);
  const chains = groups[0].turns.every((turn, index) => turn.parent === -1 || turn.parent === index - 1);
  const firsts = chains ? [...parent.keys()].filter((turn) => parent[turn] < 0) : [];
  const counts = groups.map((group) => (chains ? group.turns.filter((turn) => turn.parent === -1).length : 0));
  const numbered = (names: readonly (string | undefined)[]) => {
    const numbers = new Map<string | undefined, number>();
    const list = Uint32Array.from(names, (name) => {
      if (!numbers.has(name)) numbers.set(name, numbers.size);
      return numbers.get(name) ?? 0;
    });
    return { list, size: numbers.size };
  };
  const state = numbered(turns.map((turn) => turn.state));
  const action = numbered(turns.map((turn) => turn.action));
  const sums = (sizes: readonly number[]) => {
    const offset = new Uint32Array(sizes.length + 1);
    sizes.forEach((size, index) => {
      offset[index + 1] = offset[index] + size;
    });
    return offset;
  };
  return {
    groups: groups.length,
    groupOffset,
    trajectoryOffset: Uint32Array.from([...firsts, turns.length]),
    groupTrajectory: sums(counts),
    parent,
    reward: Float32Array.from(reward),
    outcome: Float32Array.from(outcome, (value) => (Number.isNaN(value) ? 0 : value)),
    solved: Uint8Array.from(turns, (turn) => Number(turn.solved === true)),
    passed: Uint8Array.from(turns.flatMap((turn) => turn.passed ?? [])),
    tests: turns[0].passed?.length ?? 0,
    state: state.list,
    action: action.list,
    states: state.size,
    actions: action.size,
    tokenOffset: sums(turns.map((turn) => turn.tokens ?? 0)),
    value: Float32Array.from(turns.flatMap((turn) => turn.values ?? [])),
  };
}

/** Function that computes advantages [turns], or [tokens] for the PPO rules. */
type Loop = (batch: FlatBatch) => Float32Array;

/** Normalises every `stride`th number of `x` from `start` to `end` and writes the results to `out`. */
function normalise(x: Float32Array, out: Float32Array, start: number, end: number, stride = 1, byStd = true): void {
  let [n, sum] = [0, 0];
  for (let i = start; i < end; i += stride) {
    sum += x[i];
    n++;
  }
  const mean = sum / n;
  let squares = 0;
  for (let i = start; i < end; i += stride) squares += (x[i] - mean) ** 2;
  const divisor = byStd ? Math.sqrt(squares / Math.max(1, n - 1)) + 1e-6 : 1;
  for (let i = start; i < end; i += stride) out[i] = squares === 0 ? 0 : (x[i] - mean) / divisor;
}

type TrajectoryReward = (batch: FlatBatch, first: number, last: number) => number;
const outcomeOf: TrajectoryReward = ({ outcome }, _, last) => outcome[last];
const mergedOf: TrajectoryReward = ({ reward, outcome }, first, last) => {
  let sum = outcome[last];
  for (let turn = first; turn < last; turn++) sum += reward[turn];
  return sum;
};

const everyTurn: TrajectoryReward = (batch, first, last) => mergedOf(batch, first, last) + batch.reward[last];

/** Returns a loop that assigns the advantage of its trajectory to every turn. */
function episode(rewardOf: TrajectoryReward, byStd: boolean, factor: (n: number) => number = () => 1): Loop {
  return (batch) => {
    const { groups, groupTrajectory, trajectoryOffset, reward } = batch;
    const trajectories = trajectoryOffset.length - 1;
    const R = new Float32Array(trajectories);
    const A = new Float32Array(trajectories);
    const advantage = new Float32Array(reward.length);
    for (let i = 0; i < trajectories; i++) R[i] = rewardOf(batch, trajectoryOffset[i], trajectoryOffset[i + 1] - 1);
    for (let g = 0; g < groups; g++) {
      const [start, end] = [groupTrajectory[g], groupTrajectory[g + 1]];
      normalise(R, A, start, end, 1, byStd);
      for (let i = start; i < end; i++) {
        const a = A[i] * factor(end - start);
        for (let turn = trajectoryOffset[i]; turn < trajectoryOffset[i + 1]; turn++) advantage[turn] = a;
      }
    }
    return advantage;
  };
}

const mtGrpo: Loop = (batch) => {
  const { groups, groupOffset, groupTrajectory, trajectoryOffset, reward, outcome } = batch;
  const advantage = new Float32Array(reward.length);
  const I = new Float32Array(reward.length);
  const O = new Float32Array(reward.length);
  for (let g = 0; g < groups; g++) {
    const [start, end] = [groupOffset[g], groupOffset[g + 1]];
    // All trajectories have the same length, so turn l of each is every `length`th turn of the group.
    const length = (end - start) / (groupTrajectory[g + 1] - groupTrajectory[g]);
    for (let level = 0; level < length - 1; level++) normalise(reward, I, start + level, end, length);
    normalise(outcome, O, start + length - 1, end, length);
    for (let i = groupTrajectory[g]; i < groupTrajectory[g + 1]; i++) {
      let a = O[trajectoryOffset[i + 1] - 1];
      advantage[trajectoryOffset[i + 1] - 1] = a;
      for (let turn = trajectoryOffset[i + 1] - 2; turn >= trajectoryOffset[i]; turn--) {
        a = I[turn] + a;
        advantage[turn] = a;
      }
    }
  }
  return advantage;
};

/** Returns a loop of GAE. `intermediate` assigns turn rewards to their turns; `merged` adds them to the last turn. */
function gae(intermediate: boolean, merged: boolean): Loop {
  return (batch) => {
    const { trajectoryOffset, tokenOffset, value, reward, outcome } = batch;
    const advantage = new Float32Array(value.length);
    for (let i = 0; i + 1 < trajectoryOffset.length; i++) {
      const [first, last] = [trajectoryOffset[i], trajectoryOffset[i + 1] - 1];
      let [a, next] = [0, 0];
      for (let turn = last; turn >= first; turn--) {
        let r =
          turn === last ? (merged ? mergedOf(batch, first, last) : outcome[last]) : intermediate ? reward[turn] : 0;
        for (let token = tokenOffset[turn + 1] - 1; token >= tokenOffset[turn]; token--) {
          a = r + next - value[token] + a;
          advantage[token] = a;
          next = value[token];
          r = 0;
        }
      }
    }
    return advantage;
  };
}

/** Returns a loop for feedback trees. Parents precede their children, so one backward pass backs up the rewards. */
function murphy(mean: boolean, gamma: number): Loop {
  return ({ groups, groupOffset, parent, reward }) => {
    const turns = reward.length;
    const backedUpReward = Float32Array.from(reward);
    const [sum, children, depth] = [new Float32Array(turns), new Uint32Array(turns), new Uint32Array(turns)];
    const best = new Float32Array(turns).fill(-Infinity);
    const advantage = new Float32Array(turns);
    const [total, squares, count] = [new Float64Array(turns), new Float64Array(turns), new Uint32Array(turns)];
    for (let g = 0; g < groups; g++) {
      const [start, end] = [groupOffset[g], groupOffset[g + 1]];
      let deepest = 0;
      for (let t = start; t < end; t++) {
        depth[t] = parent[t] < 0 ? 1 : depth[parent[t]] + 1;
        deepest = Math.max(deepest, depth[t]);
      }
      for (let t = end - 1; t >= start; t--) {
        if (children[t] > 0) {
          backedUpReward[t] = mean
            ? (reward[t] + (gamma * sum[t]) / children[t]) / (deepest - depth[t] + 1)
            : Math.max(reward[t], best[t]);
        }
        if (parent[t] < 0) continue;
        sum[parent[t]] += backedUpReward[t];
        best[parent[t]] = Math.max(best[parent[t]], backedUpReward[t]);
        children[parent[t]]++;
      }
      // Response groups: the sums over the children of a turn are stored at the turn, and the sums over the first turns
      // at the first turn of the group.
      const owner = (t: number) => (parent[t] < 0 ? start : parent[t]);
      for (const first of [true, false]) {
        for (let t = start; t < end; t++)
          if (parent[t] < 0 === first) total[owner(t)] = squares[owner(t)] = count[owner(t)] = 0;
        for (let t = start; t < end; t++) {
          if (parent[t] < 0 !== first) continue;
          total[owner(t)] += backedUpReward[t];
          count[owner(t)]++;
        }
        for (let t = start; t < end; t++) {
          if (parent[t] < 0 === first)
            squares[owner(t)] += (backedUpReward[t] - total[owner(t)] / count[owner(t)]) ** 2;
        }
        for (let t = start; t < end; t++) {
          if (parent[t] < 0 !== first) continue;
          const n = count[owner(t)];
          const std = Math.sqrt(squares[owner(t)] / Math.max(1, n - 1));
          // Rewards are multiples of 0.1, so a smaller deviation results from rounding of equal values.
          advantage[t] = std < 1e-6 ? 0 : (backedUpReward[t] - total[owner(t)] / n) / (std + 1e-6);
        }
      }
    }
    return advantage;
  };
}

const verpo: Loop = (batch) => {
  const { groups, groupOffset, groupTrajectory, trajectoryOffset, passed, tests: m, reward } = batch;
  const advantage = new Float32Array(reward.length);
  const [R, trajectory] = [new Float32Array(reward.length), new Float32Array(trajectoryOffset.length - 1)];
  const [rho, weight] = [new Float32Array(m), new Float32Array(m)];
  for (let g = 0; g < groups; g++) {
    const [start, end] = [groupOffset[g], groupOffset[g + 1]];
    rho.fill(0);
    for (let t = start; t < end; t++) for (let j = 0; j < m; j++) rho[j] += passed[t * m + j];
    for (let j = 0; j < m; j++) rho[j] /= end - start;
    const mean = rho.reduce((sum, value) => sum + value, 0) / m;
    const std = Math.sqrt(rho.reduce((sum, value) => sum + (value - mean) ** 2, 0) / m);
    const sigma = Math.max(std / 2, 1e-3);
    for (let j = 0; j < m; j++) {
      let density = 0;
      for (let k = 0; k < m; k++) density += Math.exp(-((rho[j] - rho[k]) ** 2) / (2 * sigma * sigma));
      weight[j] = Math.exp(-2 * rho[j]) / (density + 1e-6);
    }
    for (let t = start; t < end; t++) {
      let sum = 0;
      for (let j = 0; j < m; j++) sum += passed[t * m + j] * weight[j];
      R[t] = sum;
    }
    for (let i = groupTrajectory[g]; i < groupTrajectory[g + 1]; i++) {
      const last = trajectoryOffset[i + 1] - 1;
      let all = 1;
      for (let j = 0; j < m; j++) all &= passed[last * m + j];
      trajectory[i] = all * 0.95 ** (last - trajectoryOffset[i]);
    }
    normalise(R, R, start, end, 1, false);
    normalise(trajectory, trajectory, groupTrajectory[g], groupTrajectory[g + 1], 1, false);
    for (let i = groupTrajectory[g]; i < groupTrajectory[g + 1]; i++) {
      for (let t = trajectoryOffset[i]; t < trajectoryOffset[i + 1]; t++) advantage[t] = trajectory[i] + R[t];
    }
  }
  return advantage;
};

function returns({ trajectoryOffset, reward, outcome }: FlatBatch, gamma: number): Float32Array {
  const G = new Float32Array(reward.length);
  for (let i = 0; i + 1 < trajectoryOffset.length; i++) {
    let sum = 0;
    for (let t = trajectoryOffset[i + 1] - 1; t >= trajectoryOffset[i]; t--) {
      sum = reward[t] + outcome[t] + gamma * sum;
      G[t] = sum;
    }
  }
  return G;
}

const grpoStep: Loop = (batch) => {
  const G = returns(batch, 0.99);
  const advantage = new Float32Array(G.length);
  for (let g = 0; g < batch.groups; g++) normalise(G, advantage, batch.groupOffset[g], batch.groupOffset[g + 1]);
  return advantage;
};

const rtmc: Loop = (batch) => {
  const { groups, groupOffset, groupTrajectory, trajectoryOffset, state, action, states, actions, solved } = batch;
  const G = returns(batch, 0.99);
  const advantage = new Float32Array(G.length);
  const [N, W] = [new Float32Array(states * actions), new Float32Array(states * actions)];
  const [stateN, stateW] = [new Float32Array(states), new Float32Array(states)];
  const visitCounts = new Uint32Array(states * actions);
  for (let g = 0; g < groups; g++) {
    for (const table of [N, W, stateN, stateW]) table.fill(0);
    let p = 0;
    for (let i = groupTrajectory[g]; i < groupTrajectory[g + 1]; i++) {
      p += solved[trajectoryOffset[i + 1] - 1];
      for (let t = trajectoryOffset[i]; t < trajectoryOffset[i + 1]; t++) {
        const edge = state[t] * actions + action[t];
        if (visitCounts[edge] === i + 1) continue;
        visitCounts[edge] = i + 1;
        N[edge]++;
        W[edge] += G[t];
        stateN[state[t]]++;
        stateW[state[t]] += G[t];
      }
    }
    p /= groupTrajectory[g + 1] - groupTrajectory[g];
    for (let t = groupOffset[g]; t < groupOffset[g + 1]; t++) {
      const edge = state[t] * actions + action[t];
      advantage[t] = W[edge] / N[edge] - (stateW[state[t]] + 2 * p) / (stateN[state[t]] + 2);
    }
  }
  return advantage;
};

const gigpo: Loop = (batch) => {
  const { groups, groupOffset, state, states } = batch;
  const G = returns(batch, 0.95);
  const advantage = episode(everyTurn, false)(batch);
  const [sum, count] = [new Float32Array(states), new Float32Array(states)];
  for (let g = 0; g < groups; g++) {
    sum.fill(0);
    count.fill(0);
    for (let t = groupOffset[g]; t < groupOffset[g + 1]; t++) {
      sum[state[t]] += G[t];
      count[state[t]]++;
    }
    for (let t = groupOffset[g]; t < groupOffset[g + 1]; t++) advantage[t] += G[t] - sum[state[t]] / count[state[t]];
  }
  return advantage;
};

/** Loop of each rule, by name; undefined for a rule without a loop. */
export const LOOPS: Readonly<Record<string, Loop | undefined>> = {
  'grpo-or': episode(outcomeOf, true),
  'grpo-mt': episode(outcomeOf, true),
  'grpo-mr': episode(mergedOf, true),
  'mt-grpo': mtGrpo,
  rloo: episode(outcomeOf, false, (n) => n / (n - 1)),
  'dr-grpo': episode(outcomeOf, false),
  'ppo-or': gae(false, false),
  'ppo-mr': gae(false, true),
  'mt-ppo': gae(true, false),
  'murphy-mars': murphy(false, 1),
  'murphy-mers': murphy(true, 0.9),
  verpo,
  'grpo-step': grpoStep,
  rtmc,
  gigpo,
};
