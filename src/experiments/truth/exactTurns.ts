import type { CountedTurn } from '../../environments/environment.ts';
import { tokensOfTurns } from '../../training/collect/continuations.ts';
import type { Estimate, Return } from '../../training/data/truthReport.ts';
import type { HistoryValues, SampledGroup, TruthSampler } from './measuredGroup.ts';

/** Maximum number of turns whose token probabilities are computed. */
const TURN_LIMIT = 4096;

type ExactMeasurer = Pick<TruthSampler, 'environment' | 'controls' | 'tokenProbabilities'>;

/**
 * Returns true if exact values exist: the environment counts the results of its turns, and sampling has no top-p or
 * top-k.
 */
export function hasExactValues({
  environment,
  controls: { topP, topK },
}: Omit<ExactMeasurer, 'tokenProbabilities'>): boolean {
  return environment.counted !== undefined && topP === 1 && topK === 0;
}

/**
 * Computes the exact values of a group under the current policy:
 *
 *   Q(h, y) = Σ p [r + γ V(h')],   V(h) = Σ_y π(y | h) Q(h, y),   A = Q − V
 *
 * for the tokens y of a turn and the histories h that the policy observes. Source: Sutton and Barto, Reinforcement
 * Learning, 2018, equations 3.12 to 3.14.
 * @param controls controls under which the group was sampled
 * @returns values and advantages, and the number of histories whose token probabilities they depend on
 * @throws {RangeError} if the environment has no exact values (hasExactValues) or too many histories
 */
export async function exactGroup(
  measurer: ExactMeasurer,
  task: unknown,
  { batch, group, histories: { starts, before } }: SampledGroup,
  counts: Return,
  controls = measurer.controls,
): Promise<HistoryValues & { readonly counted: number }> {
  const { environment } = measurer;
  const first = hasExactValues(measurer) ? environment.counted?.(task, controls) : undefined;
  if (!first) throw new RangeError(`the environment "${environment.name}" has no exact values under these controls`);
  const open = openTurns(first, environment.vocabulary.size);
  const probabilities = await measurer.tokenProbabilities(open.map(({ tokens }) => tokens));
  const solver = new Solver(counts, new Map(open.map(({ tokens }, index) => [tokens.join(), probabilities[index]])));
  const values = starts.map((): Estimate | undefined => undefined);
  const trajectories = batch.trajectories.filter((trajectory) => trajectory.group === group);
  const advantages = trajectories.map((trajectory, rollout) => {
    const written = tokensOfTurns(batch, trajectory);
    let turn: CountedTurn | undefined = first;
    return written.map(({ written: [token] }, at): number => {
      if (!turn) throw new Error(`${environment.name}: turn ${at + 1} is not among the counted results`);
      const [value, after] = [solver.value(turn), solver.actionValue(turn, token)];
      values[before[rollout][at]] = { mean: value, error: 0 };
      const next = written[at + 1]?.before.join();
      turn = turn.results(token).find((result) => result.next?.tokens.join() === next)?.next;
      return after - value;
    });
  });
  return { values, advantages, counted: open.length };
}

/** Returns the turns whose values depend on the policy, up to TURN_LIMIT. */
function openTurns(first: CountedTurn, size: number): readonly CountedTurn[] {
  const waiting = first.idle ? [] : [first];
  for (const turn of waiting) {
    for (let token = 0; token < size; token++) {
      for (const { next } of turn.results(token)) if (next && !next.idle) waiting.push(next);
    }
    if (waiting.length > TURN_LIMIT) throw new RangeError(`more than ${TURN_LIMIT} turns depend on the policy`);
  }
  return waiting;
}

/** Solver of the Bellman equations of counted turns. */
class Solver {
  private readonly values = new Map<string, number>();

  /** @param known probabilities of the next token, by the tokens before a turn that depends on the policy */
  constructor(
    private readonly counts: Return,
    private readonly known: ReadonlyMap<string, readonly number[]>,
  ) {}

  /** Returns V of a turn. In an idle turn all tokens have the same value. */
  value(turn: CountedTurn): number {
    if (turn.idle) return this.actionValue(turn, 0);
    const key = turn.tokens.join();
    const probabilities = this.known.get(key);
    if (!probabilities) throw new RangeError(`no probabilities are known after the tokens ${key}`);
    const value =
      this.values.get(key) ??
      probabilities.reduce((sum, probability, token) => sum + probability * this.actionValue(turn, token), 0);
    this.values.set(key, value);
    return value;
  }

  /** Returns Q of a token. Rewards before the last turn count only for the return kind `rewards`. */
  actionValue(turn: CountedTurn, token: number): number {
    const { kind, gamma } = this.counts;
    return turn.results(token).reduce((sum, { probability, reward, next }) => {
      const amount = next && kind === 'outcome' ? 0 : reward;
      return sum + probability * (amount + (next ? gamma * this.value(next) : 0));
    }, 0);
  }
}
