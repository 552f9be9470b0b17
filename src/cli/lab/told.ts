import { type Claim, PAPERS } from '../../environments/claim.ts';
import type {
  ClaimResult,
  CountedResult,
  ExperimentResult,
  PairedResult,
} from '../../experiments/claims/claimResult.ts';
import { REASONS } from '../../experiments/claims/reasons.ts';
import {
  amount,
  countedThings,
  countsText,
  FIRST_EDITION,
  hoursText,
  interval,
  primaryOutcome,
  seedsOf,
  signed,
  statusText,
  verdictsOf,
} from '../../experiments/claims/verdictWords.ts';
import { PROGRAM } from '../framework/programName.ts';
import { markdownTable } from '../framework/text.ts';

// The pages of docs/lab, made from the data beside them and from the claims alone.

/** The page of a claim. */
export function claimPage(claim: Claim, result: ClaimResult): string {
  const paper = claim.paper && PAPERS[claim.paper];
  const primary = primaryOutcome(result);
  const experiments = result.experiments.map((one) => experimentPart(claim, one));
  return `${[
    `# ${claim.id.startsWith('own') ? `Our own: ${claim.id.slice(4)}` : claim.id.toUpperCase()}`,
    `> ${claim.says}`,
    paper
      ? `${paper.title} (${paper.reference}), ${claim.place}. Compared: ${claim.compared}. ${claim.quote ? `In its words: “${claim.quote}”.` : 'In our words.'}`
      : `A question of our own, which no paper claims or denies. ${claim.place}.`,
    ...(primary ? [`Verdict: **${statusText(primary)}**. ${primary.test.statement}: ${resultText(primary)}.`] : []),
    ...(claim.missing ? [`Not run${experiments.length > 0 ? ' of it' : ''}: ${claim.missing}`] : []),
    ...experiments,
    ...(claim.differs.length > 0
      ? ['## What differs from the paper', claim.differs.map((one) => `- ${one}`).join('\n')]
      : []),
    `[All claims](README.md), and [how to read this](../lab.md). The numbers are in [${claim.id}.json](${claim.id}.json).`,
  ].join('\n\n')}\n`;
}

function experimentPart(claim: Claim, experiment: ExperimentResult): string {
  const { name, edition, asked, command, runs, missing, hours, outcomes, table } = experiment;
  const line = `${PROGRAM} lab run ${claim.id}`;
  if (runs.length === 0) {
    return [
      `## ${name}`,
      `Not run: ${missing} runs, an estimate of ${hoursText(hours)} on one process.`,
      `    ${line}`,
    ].join('\n\n');
  }
  const unique = (of: (run: ExperimentResult['runs'][number]) => string | undefined) => [
    ...new Set(runs.flatMap((run) => of(run) ?? [])),
  ];
  const commits = unique(({ commit }) => commit);
  const again = Math.max(0, ...runs.map((run) => run.again ?? 0));
  const left = missing > 0 ? ` (${missing} runs are missing, about ${hoursText(hours)})` : '';
  return [
    `## ${name}`,
    ...(edition === 1 ? [`**${FIRST_EDITION}**`] : []),
    `${asked.steps} updates a run; ${seedsOf(experiment)} seeds${edition === 1 ? ', which took turns in five worlds' : `, each with a world and a warm start of its own${left}`}. ` +
      `Engine: ${unique(({ device }) => device).join('; ')}${commits.length > 0 ? `; commit ${commits.join(', ')}` : ''}.` +
      (again > 0 ? ` Made by earlier code; ${again} of the runs were made again by this one, with the same bits.` : ''),
    ...(outcomes.some(({ kind }) => kind === 'paired')
      ? [`![Every test: the seeds, their mean and its 95 % interval](${figureName(claim, experiment)})`]
      : []),
    outcomeTable(experiment),
    ...unequalPart(outcomes),
    ...(table ? [markdownTable(table.head, table.rows)] : []),
    ...reasonsPart(claim, experiment),
    `    ${line}\n    ${PROGRAM} lab check ${claim.id} --seed 1     # one seed again: the same bits on every machine\n    ${PROGRAM} ${command}`,
  ].join('\n\n');
}

function unequalPart(outcomes: ExperimentResult['outcomes']): string[] {
  const reasons = new Set(outcomes.flatMap(({ test }) => test.unequal ?? []));
  return reasons.size > 0 ? [`Not like for like: ${[...reasons].join(' ')}`] : [];
}

/** Why a test may end otherwise here than in the paper, where one does. */
function reasonsPart({ id }: Claim, { name, edition, outcomes }: ExperimentResult): string[] {
  const reasons = REASONS[id]?.[name];
  const fails = outcomes.some(({ corrected: { status } }) => status === 'no such gain' || status === 'reverse');
  return reasons && fails && edition === undefined ? [`**The likeliest reason.** ${reasons.join('\n')}`] : [];
}

