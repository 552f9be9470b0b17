import { jit, nn, numpy as np, random, tree } from '@jax-js/jax';
import { headDim, type PolicyConfiguration } from '../src/policy/weights.ts';
import type { Rollout } from '../src/rollouts/rolloutBatch.ts';
import {
  type JaxParameters,
  jaxParameters,
  LINEAR,
  layerForward,
  type Rotation,
  rmsNorm,
  rotationTable,
} from './jaxNetwork.ts';
import type { Workload } from './workload.ts';

/** Keys and values by layer, each [batch, slots, heads, headDim]. */
type Cache = { keys: np.Array[]; values: np.Array[] };

/** Tokens that enter the network together. All fields except `slotUsed` are [batch, positions]. */
type Entering = {
  tokens: np.Array;
  /** Token before each token; 0 at the start of a sequence, with `hasPrevious` 0. */
  previous: np.Array;
  hasPrevious: np.Array;
  positions: np.Array;
  /** [batch, slots] 1 for slots that hold a token of the sequence, now or later in the turn. */
  slotUsed: np.Array;
};

/** State after a drawn token, from which the next token is drawn. */
type Drawn = {
  cache: Cache;
  token: np.Array;
  /** Token before the drawn token, and position of the drawn token. */
  previous: np.Array;
  position: np.Array;
  logProb: np.Array;
};

/** Input of a turn: the right-aligned tokens of the environment, and their slots. */
interface PaddedTurn {
  readonly width: number;
  readonly start: number;
  readonly entering: Entering;
  readonly limit: number;
}

type Functions = ReturnType<typeof generationFunctions>;

function generationFunctions(config: PolicyConfiguration, slots: number) {
  const model = { config, linear: LINEAR.flattened };
  const advance = (
    parameters: JaxParameters,
    cache: Cache,
    entering: Entering,
    write: (cached: np.Array, fresh: np.Array) => np.Array,
    firstSlot: np.Array | number,
  ): { cache: Cache; logits: np.Array } => {
    const { tokens, previous, hasPrevious, positions, slotUsed } = entering;
    const [batch, width] = tokens.shape;
    const { embed, smear, layers, norm } = parameters;
    const shifted = embed.ref
      .slice(previous)
      .mul(smear)
      .mul(hasPrevious.reshape([batch, width, 1]));
    let x = embed.ref.slice(tokens).add(shifted);
    const table = rotationTable(config, config.context);
    const pick = (values: np.Array, at: np.Array) => values.slice(at);
    const rotation: Rotation = { cos: pick(table.cos, positions.ref), sin: pick(table.sin, positions) };
    const reach = np.arange(width).add(firstSlot).reshape([1, 1, width, 1]);
    const visible = np.arange(slots).reshape([1, 1, 1, slots]).lessEqual(reach);
    const mask = visible.mul(slotUsed.reshape([batch, 1, 1, slots]).notEqual(0));
    const next: Cache = { keys: [], values: [] };
    layers.forEach((layer, index) => {
      x = layerForward(model, layer, x, tree.ref(rotation), (q, k, v) => {
        const keys = write(cache.keys[index], k);
        const values = write(cache.values[index], v);
        next.keys.push(keys.ref);
        next.values.push(values.ref);
        return nn.dotProductAttention(q, keys, values, { mask: mask.ref });
      });
    });
    tree.dispose([rotation.cos, rotation.sin, mask]);
    const last = x.slice([], [width - 1, width]).reshape([batch, config.dim]);
    return { cache: next, logits: model.linear(rmsNorm(norm, last, config.normEps), embed) };
  };

  /** Draws tokens at temperature 1 and stores their log-probabilities. */
  const draw = (cache: Cache, logits: np.Array, previous: np.Array, position: np.Array, seed: np.Array): Drawn => {
    const token = random.categorical(random.key(seed), logits.ref);
    const logProb = nn.logSoftmax(logits).mul(nn.oneHot(token.ref, config.vocab)).sum(-1);
    return { cache, token: token.astype(np.int32), previous, position, logProb };
  };

  /** Adds the tokens of the environment to the cache and draws the first token of a turn. */
  const begin = jit(
    (parameters: JaxParameters, cache: Cache, entering: Entering, seed: np.Array, start: number): Drawn => {
      const write = (cached: np.Array, fresh: np.Array) => {
        const before = cached.ref.slice([], [0, start]);
        const after = cached.slice([], [start + fresh.shape[1], slots]);
        return np.concatenate([before, fresh, after], 1);
      };
      const last = (values: np.Array) => values.slice([], values.shape[1] - 1);
      const [previous, position] = [last(entering.tokens.ref), last(entering.positions.ref).add(1)];
      const { cache: next, logits } = advance(parameters, cache, entering, write, start);
      return draw(next, logits, previous, position, seed);
    },
    { staticArgnums: [4] },
  );

  /** Runs the last drawn token through the network and draws the next. `slot` and `seed` are traced: one program. */
  const next = jit(
    (
      parameters: JaxParameters,
      drawn: Omit<Drawn, 'logProb'>,
      slotUsed: np.Array,
      slot: np.Array,
      seed: np.Array,
    ): Drawn => {
      const { cache, token, previous, position } = drawn;
      const column = (values: np.Array) => values.reshape([values.shape[0], 1]);
      const entering = {
        tokens: column(token.ref),
        previous: column(previous),
        hasPrevious: np.ones([token.shape[0], 1]),
        positions: column(position.ref),
        slotUsed,
      };
      const here = np.arange(slots).equal(slot.ref).reshape([1, slots, 1, 1]);
      const write = (cached: np.Array, fresh: np.Array) => np.where(here.ref, fresh, cached);
      const { cache: grown, logits } = advance(parameters, cache, entering, write, slot);
      here.dispose();
      return draw(grown, logits, token, position.add(1), seed);
    },
  );
  return { begin, next };
}

