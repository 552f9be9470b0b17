import type { Episode, StepResult } from '../environment.ts';
import { parseAnswer, parseSearch, replyTokens } from './grammar.ts';
import type { OutcomeKind, RewardWeights } from './rewards.ts';
import { outcomeComponents, total, turnComponents } from './rewards.ts';
import { actionSignature, skips } from './signatures.ts';
import { formatSearchTokens, MARKUP, spell } from './vocabulary.ts';
import { containsFact, questionOf, type SearchTask, type World } from './world.ts';

/**
 * One question and the turns that answer it. With two turns the first is a call (or skips) and the second the answer;
 * an answer in the first turn counts as no call. With more, every turn searches or answers, and a turn that ends in
 * `</answer>` ends the episode, well-formed or not. The last turn is always judged as an answer.
 *
 * A turn that reached its token limit holds no stop token at its end and is malformed: no call, or no answer.
 *
 * Facts of a step result; the value of a rollout is the largest over its turns:
 * - `toolUse` 1: a well-formed call was executed (intermediate turns)
 * - `attempted` 1: `<search>` was written, in a well-formed call or not
 * - `retrieval` 1: the document held the answer (intermediate turns)
 * - `hops`: facts of the path to the answer that documents have held so far, each after the one before it; absent with
 *   one hop
 * - `outdated` 1: the document held the next fact, with a value that is no longer right; absent if it did not
 * - `answer` 1: the answer is right; `format` 1: the answer is well-formed (last turn)
 * - `searches`: executed searches of the episode so far
 *
 * The state of a turn is the information that the policy has by then: the question, and for each reply the number of
 * its document, `none` or `error`: `r3 e17 | d34`.
 *
 * With several hops a search gets the reward for the answer of the next fact on the path. That is the first fact, and
 * after a document has held it, the second.
 */
export class SearchEpisode implements Episode {
  private turn = 0;
  private searches = 0;
  /** Facts of the path that documents have held. */
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

  /** @throws {Error} when the episode is over. */
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

  /** Judges an intermediate turn; the reply to the policy becomes part of the state. */
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

  /** Number of facts of the path so far, if the path is longer than one fact. */
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
