import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Claim, PAPERS, type Paper } from '../../environments/claim.ts';
import { CLAIM_FORMAT, type ClaimResult } from '../../experiments/claims/claimResult.ts';
import { correctedTogether, type UncorrectedResult } from '../../experiments/claims/corrections.ts';
import { UsageError } from '../framework/errors.ts';
import { show } from '../framework/policyFiles.ts';
import { claimPage, figureName, INDEX_TITLE, indexPage, questionsPage } from './claimPages.ts';
import { labFigure, paperFigure } from './labFigure.ts';
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
    throw new UsageError(`--docs: ${show(index)} is not an index of claims; name a folder for claims only`);
  }
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of texts) {
    const file = join(folder, name);
    writeFileSync(`${file}.part`, text);
    renameSync(`${file}.part`, file);
  }
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