/**
 * Prepares the generation of the turns of a batch, with the maximum number of steps in each turn. All sequences use the
 * same slots of the cache; slots that a shorter turn leaves empty are masked. Tokens of the environment and lengths of
 * turns are read from the batch, so the drawn tokens do not change the amount of work.
 * @returns `generate`, which generates all turns and reads the tokens back, and its number of positions
 */
export function jaxGeneration({ config, parameters, batch, turnLimits }: Workload) {
  const { padded, slots } = prepare(batch.rollouts, turnLimits);
  const functions = generationFunctions(config, slots);
  const weights = jaxParameters(config, parameters);
  const shape = [batch.rollouts.length, slots, config.heads, headDim(config)];
  let seed = 0;
  const zeros = () => Array.from({ length: config.layers }, () => np.zeros(shape));
  const empty: Cache = { keys: zeros(), values: zeros() };
  const generate = async () => {
    let cache = tree.ref(empty);
    for (const fill of padded) cache = await turn(functions, weights, cache, fill, seed++ * 1000);
    tree.dispose(cache);
  };
  return { generate, positions: padded.reduce((sum, { limit }) => sum + limit, 0) };
}

async function turn(
  functions: Functions,
  weights: JaxParameters,
  cache: Cache,
  fill: PaddedTurn,
  seed: number,
): Promise<Cache> {
  const { width, start, entering, limit } = fill;
  let { logProb, ...drawn } = functions.begin(tree.ref(weights), cache, tree.ref(entering), seed, start);
  const tokens = [drawn.token.ref];
  const logProbs = [logProb];
  for (let step = 1; step < limit; step++) {
    const slot = start + width + step - 1;
    ({ logProb, ...drawn } = functions.next(tree.ref(weights), drawn, entering.slotUsed.ref, slot, seed + step));
    tokens.push(drawn.token.ref);
    logProbs.push(logProb);
  }
  tree.dispose([drawn.token, drawn.previous, drawn.position]);
  await Promise.all([np.stack(tokens).data(), np.stack(logProbs).data()]);
  return drawn.cache;
}

/** Assigns the turns of the rollouts to slots of the cache. */
function prepare(rollouts: readonly Rollout[], turnLimits: readonly number[]): { padded: PaddedTurn[]; slots: number } {
  const used = rollouts.map((): number[] => []);
  let start = 0;
  const drafts = turnLimits.map((limit, turn) => {
    const ranges = rollouts.map(({ turnOf, tokens }) => {
      const first = turnOf.indexOf(turn);
      const end = first < 0 ? tokens.length : first;
      // The last token of the previous turn was drawn but did not go through the network.
      return { from: turn === 0 ? 0 : turnOf.lastIndexOf(turn - 1), end };
    });
    const width = Math.max(...ranges.map(({ from, end }) => end - from));
    ranges.forEach(({ from, end }, row) => {
      const written = rollouts[row].turnOf.filter((of) => of === turn).length;
      const firstSlot = start + width - (end - from);
      // All slots of drawn tokens are visible during the turn. Later turns see only the first `written - 1` of them.
      used[row].push(...Array.from({ length: end - from + Math.max(0, written - 1) }, (_, i) => firstSlot + i));
    });
    const draft = { width, start, ranges, limit, rows: used.map((slots) => [...slots]) };
    start += width + limit - 1;
    return draft;
  });
  const slots = start;
  const padded = drafts.map(({ width, start, ranges, limit, rows }): PaddedTurn => {
    const table = (value: (row: number, position: number) => number) => {
      const values = ranges.flatMap(({ end }, row) =>
        Array.from({ length: width }, (_, i) => value(row, end - width + i)),
      );
      return np.array(Int32Array.from(values), { dtype: np.int32 }).reshape([ranges.length, width]);
    };
    const slotUsed = rows.flatMap((rowSlots) => {
      return Array.from({ length: slots }, (_, slot) => (rowSlots.includes(slot) || slot >= start + width ? 1 : 0));
    });
    return {
      width,
      start,
      limit,
      entering: {
        tokens: table((row, position) => rollouts[row].tokens[Math.max(0, position)]),
        previous: table((row, position) => rollouts[row].tokens[Math.max(0, position - 1)]),
        hasPrevious: table((_, position) => (position > 0 ? 1 : 0)).astype(np.float32),
        positions: table((_, position) => Math.max(0, position)),
        slotUsed: np.array(Int32Array.from(slotUsed), { dtype: np.int32 }).reshape([ranges.length, slots]),
      },
    };
  });
  return { padded, slots };
}
