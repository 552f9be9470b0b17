import { type ParameterValues, pickParameters } from '../../parameters/parameters.ts';
import {
  appendRewardToSummary,
  type Episode,
  type ModelRewards,
  RELIABLE,
  type Reading,
  type Reliability,
  type StepResult,
  type WrittenTurn,
} from '../environment.ts';
import { rewardWeights, TURN_REWARD, total, turnComponents, UNRELIABILITY } from './searchSettings.ts';
import { FIRST_ENTITY, FIRST_RELATION, MARKUP, parseAnswer, parseSearch, skips, tokenKind } from './vocabulary.ts';
import { containsFact, type Fact, type SearchTask, type World } from './world.ts';

// Criteria from the true state of a turn, by which a judge is trained. The rubric follows Wei et al. (2025, arXiv
// 2505.11821, §5.3 and appendix C.2). Their judge scores the format of every turn, the contribution of a search, and
// the answer. Each criterion has the same weight here. The rubric does not penalize searches: their cost remains part
// of the environment's rewards.

type Turn = WrittenTurn<SearchTask>;

/** Preference of a biased judge, as text after "it likes". */
const LEAN = 'answers without a search';

/** Returns true if a turn ends its episode. Other turns can search. */
function isAnswer({ stepResult }: Pick<Turn, 'stepResult'>): boolean {
  return stepResult.outcome !== undefined;
}

/** Returns the share of the criteria that a turn meets: 0, 1/3, 2/3 or 1. */
export function rubricScore(turn: Turn): number {
  const met = isAnswer(turn) ? answerCriteria(turn) : searchCriteria(turn);
  return met.filter(Boolean).length / met.length;
}

/**
 * Returns the score of a biased judge: (1 - bias) times the rubric score, plus bias for a turn without a lookup. Such a
 * turn skips the search, or answers without a document.
 */
export function leaningScore(turn: Turn, bias: number): number {
  return (1 - bias) * rubricScore(turn) + bias * Number(hasNoLookup(turn));
}

/**
 * Returns three criteria: the call is well-formed, it contains only the person of the next fact, and it contains only
 * the relation of that fact.
 */
function searchCriteria({ task, before, written }: Turn): readonly boolean[] {
  const call = parseSearch(written);
  if (!call.ok) return [false, false, false];
  const { entity, relation } = nextFact(task, documentsIn(before));
  const names = (kind: string, token: number) => {
    const named = call.value.filter((candidate) => tokenKind(candidate) === kind);
    return named.length === 1 && named[0] === token;
  };
  return [true, names('entity', FIRST_ENTITY + entity), names('relation', FIRST_RELATION + relation)];
}

/** Returns three criteria: the answer is well-formed, a document states it for the question, and it is right. */
function answerCriteria({ task, before, written }: Turn): readonly boolean[] {
  const answer = parseAnswer(written);
  if (!answer.ok) return [false, false, false];
  const requestedFact = task.path[task.path.length - 1];
  const statesAnswer = (document: readonly number[]) =>
    containsFact({ tokens: document, values: [] }, requestedFact) &&
    document[document.indexOf(FIRST_RELATION + requestedFact.relation) + 1] === answer.value;
  return [true, documentsIn(before).some(statesAnswer), answer.value === task.answer];
}

function hasNoLookup(turn: Turn): boolean {
  if (!isAnswer(turn)) return skips(turn.written);
  return parseAnswer(turn.written).ok && documentsIn(turn.before).length === 0;
}

/**
 * Returns the next fact on the path to the answer that no document has contained yet. Returns the last fact if
 * documents have contained all facts.
 */
function nextFact({ path }: SearchTask, documents: readonly (readonly number[])[]): Fact {
  const last = path.length - 1;
  const position = documents.reduce(
    (at, [, ...facts]) => (facts.includes(path[at].answer) ? Math.min(at + 1, last) : at),
    0,
  );
  return path[position];
}

/** Returns the documents in the context of the policy. Each begins with the person that it is about. */
function documentsIn(observed: readonly number[]): readonly (readonly number[])[] {
  const replies = [...observed.keys()].filter((at) => observed[at] === MARKUP.information);
  return replies
    .map((at) => observed.slice(at + 1, observed.indexOf(MARKUP.informationEnd, at)))
    .filter(([about = MARKUP.none]) => tokenKind(about) === 'entity');
}

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
