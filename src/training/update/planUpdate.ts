import { type Credit, type CreditRule, isOfTurns } from '../../credit/rule.ts';
import { ruleValues } from '../../credit/ruleFacts.ts';
import { findRule } from '../../credit/rules.ts';
import { type Aggregation, type RatioLevel, type Sequence, tokenWeights } from '../../engine/shared.ts';
import type { CreditPlan, UpdatePlan, UsedCredit } from '../../engine/updatePlan.ts';
import { largest, type ParameterValues } from '../../parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import { isTree, unfolded } from '../../rollouts/forest.ts';
import type { Rollout, RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { TRAINING_CONTROLS } from '../data/controls.ts';

/** Maximum number of epochs of an update, and of minibatches in all its epochs. */
export const MAX_EPOCHS = largest(TRAINING_CONTROLS, 'epochs');
export const MAX_MINIBATCHES = MAX_EPOCHS * largest(TRAINING_CONTROLS, 'minibatches');
/** Number of rollouts on which the KL to the reference is measured. With a KL penalty, all rollouts are used. */
const REFERENCE_SAMPLE = 16;
/** Number of keys per update for its orders of rollouts, one per epoch. Another number changes all curves. */
export const ORDERS_AN_UPDATE = 8;

/** Data of a run that an update depends on, in addition to its batch and its controls. */
export interface PlannedRun {
  /** Seed of the order of rollouts. */
  readonly seed: number;
  /** Maximum number of tokens of a sequence, which is also its number of slots in the table of the policy. */
  readonly context: number;
  /** Number of consecutive updates in which the critic has learned under the active rule; 0 if there is no critic. */
  readonly criticUpdates: number;
}

/**
 * Plans the update of a batch. Pure function.
 * @param controls rule, its parameters, and TRAINING_CONTROLS
 * @param exact credit of the batch under these controls
 * @throws {CreditError} if the rule cannot read the batch
 */
export function planUpdate(
  batch: RolloutBatch,
  controls: ParameterValues,
  exact: ExactCredit,
  { seed, context, criticUpdates }: PlannedRun,
): UpdatePlan & { readonly selection: Selection | undefined } {
  const rule = findRule(controls.rule as string);
  const selection = selectTurns(batch, rule, (group) => exact.of(group, rule), controls);
  const weighed = toSequences(batch, rule, context);
  const shares = ratioGroups(controls.ratio as RatioLevel);
  const sequences = (rollouts: readonly Rollout[], aggregation: Aggregation, selected?: Selection) =>
    weighed(rollouts, aggregation, selectedOnly(selected), selected?.share).map((sequence, index) => ({
      ...sequence,
      shares: shares(rollouts[index]),
    }));
  const aggregation = controls.aggregation as Aggregation;
  const sampled = controls.klCoef !== 0 ? batch.rollouts : batch.rollouts.slice(0, REFERENCE_SAMPLE);
  const parts = minibatchesOf(batch, controls, seed, selection);
  const minibatches = parts.map((rollouts) => sequences(rollouts, aggregation, selection));
  const credit = planCredit(batch, rule, exact, context);
  const criticMinibatches = () =>
    isOfTurns(rule) ? parts.map((rollouts) => weighed(rollouts, aggregation, valuedTokens(rule))) : minibatches;
  return {
    ...credit,
    ...{ controls, selection },
    reference: sequences(sampled, 'token-mean'),
    minibatches,
    critic: credit.critic && { ...credit.critic, minibatches: criticMinibatches() },
    learns: rule.unit === 'turn' || criticUpdates >= (controls.criticUpdates as number),
    retained: selection ? selection.turns.reduce((sum, turn) => sum + turn, 0) / selection.turns.length : 1,
  };
}

/**
 * Plans the credit of a batch. Pure function.
 * @param exact credit of the batch in float64
 * @param context maximum number of tokens of a sequence
 */
export function planCredit(batch: RolloutBatch, rule: CreditRule, exact: ExactCredit, context: number): CreditPlan {
  const valued = () => toSequences(batch, rule, context)(batch.rollouts, 'token-mean', valuedTokens(rule));
  return {
    ...{ batch, rule, exact },
    parameters: exact.parametersOf(rule),
    critic: rule.unit === 'token' ? { valued: valued() } : undefined,
  };
}

/** Returns the key of the order of rollouts in an epoch of an update. @param epoch index from 0 */
export function orderKey(step: number, epoch: number): number {
  return step * ORDERS_AN_UPDATE + epoch;
}

/**
 * Predicate that selects the policy tokens of a loss.
 * @param turn index of the token's turn in the rollout
 * @param at index of the token in the rollout
 */
type Counts = (rollout: Rollout, turn: number, at: number) => boolean;

/** Selects the tokens of selected turns, or all tokens without a selection. */
function selectedOnly(selection: Selection | undefined): Counts {
  return ({ turns }, turn) => !selection || selection.turns[turns[turn].forestTurn] === 1;
}

/**
 * Selects the tokens at which a critic computes a value. If the tokens of a turn share their advantage, only the first
 * token of each turn is selected. The critic then does not process the later tokens of the last turn.
 */
function valuedTokens(rule: CreditRule): Counts {
  return isOfTurns(rule) ? ({ turnOf }, turn, at) => turnOf[at - 1] !== turn : () => true;
}

/** Returns a function that maps a rollout to [tokens] ids of tokens with a shared ratio; undefined for `token`. */
function ratioGroups(ratio: RatioLevel = 'token') {
  return ({ turnOf }: Rollout) => ({ token: undefined, turn: turnOf, sequence: turnOf.map(() => 0) })[ratio];
}

/**
 * Returns a function that converts rollouts of a batch to sequences for a loss. A sequence has the weight of each
 * policy token, 0 if the token does not count, and the position of its advantage.
 * @param context maximum number of tokens of a sequence
 */
function toSequences(batch: RolloutBatch, rule: CreditRule, context: number) {
  const positions = mapCreditPositions(batch, rule);
  return (rollouts: readonly Rollout[], aggregation: Aggregation, counts: Counts, share = 1): Sequence[] => {
    const masks = rollouts.map((rollout) =>
      rollout.turnOf.map((turn, at) => Number(turn >= 0 && counts(rollout, turn, at))),
    );
    const sizes = masks.map((mask) => mask.reduce((size, counted) => size + counted, 0));
    const weights = tokenWeights(sizes, aggregation).map((weight) => weight * share);
    return rollouts.map((rollout, index) => ({
      tokens: rollout.tokens,
      weights: Float32Array.from(masks[index], (counted) => (counted === 1 ? weights[index] : 0)),
      credits: positions.get(rollout) as Int32Array,
      slot: rollout.sequence * context,
    }));
  };
}

/**
 * Divides rollouts into minibatches, in a different order in each epoch. Returns no minibatches if no turn is selected.
 */
function minibatchesOf(
  batch: RolloutBatch,
  controls: ParameterValues,
  seed: number,
  selection: Selection | undefined,
): Rollout[][] {
  const rollouts = batch.rollouts.filter(
    ({ turns }) => !selection || turns.some(({ forestTurn }) => selection.turns[forestTurn] === 1),
  );
  const parts: Rollout[][] = [];
  if (rollouts.length === 0) return parts;
  const count = Math.min(controls.minibatches as number, rollouts.length);
  const size = Math.ceil(rollouts.length / count);
  for (let epoch = 0; epoch < (controls.epochs as number); epoch++) {
    const random = new CounterRandom(seed, STREAMS.minibatches, orderKey(batch.step, epoch));
    const order = random.permutation(rollouts.length);
    for (let first = 0; first < order.length; first += size) {
      parts.push(order.slice(first, first + size).map((index) => rollouts[index]));
    }
  }
  return parts;
}

/** Returns the parameter values of a rule in a run: from its controls, and `maxTurns` from the environment. */
export function runParameters(rule: CreditRule, controls: ParameterValues, maxTurns: number): ParameterValues {
  const values = ruleValues(rule, controls);
  return rule.parameters.some(({ name }) => name === 'maxTurns') ? { ...values, maxTurns } : values;
}

/** Selection of the turns that an update computes. */
export interface Selection {
  /** [turns of the forest] 1 if the turn is computed, otherwise 0. */
  readonly turns: Uint8Array;
  /**
   * Share of the computed tokens among the tokens in the mean of the loss, 0 to 1. Turns without advantage add nothing
   * to the sum and are left out, but they count in the mean.
   */
  readonly share: number;
}

/** Largest absolute value of an advantage that counts as 0: the rounding error of equal rewards minus their mean. */
const ZERO = 1e-9;

/**
 * Returns the turns that an update computes; undefined if it computes all turns. It leaves out turns that the rule
 * pruned, groups with equal outcomes (control `filterUniform`), and turns without advantage (`skipZero`). Turns without
 * advantage are included if KL, entropy, a mean within sequences or a shared ratio of a sequence requires each turn.
 *
 * Batches are packed before the GPU has computed the advantages, so the selection uses the float64 credit of the rule.
 * The update uses the advantages of the GPU. Rules with a critic do not compare rollouts, so all turns are selected.
 * @param creditOf returns the credit of a group of the batch (ExactCredit); called only if necessary
 */
export function selectTurns(
  batch: RolloutBatch,
  rule: CreditRule,
  creditOf: (group: number) => Credit,
  controls: ParameterValues,
): Selection | undefined {
  const filters = controls.filterUniform === 'on';
  // A mean within sequences and a shared ratio of a sequence depend on all tokens of the sequence.
  const isSequenceLevel = controls.aggregation === 'sequence-mean' || controls.ratio === 'sequence';
  const skips = controls.skipZero === 'on' && controls.klCoef === 0 && controls.entropyCoef === 0 && !isSequenceLevel;
  const isSelective = skips || rule.retained !== undefined || rule.given === true;
  if (rule.unit === 'token' || !(filters || isSelective)) return undefined;
  const { groups, forest } = batch;
  const turns = new Uint8Array(forest.parent.length);
  let [counted, computed] = [0, 0];
  groups.forEach((group, index) => {
    const first = forest.groupOffset[index];
    if (filters && ties(forest.outcome.subarray(first, forest.groupOffset[index + 1]))) return;
    const advantage = isSelective ? creditOf(index).advantage : undefined;
    group.turns.forEach(({ tokens = 0 }, turn) => {
      const turnAdvantage = advantage?.[turn] ?? 1;
      if (Number.isNaN(turnAdvantage)) return;
      counted += tokens;
      if (skips && Math.abs(turnAdvantage) <= ZERO) return;
      computed += tokens;
      turns[first + turn] = 1;
    });
  });
  return { turns, share: counted === 0 ? 1 : computed / counted };
}

/**
 * Returns true if all trajectories have the same outcome.
 * @param outcomes [turns] NaN if no trajectory ends at the turn
 */
function ties(outcomes: Float64Array): boolean {
  return new Set(outcomes.filter((outcome) => !Number.isNaN(outcome))).size <= 1;
}

/**
 * Credit of a batch under each rule in float64, computed per group at the first request and cached.
 *
 * Gradients use only the float32 advantages of UsedCredit. Views use the float64 credit. The selection of turns also
 * uses it, because it precedes the results of the GPU.
 */
export class ExactCredit {
  private readonly known = new Map<CreditRule, Map<number, Credit>>();
  private readonly alongPaths = new Map<CreditRule, Map<number, Float64Array>>();

  /**
   * @param controls controls under which the batch was sampled
   * @param maxTurns maximum number of turns in the environment
   */
  constructor(
    private readonly batch: Pick<RolloutBatch, 'groups'>,
    private readonly controls: ParameterValues,
    private readonly maxTurns: number,
  ) {}

  /** Returns the parameter values of a rule for this batch. */
  parametersOf(rule: CreditRule): ParameterValues {
    return runParameters(rule, this.controls, this.maxTurns);
  }

  /**
   * Computes the credit of one group.
   * @param group index in the batch
   * @throws {CreditError} if the rule cannot read the group
   */
  of(group: number, rule: CreditRule): Credit {
    const groups = this.known.get(rule) ?? new Map<number, Credit>();
    this.known.set(rule, groups);
    const credit = groups.get(group) ?? rule.credit(this.batch.groups[group], this.parametersOf(rule));
    groups.set(group, credit);
    return credit;
  }

  /**
   * Returns [turns of the group] the advantages of one group, also for a tree under a rule of trajectories. The
   * rollouts of the tree then count as separate trajectories, and a shared turn has the mean of its advantages.
   * @throws {CreditError} if the rule cannot read the group or its rollouts
   */
  advantages(group: number, rule: CreditRule): Float64Array {
    const tree = this.batch.groups[group];
    if (rule.input === 'forest' || !isTree(tree)) return this.of(group, rule).advantage;
    const groups = this.alongPaths.get(rule) ?? new Map<number, Float64Array>();
    this.alongPaths.set(rule, groups);
    const known = groups.get(group);
    if (known) return known;
    const { group: paths, from } = unfolded(tree);
    const { advantage } = rule.credit(paths, this.parametersOf(rule));
    const [sum, count] = [new Float64Array(tree.turns.length), new Float64Array(tree.turns.length)];
    from.forEach((turn, at) => {
      sum[turn] += advantage[at];
      count[turn]++;
    });
    const mean = sum.map((total, turn) => total / count[turn]);
    groups.set(group, mean);
    return mean;
  }
}

/** Sampled batch with its credit. */
export interface BatchWithCredit {
  readonly batch: RolloutBatch;
  /** Controls under which the batch was sampled. */
  readonly controls: ParameterValues;
  /** Credit under the active rule on the GPU, as the update used it. */
  readonly credit: UsedCredit;
  readonly exact: ExactCredit;
}

/**
 * Returns the position of each token's advantage. It is the index of its turn or, under a token rule, its index among
 * the policy tokens of the batch. It is 0 at environment tokens, which the loss masks.
 * @returns [tokens] positions by rollout
 */
export function mapCreditPositions({ rollouts }: RolloutBatch, { unit }: CreditRule): ReadonlyMap<Rollout, Int32Array> {
  let token = 0;
  const expandRollout = ({ turnOf, turns }: Rollout) =>
    turnOf.map((turn) => {
      if (turn < 0) return 0;
      return unit === 'token' ? token++ : turns[turn].forestTurn;
    });
  return new Map(rollouts.map((rollout) => [rollout, expandRollout(rollout)]));
}
