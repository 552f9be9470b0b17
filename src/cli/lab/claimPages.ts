import { type Claim, PAPERS, type Paper } from '../../environments/claim.ts';
import type {
  ClaimResult,
  CountedResult,
  ExperimentResult,
  PairedResult,
} from '../../experiments/claims/claimResult.ts';
import {
  amount,
  armsText,
  countedThings,
  countsText,
  effectText,
  forecastText,
  formatConclusions,
  hoursText,
  interval,
  marginText,
  primaryOutcome,
  primaryText,
  READER_CONCLUSIONS,
  READER_NOTE,
  readerSentence,
  readerState,
  seedsText,
  signed,
  stateText,
  statusText,
  unfinishedText,
  withChange,
} from '../../experiments/claims/conclusionText.ts';
import {
  axisSvg,
  inOrder,
  PLOT_CAPTION,
  PLOT_HEIGHT,
  type PlotRow,
  plotExtent,
  plotRow,
  plotSvg,
  tableCaption,
} from '../../experiments/claims/plot.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import { findWorld } from '../../training/data/worlds.ts';
import { escaped, svgDocument } from '../compare/figures.ts';
import { PROGRAM } from '../framework/installation.ts';
import { markdownTable } from '../framework/terminal.ts';

// Pages of docs/reference/lab. They depend only on the data in that folder and on the claims.

/** Returns the page of a claim as Markdown. */
export function claimPage(claim: Claim, result: ClaimResult): string {
  const paper = claim.paper && PAPERS[claim.paper];
  const experiments = result.experiments.map((experiment) => experimentPart(claim, experiment));
  return `${[
    `# ${claim.id.startsWith('own') ? `Additional question: ${claim.id.slice(4)}` : claim.id.toUpperCase()}`,
    `> ${claim.says}`,
    paper
      ? `${paper.title} (${paper.reference}), ${claim.place}. Compared: ${claim.compared}. ${claim.quote ? `Quotation: “${claim.quote}”.` : 'The statement is a paraphrase.'}`
      : `An additional question, which is not among the claims of the four papers. ${claim.place}.`,
    ...(claim.paper ? [formatConclusion(claim, result)] : []),
    ...(claim.changed ? [`Changed after a part of the runs: ${claim.changed}`] : []),
    ...(claim.missing ? [`Not run${experiments.length > 0 ? ' of it' : ''}: ${claim.missing}`] : []),
    ...experiments,
    ...(claim.differs.length > 0
      ? ['## What differs from the paper', claim.differs.map((difference) => `- ${difference}`).join('\n')]
      : []),
    `[All claims](README.md), and [how to read this](../lab.md). The numbers are in [${claim.id}.json](${claim.id}.json).`,
  ].join('\n\n')}\n`;
}

/** Returns the conclusion about a claim, with the numbers of its primary test. */
function formatConclusion(claim: Claim, result: ClaimResult): string {
  const primary = primaryOutcome(result);
  const test = primary ? [primaryText(primary), forecastText(primary)] : [];
  return [`Conclusion: **${withChange(stateText(result), claim)}**.`, ...test, unfinishedText(result)]
    .filter((part) => part !== '')
    .join(' ');
}

function experimentPart(claim: Claim, experiment: ExperimentResult): string {
  const { name, definition, command, runs, missing, hours, outcomes, table } = experiment;
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
  const left = missing > 0 ? ` ${missing} runs are missing, about ${hoursText(hours)}.` : '';
  return [
    `## ${name}`,
    ...worldPart(definition),
    `${definition.steps} updates per run; ${runs.length} runs; each seed has a separate world and warm start.${left} ` +
      `Engine: ${unique(({ device }) => device).join('; ')}${commits.length > 0 ? `; commit ${commits.join(', ')}` : ''}.` +
      (again > 0 ? ` Made by earlier code; the current code repeated ${again} of the runs with the same bits.` : ''),
    ...(outcomes.some(({ kind }) => kind === 'paired')
      ? [`![Every test: the seeds, their mean and its 95 % interval](${figureName(claim, experiment)})`, PLOT_CAPTION]
      : []),
    outcomes.length > 0 ? outcomeTable(experiment) : 'No test has runs of all its arms.',
    ...unequalPart(outcomes),
    ...(table ? [markdownTable(table.head, table.rows), tableCaption(table)] : []),
    ...reasonsPart(claim, experiment),
    `    ${line}\n    ${PROGRAM} lab check ${claim.id} --seed 1     # repeats one seed: the same bits on every machine\n    ${PROGRAM} ${command}`,
  ].join('\n\n');
}