function outcomeTable({ edition, outcomes }: ExperimentResult): string {
  const paired = outcomes.flatMap((one) => (one.kind === 'paired' ? [one] : []));
  const counts = outcomes.flatMap((one) => (one.kind === 'counted' ? [one] : []));
  const verdict = (one: PairedResult | CountedResult) => (edition === 1 ? '' : statusText(one));
  const head = [
    'test',
    'verdict',
    'difference',
    '95 % interval',
    'margin',
    'direction',
    'interquartile mean',
    'improves',
    'deviation',
  ];
  return [
    ...(paired.length > 0
      ? [
          markdownTable(
            head,
            paired.map((one) => pairedRow(one, verdict(one))),
          ),
        ]
      : []),
    ...(counts.length > 0
      ? [
          markdownTable(
            ['counted', 'verdict', 'found'],
            counts.map((one) => [
              testText(one),
              verdict(one),
              withReason(countsText(one.counts, countedThings(one.test)), one),
            ]),
          ),
        ]
      : []),
  ].join('\n\n');
}

/** Numbers of a test. */
function resultText(outcome: PairedResult | CountedResult): string {
  if (outcome.kind === 'counted') return countsText(outcome.counts, countedThings(outcome.test));
  const { test, judgement } = outcome;
  const { mean, low, high } = judgement;
  return `${signed(mean, test.unit)} ${test.unit ?? 'points'}, ${interval(low, high, test.unit)}`;
}

/** The primary test is marked. */
function testText({ test: { statement, primary } }: PairedResult | CountedResult): string {
  return primary ? `**${statement}**` : statement;
}

function withReason(text: string, { judgement: { reason } }: PairedResult | CountedResult): string {
  return reason === undefined ? text : `${text}; ${reason}`;
}

function pairedRow(outcome: PairedResult, verdict: string): string[] {
  const { test, higher, lower, judgement, iqm, improvement, deviation } = outcome;
  const { unit, margin, statement } = test;
  const arms =
    [higher, lower].filter((name) => !statement.includes(name)).length > 0 && higher !== lower
      ? ` (${higher}, ${lower})`
      : '';
  return [
    `${testText(outcome)}${arms}`,
    verdict,
    withReason(`${signed(judgement.mean, unit)} ${unit ?? 'points'}`, outcome),
    interval(judgement.low, judgement.high, unit),
    `${test.asks === 'keeps' ? '−' : ''}${amount(margin, unit)}`,
    judgement.direction,
    `${signed(iqm.mean, unit)} (${interval(iqm.low, iqm.high, unit)})`,
    improvement.toFixed(2).replace(/^0\./, '.'),
    amount(deviation, unit),
  ];
}

/** The figure of an experiment, beside its page. */
export function figureName({ id }: Claim, { name }: Pick<ExperimentResult, 'name'>): string {
  return `${id}-${name.replace(/[^a-z0-9]+/gi, '-')}.svg`;
}

/** First line of the index. */
export const INDEX_TITLE = '# Claims put to the test';

/** The index: one line a claim. */
export function indexPage(claims: readonly (readonly [Claim, ClaimResult])[]): string {
  const rows = (of: (claim: Claim) => boolean) => claims.filter(([claim]) => of(claim)).map(indexRow);
  const head = ['claim', 'in our words', 'primary test', 'found [95 %]', 'all tests', 'seeds', 'still to be run'];
  const papers = Object.entries(PAPERS).map(
    ([letter, { title, reference }]) =>
      `## ${title}\n\n${reference}.\n\n${markdownTable(
        head,
        rows(({ paper }) => paper === letter),
      )}`,
  );
  return `${[
    INDEX_TITLE,
    `What the four papers claim and what of it appears here, and questions of our own apart. Made by \`${PROGRAM} lab report --docs docs/lab\`; [how to read it](../lab.md).`,
    `Verdicts are corrected: primary tests of a paper together (Holm), all others by the false discovery rate. Hours are estimates for one process; runs that claims share are counted for each.`,
    ...(claims.some(([, { experiments }]) => experiments.some(({ edition }) => edition))
      ? [`**${FIRST_EDITION}**`]
      : []),
    ...papers,
    `## Questions of our own\n\n${markdownTable(
      head,
      rows(({ paper }) => paper === undefined),
    )}`,
  ].join('\n\n')}\n`;
}

function indexRow([claim, result]: readonly [Claim, ClaimResult]): string[] {
  const primary = primaryOutcome(result);
  const left = result.experiments.filter(({ missing, edition }) => missing > 0 || edition);
  const hours = left.reduce((sum, one) => sum + one.hours, 0);
  const still = left.length > 0 ? `\`lab run ${claim.id}\`${hours > 0 ? `, ${hoursText(hours)}` : ''}` : '';
  return [
    `[${claim.id}](${claim.id}.md)`,
    claim.says,
    primary ? statusText(primary) : claim.paper ? 'open' : '',
    primary ? resultText(primary) : '',
    verdictsOf(result),
    [...new Set(result.experiments.map(seedsOf))].join(', '),
    claim.experiments.length === 0 ? 'cannot be run yet' : still,
  ];
}
