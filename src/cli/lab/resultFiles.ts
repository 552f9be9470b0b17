import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Claim, PAPERS, type Paper } from '../../environments/claim.ts';
import { CLAIM_FORMAT, type ClaimResult, type ExperimentResult } from '../../experiments/claims/claimResult.ts';
import { effectText, primaryOutcome, stateText, statusText } from '../../experiments/claims/conclusionText.ts';
import { correctedTogether, type UncorrectedResult } from '../../experiments/claims/corrections.ts';
import { mean } from '../../experiments/statistics.ts';
import { writeAtomically } from '../compare/starts.ts';
import { UsageError } from '../framework/errors.ts';
import { show } from '../framework/policyFiles.ts';
import { markdownTable } from '../framework/terminal.ts';
import { claimPage, figureName, INDEX_TITLE, indexPage, labFigure, paperFigure, questionsPage } from './claimPages.ts';
import { resultJson } from './results.ts';

/**
 * Returns the texts of a folder of results, by file name. Pages and figures use the rounded numbers of the data files.
 * Probabilities are corrected over all claims of the folder.
 */
export function resultTexts(claims: readonly (readonly [Claim, UncorrectedResult])[]): ReadonlyMap<string, string> {
  const rounded = claims.map(
    ([claim, result]) => [claim, JSON.parse(resultJson(result)) as UncorrectedResult] as const,
  );
  const corrected = correctedTogether(rounded);
  const texts = new Map<string, string>();
  const figures = new Map<Paper, string>();
  for (const letter of Object.keys(PAPERS) as Paper[]) {
    const figure = paperFigure(
      PAPERS[letter].name,
      corrected.filter(([{ paper }]) => paper === letter),
    );
    const name = `${letter.toLowerCase()}.svg`;
    if (!figure) continue;
    figures.set(letter, name);
    texts.set(name, figure);
  }
  texts.set('README.md', indexPage(corrected, figures));
  texts.set('own.md', questionsPage(corrected));
  for (const [claim, result] of corrected) {
    texts.set(`${claim.id}.json`, resultJson(result));
    texts.set(`${claim.id}.md`, claimPage(claim, result));
    for (const experiment of result.experiments) {
      const figure = labFigure(claim, experiment);
      if (figure) texts.set(figureName(claim, experiment), figure);
    }
  }
  return texts;
}

/**
 * Writes results, each file atomically, and removes figures that these claims no longer have.
 * @throws {UsageError} if the folder has another README.md, so that it is probably the wrong folder
 */
export function writeResults(folder: string, texts: ReadonlyMap<string, string>): void {
  const index = join(folder, 'README.md');
  if (existsSync(index) && !readFileSync(index, 'utf8').startsWith(`${INDEX_TITLE}\n`)) {
    throw new UsageError(
      `--docs: ${show(index)} is not an index of claims (lab report writes one); name a folder for claims only`,
    );
  }
  for (const [name, text] of texts) writeAtomically(join(folder, name), text);
  const claims = [...texts.keys()].flatMap((name) => /^(.*)\.json$/.exec(name)?.[1] ?? []);
  for (const name of readdirSync(folder)) {
    const figure = /\.svg$/.test(name) && (/^[a-z]\.svg$/.test(name) || claims.some((id) => name.startsWith(`${id}-`)));
    if (figure && !texts.has(name)) rmSync(join(folder, name));
  }
}

/**
 * Reads the result of a claim from a folder. Returns undefined if the folder has no result of the claim.
 * @throws {UsageError} if the file is not a result file of this version
 */
export function readResult(folder: string, id: string): ClaimResult | undefined {
  const file = join(folder, `${id}.json`);
  if (!existsSync(file)) return undefined;
  const refuse = (why: string): never => {
    throw new UsageError(`${show(file)} ${why}`);
  };
  let parsed: Partial<ClaimResult> | null;
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return refuse(`is not JSON (${(error as Error).message})`);
  }
  const { format, formatVersion } = CLAIM_FORMAT;
  if (parsed?.format !== format || parsed.formatVersion !== formatVersion || !Array.isArray(parsed.experiments))
    return refuse('is not a result file of this version');
  return parsed as ClaimResult;
}

// References of texts to results, filled from the data. A number is a link to the page of its claim, and the title of
// the link identifies the number:
//   [.99](lab/t2.md "shortcut, mt-grpo, end:toolUse")     in documents
//   [.99](lab:t2 "shortcut, mt-grpo, end:toolUse")        in lessons
// The title is one of:
//   `conclusion`, `seeds`, `effect`       the conclusion and the seeds of the claim, the numbers of its primary test
//   "experiment, test 1"                  the conclusion of the first test of an experiment
//   "experiment, test 1, effect"          the numbers of this test
//   "experiment, arm, value"              the mean over the seeds of a value of the runs, or a cell of the table
// A table is between the comments <!-- lab t1, shortcut --> and <!-- /lab -->.

