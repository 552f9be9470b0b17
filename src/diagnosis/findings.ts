import { CONFIDENCES, countOf, type Evidence, FINDING_KINDS, type Finding } from './diagnosis.ts';
import { farmedComponents, rewardFindings, toolFindings } from './trendFindings.ts';

/** Returns the findings in decreasing confidence. Findings of equal confidence are in the order of FINDING_KINDS. */
export function findings(evidence: Evidence): readonly Finding[] {
  const list = [
    ...fileFindings(evidence),
    ...toolFindings(evidence),
    ...farmedComponents(evidence),
    ...rewardFindings(evidence),
  ];
  const rank = ({ confidence, kind }: Finding) =>
    CONFIDENCES.indexOf(confidence) * FINDING_KINDS.length + FINDING_KINDS.indexOf(kind);
  return list.sort((a, b) => rank(a) - rank(b));
}

/**
 * Shares above which a finding is reported. Token lists and masks have no threshold, because a single contradiction is
 * an error.
 */
const UNCUT = 0.5;
const PROMPTS = 0.5;
const REVERSED = 0.05;
const COPIES = 0.25;
const LEAST = 4;

/** Returns findings about the file: turn boundaries, masks, rows and logged advantages. */
function fileFindings({ totals, checks }: Evidence): readonly Finding[] {
  const { groups, rollouts, turns } = totals;
  const list: Finding[] = [];
  const add = (finding: Omit<Finding, 'groups'>, examples: readonly string[]) => {
    const ids = examples.map((label) => label.replace(/, (?:rollout|turn) \d+$/, ''));
    list.push({ ...finding, groups: [...new Set(ids)] });
  };
  const { uncut, prompts, prefixed, lengths, masked, outside, empty, copies, repeats } = checks;
  if (outside.count > 0) {
    add(
      {
        kind: 'credit-outside-mask',
        confidence: 'high',
        title: 'Tokens that the mask excludes have an advantage',
        evidence: [countOf(outside, turns, 'turns')],
        next: 'Compute advantages after the mask is applied: the loss must not see tokens of the environment.',
      },
      outside.examples,
    );
  }
  if (totals.reversed.count >= Math.max(1, REVERSED * groups) && totals.pairs > 0) {
    add(
      {
        kind: 'advantages-against-rewards',
        confidence: 'high',
        title: 'Logged advantages do not follow the rewards',
        evidence: [
          `A rollout with a higher reward has a lower advantage than another one in ${countOf(totals.reversed, groups, 'groups')}.`,
        ],
        next: 'Run `reconcile` on the same files: it names the scheme that gives these advantages, or the first row that differs.',
      },
      totals.reversed.examples,
    );
  }
  // If a simulated user writes the first message, prompts differ legitimately. A difference alone is therefore not a
  // finding.
  if (prefixed >= PROMPTS * groups && prefixed > 0) {
    add(
      {
        kind: 'rows-are-turns',
        confidence: 'high',
        title: 'Rows of a group have different prompts: rows can be turns',
        evidence: [
          `The prompts of rollouts differ in ${countOf(prompts, groups, 'groups')}; in ${prefixed} of them a prompt begins with another prompt.`,
        ],
        next: 'Count each rollout once: a trainer that counts rows gives long rollouts more weight in the mean of the group.',
      },
      prompts.examples,
    );
  }
  if (uncut.count >= Math.max(LEAST, UNCUT * rollouts)) {
    add(
      {
        kind: 'turn-boundaries',
        confidence: 'high',
        title: 'Turns contain answers of the environment',
        evidence: [`A rollout of one turn contains an answer in ${countOf(uncut, rollouts, 'rollouts')}.`],
        next: "Name the tags with --cut '</TAG>..<ANSWER>', and check that the trainer masks the answers.",
      },
      uncut.examples,
    );
  }
  const problems = [
    ...(lengths.count > 0 ? [`Lists of tokens have different lengths in ${countOf(lengths, turns, 'turns')}.`] : []),
    ...(masked.count > 0 ? [`The mask excludes every token of ${countOf(masked, turns, 'turns')}.`] : []),
    ...(empty.count > 0 ? [`Turns with text have no token: ${countOf(empty, turns, 'turns')}.`] : []),
  ];
  if (problems.length > 0) {
    add(
      {
        kind: 'token-lists',
        confidence: lengths.count > 0 ? 'high' : 'medium',
        title: 'Tokens, masks and turns do not fit',
        evidence: problems,
        next: 'Compare the token ids of these turns with their text; a tokenizer that merges text over turns shifts masks.',
      },
      [...lengths.examples, ...masked.examples, ...empty.examples],
    );
  }
  if (repeats.count >= Math.max(LEAST, REVERSED * rollouts)) {
    add(
      {
        kind: 'repeated-rows',
        confidence: 'high',
        title: 'Rows of a step are there twice',
        evidence: [`${countOf(repeats, rollouts, 'rollouts')} equal a rollout of another group of the same step.`],
        next: 'Look for two files of the same step, for example of a run that was continued, and give only one.',
      },
      repeats.examples,
    );
  }
  if (copies.count >= Math.max(2 * LEAST, COPIES * rollouts)) {
    add(
      {
        kind: 'copied-rollouts',
        confidence: 'medium',
        title: 'Rollouts of a group are equal, word by word',
        evidence: [`${countOf(copies, rollouts, 'rollouts')} equal another rollout of their group.`],
        next: 'Check the temperature and the seeds of the sampler: equal rollouts add nothing to the comparison.',
      },
      copies.examples,
    );
  }
  return list;
}
