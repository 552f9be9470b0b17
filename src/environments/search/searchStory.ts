import type { Metrics } from '../../metrics/metricTable.ts';
import { mean } from '../../metrics/rows/rollouts.ts';
import { percent, RECENT, type RunStory, type StorySentence } from '../story.ts';
import { sumsOfKinds } from '../watchedTurns.ts';
import { SEARCH_TURNS } from './searchFacts.ts';

/** Thresholds of tool use. It falls below `FALLING`, is lost below `LOST`, and is back above `BACK`. */
const FALLING = 0.8;
const LOST = 0.1;
const BACK = 0.5;
/** Share of documents with an unused answer above which the sentence states that the agent cannot read. */
const UNREAD = 0.3;
/** Share of malformed calls above which the sentence reports them. */
const BROKEN = 0.2;

/**
 * Number of updates from a change to GRPO-OR until tool use falls below `FALLING`, as a range over ten recorded seeds
 * (`npm run record:bands`). Other worlds and controls have other ranges (`isRecorded`).
 */
export const DELAY = '20 to 40';

/** Returns the mean share of attempts that executed a search; NaN without updates. */
export const meanToolUse = (rows: readonly Metrics[]) => mean(rows.map((row) => row.toolUse ?? Number.NaN));

/**
 * Returns the tool use of the newest update as text. The mean selects a sentence, and the sentence shows this value, as
 * the chart does.
 */
export const newestToolUse = (rows: readonly Metrics[]) => percent(rows.at(-1)?.toolUse ?? Number.NaN);

/**
 * Returns the share of malformed calls among first turns, and the mean credit of executed and of skipped searches. All
 * are NaN without updates.
 */
function firstTurns(rows: readonly Metrics[]) {
  const [executed, malformed, skipped] = sumsOfKinds(SEARCH_TURNS, rows);
  return {
    malformed: malformed.share,
    executedCredit: executed.credit / executed.count,
    skippedCredit: skipped.credit / skipped.count,
  };
}

/** Returns the share of first turns that are malformed calls; NaN without updates. */
export const malformedShare = (rows: readonly Metrics[]) => firstTurns(rows).malformed;

/** Describes the share of attempts that search, and its change after a change of the rule. */
export const searchStory: RunStory = (state) => {
  const { rule, sharesInRollout, alternative, since, recent } = state;
  if (recent.length === 0) {
    return since === undefined ? undefined : pressed(state, state.before.slice(-RECENT));
  }
  const share = meanToolUse(recent);
  if (!Number.isFinite(share)) return undefined;
  const newest = recent[recent.length - 1];
  const toolUse = newestToolUse(recent);
  if (!sharesInRollout) {
    if (since === undefined && isUnread(recent)) {
      const text = `${toolUse} search. ${percent(newest.retrieval ?? Number.NaN)} find the answer in the document, but the agent cannot read it yet.`;
      return { kind: 'unread', text };
    }
    if (since === undefined)
      return {
        kind: 'kept',
        text: `${rule}: each turn earns its own credit. ${toolUse} of the attempts search.`,
      };
    if (share < BACK) return pressed(state, recent);
    return {
      kind: 'back',
      text: `Searching: ${toolUse} of the attempts, each with its own credit under ${rule}.`,
    };
  }
  const { malformed, executedCredit, skippedCredit } = firstTurns(recent);
  if (malformed > BROKEN) {
    const text = `It still starts a search, and breaks it: ${percent(malformed)} broken calls, which cost nothing under ${rule}.`;
    return { kind: 'broken', text };
  }
  if (share < LOST) {
    const evaluated = state.evaluation?.answer;
    const accuracy = percent(newest.answer ?? Number.NaN);
    const figures = `training accuracy ${accuracy}${evaluated == null ? '' : `, held-out ${percent(evaluated)}`}`;
    return {
      kind: 'lost',
      text: `Tool use dropped to ${toolUse}: ${figures}. Press ${alternative}.`,
    };
  }
  if (share >= FALLING) {
    if (since !== undefined) return pressed(state, recent);
    return {
      kind: 'kept',
      text: `${rule}: a search earns nothing by itself. ${toolUse} of the attempts search.`,
    };
  }
  if (skippedCredit > executedCredit) {
    return { kind: 'falling', text: `Attempts that skip the search get more credit: ${toolUse} still search.` };
  }
  return { kind: 'falling', text: `${rule}: a search earns nothing by itself. ${toolUse} still search.` };
};

/**
 * Returns true if many documents contain an answer that the agent does not give. Reading is learned after searching.
 */
function isUnread(rows: readonly Metrics[]): boolean {
  return mean(rows.map(({ retrieval, answer }) => (retrieval ?? Number.NaN) - (answer ?? Number.NaN))) > UNREAD;
}

/**
 * Returns the sentence after a change of the rule.
 * @param updates last updates under the rule, or before the change
 */
function pressed(
  { rule, since, sharesInRollout, isRecorded }: Parameters<RunStory>[0],
  updates: readonly Metrics[],
): StorySentence {
  if (!sharesInRollout) {
    return {
      kind: 'returning',
      text: `${rule} since update ${since}: a search earns its own credit. ${newestToolUse(updates)} search.`,
    };
  }
  const start = `${rule} since update ${since}: a search earns nothing by itself.`;
  return {
    kind: 'pressed',
    text: meanToolUse(updates) < FALLING || !isRecorded ? start : `${start} It usually shows after ${DELAY} updates.`,
  };
}