// The text of a link is in one line, and its brackets are in pairs: code before a link may contain a single "[".
const LINK = /\[((?:[^[\]\n]|\[[^[\]\n]*\])*)\]\(((?:[./\w-]*\/)?lab\/([a-z0-9-]+)\.md|lab:([a-z0-9-]+)) "([^"]+)"\)/g;
const TABLE = /<!-- lab ([a-z0-9-]+), ([^>]+?) -->\n[\s\S]*?<!-- \/lab -->/g;

/**
 * Returns a text with its references filled from the current results.
 * @param file file name for messages
 * @param find returns the result of a claim, or undefined if the claim has no result file
 * @throws {UsageError} with the file and the reference if a referenced result does not exist
 */
export function withResults(text: string, file: string, find: (id: string) => ClaimResult | undefined): string {
  const refuse = (reference: string, why: string): never => {
    throw new UsageError(`${show(file)}: ${reference} ${why}`);
  };
  const resultOf = (id: string, reference: string) =>
    find(id) ?? refuse(reference, `names a claim without results: ${id}`);
  return text
    .replace(LINK, (reference, _, address, document, lesson, title) => {
      const value = resultText(resultOf(document ?? lesson, reference), title);
      return `[${value ?? refuse(reference, 'has no such result')}](${address} "${title}")`;
    })
    .replace(TABLE, (reference, id, name) => {
      const head = reference.split('\n')[0];
      const table = resultOf(id, head).experiments.find((experiment) => experiment.name === name)?.table;
      if (!table) return refuse(head, 'has no table');
      return `${head}\n${markdownTable(table.head, table.rows)}\n<!-- /lab -->`;
    });
}

function resultText(result: ClaimResult, title: string): string | undefined {
  const { there, of } = result.seeds;
  if (title === 'conclusion') return stateText(result);
  if (title === 'seeds') return there < of ? `${there} of ${of}` : `${of}`;
  if (title === 'effect') {
    const primary = primaryOutcome(result);
    return primary && effectText(primary);
  }
  // "switches" and "switches, open" are names of experiments: the longer name has priority.
  const [experiment] = result.experiments
    .filter(({ name }) => title.startsWith(`${name}, `))
    .sort((a, b) => b.name.length - a.name.length);
  if (!experiment) return undefined;
  const [first, ...rest] = title.slice(experiment.name.length + 2).split(', ');
  const value = rest.join(', '); // "Iter-1, %" has a comma
  const test = /^test (\d+)$/.exec(first);
  if (test) return testText(experiment, Number(test[1]), value);
  return meanOf(experiment, first, value) ?? cellOf(experiment, first, value);
}

/** Returns the conclusion of a test of an experiment, counted from 1, or its numbers if `value` is `effect`. */
function testText({ definition, outcomes }: ExperimentResult, number: number, value: string): string | undefined {
  const statement = definition.tests[number - 1]?.statement;
  const outcome = outcomes.find(({ test }) => test.statement === statement);
  if (!outcome) return statement === undefined ? undefined : 'not run';
  if (value === 'effect') return effectText(outcome);
  return value === '' ? statusText(outcome) : undefined;
}

/** Returns the mean of a value over the runs of an arm, or undefined if no run has the value. */
function meanOf({ runs }: ExperimentResult, arm: string, value: string): string | undefined {
  const values = runs.flatMap((run) => (run.arm === arm ? (run.values?.[value] ?? []) : []));
  return values.length === 0
    ? undefined
    : mean(values)
        .toFixed(2)
        .replace(/^(-?)0\./, '$1.');
}

function cellOf({ table }: ExperimentResult, arm: string, column: string): string | undefined {
  const index = table?.head.indexOf(column) ?? -1;
  return index < 0 ? undefined : table?.rows.find(([name]) => name === arm)?.[index];
}

/** Returns the Markdown files of a folder and its subfolders, without hidden folders, node_modules and dist. */
export function markdownFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return /^(\.|node_modules$|dist$)/.test(entry.name) ? [] : markdownFiles(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/**
 * Fills the references in all texts of a folder.
 * @returns the files that changed
 * @throws {UsageError} as `withResults`; no file is written in that case
 */
export function updateTexts(folder: string, find: (id: string) => ClaimResult | undefined): readonly string[] {
  const changes = markdownFiles(folder).flatMap((file) => {
    const before = readFileSync(file, 'utf8');
    const after = withResults(before, file, find);
    return after === before ? [] : [{ file, after }];
  });
  for (const { file, after } of changes) writeFileSync(file, after);
  return changes.map(({ file }) => file);
}
