import type { Evidence } from './diagnosis.ts';
import { type Finding, three } from './finding.ts';
import type { StepSums } from './stepNumbers.ts';
import { ends, shareScore, trend } from './trends.ts';
import { ANY_CALL, WITHOUT_CALL } from './turnKinds.ts';

/** Minimum number of steps, and minimum number of rollouts at each end of a run. */
const LEAST_STEPS = 4;
const LEAST_ROLLOUTS = 8;
/** Minimum initial share of rollouts for a tool that is used, and fraction of it below which the tool is abandoned. */
const USED = 0.2;
const ABANDONED = 0.25;
/** Minimum z-score of the two shares, and maximum rank correlation of the shares with the steps. */
const SCORE = 3;
const FALLING = -0.5;

/**
 * Returns the finding that tool use is abandoned. If tool use persists, returns findings about single abandoned tools.
 */
export function toolFindings(evidence: Evidence): readonly Finding[] {
  const steps = evidence.steps.filter(({ step }) => step !== null);
  if (steps.length < LEAST_STEPS) return [];
  const names = [...new Set(steps.flatMap(({ tools }) => [...tools.keys()]))];
  const all = abandonment(evidence, steps, undefined, names);
  if (all) return [all];
  // A policy can have good reason to prefer another tool. A single tool is reported only if its calls get less credit.
  return names.flatMap((name) => {
    const finding = abandonment(evidence, steps, name, names);
    return finding?.confidence === 'high' ? [finding] : [];
  });
}

function abandonment(
  { diagnosis }: Evidence,
  steps: readonly StepSums[],
  tool: string | undefined,
  names: readonly string[],
): Finding | undefined {
  const hits = (sums: StepSums) => (tool === undefined ? sums.calling : (sums.tools.get(tool) ?? 0));
  const pooled = (part: readonly StepSums[]) => ({
    hits: part.reduce((sum, step) => sum + hits(step), 0),
    of: part.reduce((sum, { rollouts }) => sum + rollouts, 0),
  });
  const parts = ends(steps);
  const [first, last] = [pooled(parts.first), pooled(parts.last)];
  const [before, after] = [first.hits / first.of, last.hits / last.of];
  if (Math.min(first.of, last.of) < LEAST_ROLLOUTS || before < USED || after > ABANDONED * before) return undefined;
  const shares = steps.map((sums) => hits(sums) / sums.rollouts);
  if (shareScore(first, last) < SCORE || trend(shares) > FALLING) return undefined;

  const rule = diagnosis.ruleInUse;
  const kind = tool ?? ANY_CALL;
  const listedKind = kind === ANY_CALL && names.length === 1 ? names[0] : kind;
  const compared = comparisons(steps, rule, kind, tool === undefined ? WITHOUT_CALL : ANY_CALL);
  const below = compared.filter(({ difference }) => difference < 0);
  const firstBelow = below[0]?.sums.step ?? null;
  const lastCall = steps.findLast((sums) => hits(sums) > 0);
  const rewards = [parts.first, parts.last].map((part) => rewardOf(part));
  const name = tool ?? (names.length === 1 ? names[0] : `any of ${names.join(', ')}`);
  const readers = [below[0]?.sums.firstCalling, lastCall?.firstCalling];
  return {
    kind: 'tool-given-up',
    confidence: below.length > 0 && below.length >= 0.6 * compared.length ? 'high' : 'medium',
    title: `The tool is given up: ${name}`,
    evidence: [
      `The share of rollouts that call it falls from ${three(before)} to ${three(after)}; the mean reward changes from ${three(rewards[0])} to ${three(rewards[1])}.`,
      firstBelow === null
        ? `Under ${rule}, no step gives a call less credit than the turns of rollouts without a call.`
        : `Under ${rule}, a call gets less credit than ${tool === undefined ? 'the turns of rollouts without a call' : 'calls of all tools on average'} in ${below.length} of ${compared.length} steps, first in step ${firstBelow}.`,
      `The last call is in step ${lastCall?.step ?? '–'}.`,
      ...ruleMeans(diagnosis, listedKind),
    ],
    next:
      'Read the groups: do rollouts with a call end worse, or are they only judged together with the answer? ' +
      'A reward for the call itself pays for it; the rollouts do not show how training continues then.',
    groups: [...new Set(readers.flatMap((id) => id ?? []))],
    firstStep: firstBelow,
    lastStep: lastCall?.step ?? null,
  };
}

/** Returns the steps that have both kinds of turns, with the difference of their mean advantages. */
function comparisons(steps: readonly StepSums[], rule: string, kind: string, reference: string) {
  return steps.flatMap((sums) => {
    const credit = sums.credit.get(rule);
    const [a, b] = [credit?.get(kind)?.mean ?? null, credit?.get(reference)?.mean ?? null];
    return a === null || b === null ? [] : [{ sums, difference: a - b }];
  });
}

function rewardOf(steps: readonly StepSums[]): number | null {
  const count = steps.reduce((sum, { reward }) => sum + reward.count, 0);
  return count === 0 ? null : steps.reduce((sum, { reward }) => sum + reward.total, 0) / count;
}

/** Formats the mean credit of the same calls under the rules that differ. */
function ruleMeans({ kinds, rules, ruleInUse }: Evidence['diagnosis'], kind: string): readonly string[] {
  const credit = kinds.find((row) => row.kind === kind)?.credit ?? {};
  const means = rules
    .map(([name]) => name)
    .filter((name) => credit[name] !== undefined)
    .map((name) => `${name} ${three(credit[name], true)}`);
  const used = credit[ruleInUse] === undefined ? '' : `${three(credit[ruleInUse], true)} under ${ruleInUse}; `;
  return means.length === 0 ? [] : [`Mean credit of the calls over all steps: ${used}${means.slice(0, 8).join(', ')}.`];
}
