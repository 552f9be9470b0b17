import { type Claim, PAPERS } from '../../environments/claim.ts';
import type { ClaimResult, ExperimentResult, PairedResult } from '../../experiments/claims/claimResult.ts';
import { REASONS } from '../../experiments/claims/reasons.ts';
import {
  amount,
  correctedVerdict,
  hoursText,
  interval,
  plainVerdict,
  seedsOf,
  signed,
  verdictsOf,
} from '../../experiments/claims/verdictWords.ts';
import { PROGRAM } from '../framework/programName.ts';
import { markdownTable } from '../framework/text.ts';

// The pages of docs/lab, made from the data beside them and from the claims alone.

/** The page of a claim. */
export function claimPage(claim: Claim, result: ClaimResult): string {
  const paper = claim.paper && PAPERS[claim.paper];
  const experiments = result.experiments.map((one) => experimentPart(claim, one));
  return `${[
    `# ${claim.id.startsWith('own') ? `Our own: ${claim.id.slice(4)}` : claim.id.toUpperCase()}`,
    `> ${claim.says}`,
    paper
      ? `${paper.title} (${paper.reference}), ${claim.place}; in our words.`
      : `A finding of our own, which no paper claims. ${claim.place}.`,
    ...(experiments.length === 0 ? [] : [`Verdict: **${verdictsOf(result, plainVerdict)}**.`]),
    ...(claim.missing ? [`Not run${experiments.length > 0 ? ' of it' : ''}: ${claim.missing}`] : []),
    ...experiments,
    ...(claim.differs.length > 0
      ? ['## What differs from the paper', claim.differs.map((one) => `- ${one}`).join('\n')]
      : []),
    `[All claims](README.md), and [how to read this](../lab.md). The numbers are in [${claim.id}.json](${claim.id}.json).`,
  ].join('\n\n')}\n`;
}

function experimentPart(claim: Claim, experiment: ExperimentResult): string {
  const { name, asked, command, runs, missing, hours, outcomes, table } = experiment;
  const line = `${PROGRAM} lab run ${claim.id}`;
  if (runs.length === 0) {
    return [
      `## ${name}`,
      `Not run: ${missing} runs, an estimate of ${hoursText(hours)} on two processor cores.`,
      `    ${line}`,
    ].join('\n\n');
  }
  const devices = [...new Set(runs.map(({ device }) => device))].join('; ');
  const again = Math.max(0, ...runs.map((run) => run.again ?? 0));
  return [
    `## ${name}`,
    `${asked.steps} updates a run; ${seedsOf(experiment)} seeds, which take turns in ${asked.worlds} worlds with warm starts of their own` +
      `${missing > 0 ? ` (${missing} runs are missing, about ${hoursText(hours)}; nothing is decided before)` : ''}. Device: ${devices}.` +
      (again > 0 ? ` Made by earlier code; ${again} of the runs were made again by this one, with the same bits.` : ''),
    ...(outcomes.some(({ kind }) => kind === 'paired')
      ? [`![Every test: the seeds, their mean and its 95 % interval](${figureName(claim, experiment)})`]
      : []),
    outcomeTable(outcomes),
    ...(table ? [markdownTable(table.head, table.rows)] : []),
    ...reasonsPart(claim, experiment),
    `    ${line}\n    ${PROGRAM} lab check ${claim.id} --seed 1     # one seed again: the same bits on the same kind of device\n    ${PROGRAM} ${command}`,
  ].join('\n\n');
}

/** Why a test may end otherwise here than in the paper, where one does. */
function reasonsPart({ id }: Claim, { name }: ExperimentResult): string[] {
  const reasons = REASONS[id]?.[name];
  return reasons ? [`**The likeliest reason.** ${reasons.join('\n')}`] : [];
}

function outcomeTable(outcomes: ExperimentResult['outcomes']): string {
  const paired = outcomes.flatMap((one) => (one.kind === 'paired' ? [one] : []));
  const counts = outcomes.flatMap((one) => (one.kind === 'paired' ? [] : [one]));
  const head = [
    'test',
    'verdict',
    'corrected',
    'difference',
    '95 % interval',
    'margin',
    'interquartile mean',
    'improves',
    'between, within worlds',
  ];
  return [
    ...(paired.length > 0 ? [markdownTable(head, paired.map(pairedRow))] : []),
    ...(counts.length > 0
      ? [
          markdownTable(
            ['counted', 'verdict', 'found'],
            counts.map(({ statement, status, found }) => [statement, status, found]),
          ),
        ]
      : []),
  ].join('\n\n');
}

function pairedRow({ test, higher, lower, judgement, corrected, iqm, improvement, spread }: PairedResult): string[] {
  const { statement, unit, margin } = test;
  const arms =
    [higher, lower].filter((name) => !statement.includes(name)).length > 0 && higher !== lower
      ? ` (${higher}, ${lower})`
      : '';
  return [
    `${statement}${arms}`,
    judgement.status,
    corrected.status,
    `${signed(judgement.mean, unit)} ${unit ?? 'points'}`,
    interval(judgement.low, judgement.high, unit),
    `${test.asks === 'keeps' ? '−' : ''}${amount(margin, unit)}`,
    `${signed(iqm.mean, unit)} (${interval(iqm.low, iqm.high, unit)})`,
    improvement.toFixed(2).replace(/^0\./, '.'),
    `${amount(spread.between, unit)}, ${amount(spread.within, unit)}`,
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
  const rows = (of: (claim: Claim) => boolean) =>
    claims
      .filter(([claim]) => of(claim))
      .map(([claim, result]) => {
        const left = result.experiments.filter(({ missing }) => missing > 0);
        const hours = left.reduce((sum, one) => sum + one.hours, 0);
        const line = `\`lab run ${claim.id}\``;
        const parts = [
          ...(claim.experiments.length === 0 ? ['cannot be run yet'] : []),
          ...(left.length > 0 ? [`${line}, ${hoursText(hours)}`] : []),
        ];
        const still = parts.join('; ');
        const seeds = [...new Set(result.experiments.map(seedsOf))].join(', ');
        return [
          `[${claim.id}](${claim.id}.md)`,
          claim.says,
          verdictsOf(result, plainVerdict),
          verdictsOf(result, correctedVerdict),
          seeds,
          still,
        ];
      });
  const head = ['claim', 'in our words', 'verdict', 'corrected', 'seeds', 'still to be run'];
  const papers = Object.entries(PAPERS).map(
    ([letter, { title, reference }]) =>
      `## ${title}\n\n${reference}.\n\n${markdownTable(
        head,
        rows(({ paper }) => paper === letter),
      )}`,
  );
  return `${[
    INDEX_TITLE,
    `What the four papers claim and what of it appears here, and findings of our own apart. Made by \`${PROGRAM} lab report --docs docs/lab\`; [how to read it](../lab.md).`,
    'Numbers behind a verdict say how many of the tests of a claim end so. *Corrected*: with all claims of the paper together (Holm). What five or ten seeds leave undecided goes on to 20. Hours are estimates for two processor cores; runs that claims share are counted for each.',
    ...papers,
    `## Findings of our own\n\n${markdownTable(
      head,
      rows(({ paper }) => paper === undefined),
    )}`,
  ].join('\n\n')}\n`;
}