function worldPart({ environment, world }: ExperimentResult['definition']): string[] {
  const named = findWorld(environment as EnvironmentName, world);
  return named ? [`World: ${named.title}. ${named.shows}`] : [];
}

function unequalPart(outcomes: ExperimentResult['outcomes']): string[] {
  const reasons = new Set(outcomes.flatMap(({ test }) => test.unequal ?? []));
  return reasons.size > 0 ? [`Not like for like: ${[...reasons].join(' ')}`] : [];
}

/** Returns likely reasons for a result that differs from the paper, if a test has such a result. */
function reasonsPart(claim: Claim, { name, outcomes }: ExperimentResult): string[] {
  const reasons = claim.reasons?.[name];
  const fails = outcomes.some(({ corrected: { status } }) => status === 'no such gain' || status === 'reverse');
  return reasons && fails ? [`**Likely explanation.** ${reasons}`] : [];
}

function outcomeTable({ outcomes }: ExperimentResult): string {
  const paired = outcomes.flatMap((outcome) => (outcome.kind === 'paired' ? [outcome] : []));
  const counts = outcomes.flatMap((outcome) => (outcome.kind === 'counted' ? [outcome] : []));
  const head = [
    'test',
    'conclusion',
    'seeds',
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
            paired.map((outcome) => pairedRow(outcome)),
          ),
        ]
      : []),
    ...(counts.length > 0
      ? [
          markdownTable(
            ['counted', 'conclusion', 'found'],
            counts.map((outcome) => [
              testText(outcome),
              statusText(outcome),
              withReason(countsText(outcome.counts, countedThings(outcome.test)), outcome),
            ]),
          ),
        ]
      : []),
  ].join('\n\n');
}

/** Returns the statement of a test. The statement of the primary test is bold. */
function testText({ test: { statement, primary } }: PairedResult | CountedResult): string {
  return primary ? `**${statement}**` : statement;
}

function withReason(text: string, { judgement: { reason } }: PairedResult | CountedResult): string {
  return reason === undefined ? text : `${text}; ${reason}`;
}

function pairedRow(outcome: PairedResult): string[] {
  const { test, differences, judgement, iqm, improvement, deviation } = outcome;
  const { unit } = test;
  return [
    `${testText(outcome)}${armsText(outcome)}`,
    statusText(outcome),
    String(differences.length),
    withReason(`${signed(judgement.mean, unit)} ${unit ?? 'points'}`, outcome),
    interval(judgement.low, judgement.high, unit),
    marginText(test) || '-',
    judgement.direction,
    `${signed(iqm.mean, unit)} (${interval(iqm.low, iqm.high, unit)})`,
    improvement.toFixed(2).replace(/^0\./, '.'),
    amount(deviation, unit),
  ];
}

/** Returns the file name of the figure of an experiment. The figure is in the folder of the page. */
export function figureName({ id }: Claim, { name }: Pick<ExperimentResult, 'name'>): string {
  return `${id}-${name.replace(/[^a-z0-9]+/gi, '-')}.svg`;
}

/** First line of the index. */
export const INDEX_TITLE = '# Which claims reproduce?';

type Results = readonly (readonly [Claim, ClaimResult])[];

/**
 * Returns the index of the claims: one summary sentence, one table, and one figure per paper.
 * @param figures file names of the figures that exist
 */
