import { type CreditRule, isOfTurns } from '../../credit/rule.ts';
import { findRule } from '../../credit/rules.ts';
import { type Aggregation, type RatioLevel, type Sequence, tokenWeights } from '../../engine/shared.ts';
import type { CreditPlan, UpdatePlan } from '../../engine/updatePlan.ts';
import { largest, type ParameterValues } from '../../parameters/parameters.ts';
import { CounterRandom, STREAMS } from '../../random/counter.ts';
import type { Rollout, RolloutBatch } from '../../rollouts/rolloutBatch.ts';
import { TRAINING_CONTROLS } from '../data/controls.ts';
import type { ExactCredit } from './exactCredit.ts';
import { type Selection, selectTurns } from './selection.ts';
import { mapCreditPositions } from './tokenAdvantages.ts';

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
  const weighed = weighing(batch, rule, context);
  const shares = sharing(controls.ratio as RatioLevel);
  const sequences = (rollouts: readonly Rollout[], aggregation: Aggregation, selected?: Selection) =>
    weighed(rollouts, aggregation, computed(selected), selected?.share).map((sequence, index) => ({
      ...sequence,
      shares: shares(rollouts[index]),
    }));
  const aggregation = controls.aggregation as Aggregation;
  const sampled = controls.klCoef !== 0 ? batch.rollouts : batch.rollouts.slice(0, REFERENCE_SAMPLE);
  const parts = minibatchesOf(batch, controls, seed, selection);
  const minibatches = parts.map((rollouts) => sequences(rollouts, aggregation, selection));
  const credit = planCredit(batch, rule, exact, context);
  const lessons = () =>
    isOfTurns(rule) ? parts.map((rollouts) => weighed(rollouts, aggregation, valuedTokens(rule))) : minibatches;
  return {
    ...credit,
    ...{ controls, selection },
    reference: sequences(sampled, 'token-mean'),
    minibatches,
    critic: credit.critic && { ...credit.critic, minibatches: lessons() },
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
  const valued = () => weighing(batch, rule, context)(batch.rollouts, 'token-mean', valuedTokens(rule));
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
function computed(selection: Selection | undefined): Counts {
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
function sharing(ratio: RatioLevel = 'token') {
  return ({ turnOf }: Rollout) => ({ token: undefined, turn: turnOf, sequence: turnOf.map(() => 0) })[ratio];
}

/**
 * Returns a function that converts rollouts of a batch to sequences for a loss. A sequence has the weight of each
 * policy token, 0 if the token does not count, and the position of its advantage.
 * @param context maximum number of tokens of a sequence
 */
function weighing(batch: RolloutBatch, rule: CreditRule, context: number) {
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
