import { type ParameterValues, pickParameters } from '../../parameters/parameters.ts';
import type { Episode, ModelRewards, Reading, Reliability, StepResult, WrittenTurn } from '../environment.ts';
import { RELIABLE } from '../shared/reliability.ts';
import { appendRewardToSummary } from '../shared/rewardSummary.ts';
import { rewardWeights, TURN_REWARD, total, turnComponents, UNRELIABILITY } from './rewards.ts';
import { isAnswer, LEAN, leaningScore } from './rubric.ts';
import type { SearchTask, World } from './world.ts';

// Rewards of turns by a judge, in place of the environment's rewards. The judge reads the context and the text of the
// policy. It does not have the right answer.

/** Returns the label errors of the judge that these controls use; undefined if the environment sets the rewards. */
function judgeUnder(controls: ParameterValues): Reliability | undefined {
  const { turnReward, judgeNoise: noise, judgeBias: bias } = pickParameters([TURN_REWARD, ...UNRELIABILITY], controls);
  return { rules: undefined, judge: RELIABLE, unreliable: { noise, bias } }[turnReward];
}

/** Creates the rewards of turns by a judge, for the turns of a world. */
export function judgeOf({ tasks, train, heldOut }: World, maxTurns: number): ModelRewards<SearchTask> {
  const splits = { train, 'held-out': heldOut };
  return {
    judgeIn: judgeUnder,
    tasks: (split) => splits[split].map((task) => tasks[task]),
    reads: readsOf,
    scored: leaningScore,
    lean: LEAN,
    pay: (result, score, controls, reliability) => payByJudge(result, score, { controls, reliability, maxTurns }),
  };
}

/** Returns the context of the policy, which includes documents, and the tokens that it wrote. */
function readsOf(turn: WrittenTurn<SearchTask>): Reading {
  return { tokens: [...turn.before, ...turn.written], kind: isAnswer(turn) ? 'answers' : 'searches' };
}

/** Settings that determine the judge's rewards. */
interface Payment {
  readonly controls: ParameterValues;
  readonly reliability: Reliability;
  readonly maxTurns: number;
}

/**
 * Returns the step result of a turn with the judge's reward. At score 0 the reward equals the environment's reward for
 * no call. At score 1 it equals the reward for a first search that retrieves the answer. The cost of searches beyond
 * the first is subtracted.
 *
 * A turn that ends the episode keeps its outcome. The judge's score of this turn is only reported.
 * @param score score of the judge, between 0 and 1
 */
export function payByJudge(
  result: StepResult,
  score: number,
  { controls, reliability, maxTurns }: Payment,
): StepResult {
  const judgeName = judgeText(reliability);
  const facts = { ...result.facts, judged: score };
  const summary = appendRewardToSummary(result.summary, `${judgeName} says ${score.toFixed(2)}`);
  if (isAnswer({ stepResult: result })) return { ...result, facts, summary };
  const weights = rewardWeights(controls);
  const several = maxTurns > 2;
  const maximum = total(turnComponents(weights, { executed: true, retrieved: true, searches: 1, several }));
  const judge = weights.rewardSkip + score * (maximum - weights.rewardSkip);
  const { toolUse = 0, searches = 0 } = result.facts;
  const components = { judge, searchCost: toolUse > 0 ? 0 - weights.searchCost * (searches - 1) : 0 };
  const reward = total(components);
  return { ...result, reward, components, facts: { ...facts, judgeReward: reward }, summary };
}

function judgeText({ noise, bias }: Reliability): string {
  const wrong = [...(noise > 0 ? [`noise ${noise}`] : []), ...(bias > 0 ? [`bias ${bias}`] : [])];
  return wrong.length > 0 ? `the judge (${wrong.join(', ')})` : 'the judge';
}

/**
 * Episode whose turns before the last one wait for the judge: their reward is NaN until then. The environment's reward
 * remains in the fact `ruleReward`.
 */
export class ScoredEpisode implements Episode {
  constructor(private readonly episode: Required<Episode>) {}

  act(tokens: readonly number[]): StepResult {
    const result = this.episode.act(tokens);
    if (isAnswer({ stepResult: result })) return result;
    const { reward, facts } = result;
    const components = { judge: Number.NaN, searchCost: 0 };
    return { ...result, reward: Number.NaN, components, facts: { ...facts, ruleReward: reward } };
  }

  fork(): ScoredEpisode {
    return new ScoredEpisode(this.episode.fork() as Required<Episode>);
  }
}