export function indexPage(claims: Results, figures: ReadonlyMap<Paper, string>): string {
  const questions = claims.filter(([{ paper }]) => paper === undefined).length;
  const rows = claims.flatMap(([claim, result]) => (claim.paper ? [indexRow(claim, claim.paper, result)] : []));
  const papers = (Object.keys(PAPERS) as Paper[]).map((letter) => {
    const { title, reference } = PAPERS[letter];
    const name = figures.get(letter);
    const figure = name
      ? `![${PAPERS[letter].name}: primary tests, the largest effect first](${name})`
      : 'Not run yet.';
    return `### ${title}\n\n${reference}.\n\n${figure}`;
  });
  return `${[
    INDEX_TITLE,
    readerSentence(claims.flatMap(([{ paper }, result]) => (paper ? [readerState(result)] : []))),
    markdownTable(['paper', 'claim', 'conclusion', 'effect [95 % interval]', 'seeds'], rows),
    Object.entries(READER_CONCLUSIONS)
      .map(([name, help]) => `- *${name}*: ${help}`)
      .join('\n'),
    READER_NOTE,
    `Each claim has a page with all its tests, its runs and the differences from the paper. See also the [${questions} additional questions](own.md) and [how conclusions are determined](../lab.md). Made by \`${PROGRAM} lab report --docs docs/reference/lab --texts .\`.`,
    '## Figures',
    PLOT_CAPTION,
    ...papers,
  ].join('\n\n')}\n`;
}

function indexRow(claim: Claim, paper: Paper, result: ClaimResult): string[] {
  const primary = primaryOutcome(result);
  const { there, of } = result.seeds;
  return [
    PAPERS[paper].name,
    `[${claim.id.toUpperCase()}](${claim.id}.md) ${claim.says}`,
    withChange(there > 0 && there < of ? 'open' : stateText(result), claim),
    primary ? effectText(primary) : '',
    seedsText(result),
  ];
}

/** Returns the index of the additional questions, about which no paper makes a claim. */
export function questionsPage(claims: Results): string {
  const rows = claims.flatMap(([claim, result]) =>
    claim.paper ? [] : [[`[${claim.id}](${claim.id}.md)`, claim.says, formatConclusions(result), seedsText(result)]],
  );
  return `${[
    '# Additional questions',
    'These questions are not among the claims of the four papers, so they have no primary test: the conclusions of all tests are counted, corrected by the false discovery rate. Names in quotation marks are experiments. See also the [claims of the papers](README.md) and [how conclusions are determined](../lab.md).',
    markdownTable(['question', 'statement', 'tests', 'seeds'], rows),
  ].join('\n\n')}\n`;
}

// Figures of the documents: one row per test, with its texts on the left and the plot of the page on the right.

const ROW = 58;
const TOP = 8;
const WIDTH = 760;
const PLOT = { x: 340, width: 412 } as const;
const TEXT_COLOUR = '#7a828a';
/** Maximum length of a line of text [characters]. */
const LETTERS = 50;

interface FigureRow {
  readonly label: string;
  readonly note: string;
  readonly row: PlotRow;
}

/** Returns the figure of an experiment with one row per test, or undefined if no test compares paired differences. */
export function labFigure({ id }: Claim, { name, outcomes }: ExperimentResult): string | undefined {
  const rows = outcomes.flatMap((outcome) =>
    outcome.kind === 'paired'
      ? [
          {
            label: outcome.test.statement,
            note: `${effectText(outcome)}; ${statusText(outcome)}`,
            row: plotRow(outcome),
          },
        ]
      : [],
  );
  return figure(`${id}, ${name}: differences by test`, rows);
}

/**
 * Returns the figure of a paper: one row per primary test of a claim, the largest effect first. Returns undefined if no
 * claim has a paired primary test.
 */
export function paperFigure(name: string, claims: readonly (readonly [Claim, ClaimResult])[]): string | undefined {
  const rows = claims.flatMap(([{ id }, result]) => {
    const primary = primaryOutcome(result);
    if (primary?.kind !== 'paired') return [];
    const label = `${id.toUpperCase()} ${primary.test.statement}`;
    return [{ label, note: `${effectText(primary)}; ${stateText(result)}`, row: plotRow(primary) }];
  });
  return figure(`${name}: primary tests`, inOrder(rows));
}

function figure(title: string, rows: readonly FigureRow[]): string | undefined {
  if (rows.length === 0) return undefined;
  const extent = plotExtent(rows.map(({ row }) => row));
  const height = TOP + ROW * rows.length + 18;
  const description = rows.map(({ label, note }) => `${label}: ${note}`).join('. ');
  return svgDocument({ title, description }, WIDTH, height, [
    ...rows.map((row, index) => drawn(row, TOP + index * ROW, extent)),
    `<svg x="${PLOT.x}" y="${TOP + ROW * rows.length}" width="${PLOT.width}" height="16">\n${axisSvg(extent)}\n</svg>`,
  ]);
}

function drawn({ label, note, row }: FigureRow, top: number, extent: number): string {
  const lines = [...wrapped(label, 2), ...wrapped(note, 1)].map(
    (text, line) => `<text x="4" y="${top + 12 + 15 * line}" fill="${TEXT_COLOUR}">${escaped(text)}</text>`,
  );
  return `${lines.join('\n')}
<svg x="${PLOT.x}" y="${top}" width="${PLOT.width}" height="${PLOT_HEIGHT}">
${plotSvg(row, extent)}
</svg>`;
}

/** Breaks a text into at most `limit` lines. The last line ends in an ellipsis if the text is cut. */
function wrapped(text: string, limit: number): string[] {
  const lines: string[] = [''];
  for (const term of text.split(' ')) {
    const line = lines[lines.length - 1];
    if (line !== '' && line.length + 1 + term.length > LETTERS) lines.push(term);
    else lines[lines.length - 1] = line === '' ? term : `${line} ${term}`;
  }
  return lines.length > limit ? [...lines.slice(0, limit - 1), `${lines[limit - 1]} …`] : lines;
}
