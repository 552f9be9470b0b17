import type { Episode, StepResult } from '../environment.ts';
import { type OutcomeKind, outcomeComponents, type RewardWeights, total, turnComponents } from './searchSettings.ts';
import {
  actionSignature,
  formatSearchTokens,
  MARKUP,
  parseAnswer,
  parseSearch,
  replyTokens,
  skips,
  spell,
} from './vocabulary.ts';
import { containsFact, questionOf, type SearchTask, type World } from './world.ts';

/**
 * Episode of one question. With two turns, the first turn is a call or skips the tool, and the second turn is the
 * answer. An answer in the first turn counts as no call.
 *
 * With more than two turns, every turn searches or answers. A turn that ends in `</answer>` ends the episode,
 * well-formed or not. The last turn is always evaluated as an answer.
 *
 * A turn that reached its token limit has no stop token at its end. It is malformed: neither a call nor an answer.
 *
 * Facts of a step result; the value of a rollout is the maximum over its turns:
 * - `toolUse` 1: a well-formed call was executed (intermediate turns)
 * - `attempted` 1: the turn contains `<search>`, in a well-formed call or not
 * - `retrieval` 1: the document contains the answer (intermediate turns)
 * - `hops`: number of facts on the path to the answer that documents have contained so far, in their order; absent with
 *   one hop
 * - `outdated` 1: the document contains the next fact with an outdated value; absent otherwise
 * - `answer` 1: the answer is right; `format` 1: the answer is well-formed (last turn)
 * - `searches`: number of executed searches in the episode so far
 *
 * The state of a turn is the information that the policy has before it. It consists of the question and, for each
 * reply, the number of the document, `none` or `error`: `r3 e17 | d34`.
 *
 * With several hops, a search is rewarded for the answer of the next fact on the path. This is the first fact that no
 * document has contained yet.
 */
export class SearchEpisode implements Episode {
  private turn = 0;
  private searches = 0;
  /** Number of facts on the path that documents have contained. */
  private hits = 0;
  private over = false;
  private state: string;

  constructor(
    private readonly world: World,
    private readonly task: SearchTask,
    private readonly maxTurns: number,
    private readonly weights: RewardWeights,
  ) {
    this.state = spell(questionOf(task).slice(1, -1));
  }

  /**
   * Returns the step result of a turn.
   * @throws {Error} if the episode is over
   */
  act(tokens: readonly number[]): StepResult {
    if (this.over) throw new Error('the episode is over: start another with begin()');
    const several = this.maxTurns > 2;
    const last = this.turn === this.maxTurns - 1 || (several && tokens.at(-1) === MARKUP.answerEnd);
    this.turn++;
    this.over = last;
    const signatures = { state: this.state, action: actionSignature(tokens) };
    return { ...(last ? this.judgeAnswer(tokens) : this.judgeCall(tokens, several)), ...signatures };
  }

  /** Returns a separate episode in the same state. Its step results do not affect this episode. */
  fork(): SearchEpisode {
    const fork = new SearchEpisode(this.world, this.task, this.maxTurns, this.weights);
    fork.turn = this.turn;
    fork.searches = this.searches;
    fork.hits = this.hits;
    fork.over = this.over;
    fork.state = this.state;
    return fork;
  }

  /** Evaluates an intermediate turn. The reply to the policy becomes part of the state. */
  private judgeCall(tokens: readonly number[], several: boolean): StepResult {
    const call = parseSearch(tokens);
    const attempted = tokens.includes(MARKUP.search);
    const index = call.ok ? this.world.retriever.search(call.value) : undefined;
    const document = index === undefined ? undefined : this.world.documents[index];
    const { path } = this.task;
    const hops = path.length;
    const next = path[Math.min(this.hits, hops - 1)];
    const isLast = next === path[hops - 1];
    const retrieved = document?.values.includes(next.answer) ?? false;
    const outdated = document !== undefined && !retrieved && containsFact(document, next);
    if (call.ok) this.searches++;
    if (retrieved) this.hits = Math.min(this.hits + 1, hops);

    let content: readonly number[] = [MARKUP.none];
    if (document) content = document.tokens;
    else if (!call.ok && attempted) content = [MARKUP.error];
    this.state += ` | ${document ? `d${index}` : spell(content)}`;

    let summary = skips(tokens) ? 'skipped the tool' : 'malformed call';
    if (!call.ok && summary === 'malformed call') summary += `: ${call.reason}`;
    if (call.ok) {
      const formatTokens = (...terms: number[]) => formatSearchTokens(terms, this.world.vocabulary);
      const expected = isLast ? 'the answer' : `the next person, ${formatTokens(next.answer)}`;
      let message = `the document ${retrieved ? 'holds' : 'lacks'} ${expected}`;
      if (outdated)
        message = `the document is out of date: it says ${formatTokens(next.written)}, it is ${formatTokens(next.answer)}`;
      summary = `searched “${formatTokens(...call.value)}” — ${document ? message : 'nothing found'}`;
    }

    const components = turnComponents(this.weights, { executed: call.ok, retrieved, searches: this.searches, several });
    return {
      reward: total(components),
      components,
      reply: replyTokens(content),
      facts: {
        toolUse: call.ok ? 1 : 0,
        attempted: attempted ? 1 : 0,
        retrieval: retrieved && isLast ? 1 : 0,
        searches: this.searches,
        ...this.progress(),
        ...(outdated ? { outdated: 1 } : {}),
      },
      summary,
    };
  }

  /** Returns the fact `hops` if the path is longer than one fact. */
  private progress(): Readonly<Record<string, number>> {
    return this.task.path.length > 1 ? { hops: this.hits } : {};
  }

  private judgeAnswer(tokens: readonly number[]): StepResult {
    const answer = parseAnswer(tokens);
    let kind: OutcomeKind = 'malformed';
    if (answer.ok) kind = answer.value === this.task.answer ? 'right' : 'wrong';
    const components = outcomeComponents(this.weights, kind);

    let summary = answer.ok
      ? `answered ${formatSearchTokens([answer.value])} — ${kind}`
      : `malformed answer: ${answer.reason}`;
    if (kind === 'wrong') summary += `, it is ${formatSearchTokens([this.task.answer])}`;
    return {
      reward: 0,
      components,
      outcome: total(components),
      solved: kind === 'right',
      facts: {
        attempted: tokens.includes(MARKUP.search) ? 1 : 0,
        answer: kind === 'right' ? 1 : 0,
        format: answer.ok ? 1 : 0,
        searches: this.searches,
        ...this.progress(),
      },
      summary,
    };
  }
}
