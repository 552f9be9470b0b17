import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { CLAIM_FORMAT, type ClaimResult } from '../../src/experiments/claims/claimResult.ts';
import { summaryOf } from '../../src/experiments/claims/plot.ts';

const LIST = 'virtual:lab';
const PREFIX = 'virtual:lab/';

/**
 * Provides the results of the Lab to the page. `virtual:lab` contains a summary of each claim that has a file. The
 * result of a claim is a separate module, which is loaded when the user opens the claim. A file in another format stops
 * the build.
 * @param folder folder of the results, `docs/reference/lab`; may be absent
 */
export function labResults(folder: string): Plugin {
  const files = () => (existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []);
  return {
    name: 'turnwise-lab',
    resolveId: (id) => (id === LIST || id.startsWith(PREFIX) ? `\0${id}` : undefined),
    load(id) {
      if (id !== `\0${LIST}` && !id.startsWith(`\0${PREFIX}`)) return undefined;
      for (const name of files()) this.addWatchFile(join(folder, name));
      if (id === `\0${LIST}`)
        return `export const RESULTS = {${files()
          .map((name) => listed(folder, name))
          .join(', ')}};`;
      return `export default ${JSON.stringify(readClaim(join(folder, `${id.slice(PREFIX.length + 1)}.json`)))};`;
    },
  };
}

function listed(folder: string, name: string): string {
  const result = readClaim(join(folder, name));
  const summary = JSON.stringify(summaryOf(result));
  return `${JSON.stringify(result.id)}: { summary: ${summary}, load: () => import('${PREFIX}${result.id}') }`;
}

/** @throws {Error} if the file is not a result of this version */
function readClaim(file: string): ClaimResult {
  const { format, formatVersion } = CLAIM_FORMAT;
  let parsed: Partial<ClaimResult> | null = null;
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as Error).message}`);
  }
  if (parsed?.format !== format || parsed.formatVersion !== formatVersion || !Array.isArray(parsed.experiments)) {
    throw new Error(
      `${file} is no result of this version: npm run turnwise -- lab report --docs docs/reference/lab makes it`,
    );
  }
  return parsed as ClaimResult;
}
