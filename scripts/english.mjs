// `npm run words`: counts the words that docs/develop/english.md forbids. Ends with status 1 if a count is above its limit.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fail, root, SetupError } from './dependencies.mjs';
import { describeOccurrence, loweredLimits, problemsOf } from './english/limits.mjs';
import {
  addedSince,
  LIMITS,
  limitsRevision,
  occurrencesInRepository,
  readLimits,
  readList,
} from './english/repository.mjs';

const USAGE = `npm run words -- [option]
  --list NAME   every occurrence of an entry
  --since REV   occurrences on lines added since a revision, uncommitted lines included
  --lower       lower the limits to the counts; no limit increases
Without an option: counts, limits and replacements of all entries.`;

/** @typedef {import('./english/occurrences.mjs').Entry} Entry */
/** @typedef {import('./english/occurrences.mjs').Occurrence} Occurrence */
/** @typedef {ReadonlyMap<Entry, readonly Occurrence[]>} Occurrences */

function readOptions() {
  try {
    const options = {
      list: { type: /** @type {const} */ ('string') },
      since: { type: /** @type {const} */ ('string') },
    };
    return parseArgs({ options: { ...options, lower: { type: 'boolean', default: false } } }).values;
  } catch (error) {
    // parseArgs throws a TypeError for an unknown option.
    if (error instanceof TypeError) throw new SetupError(`${error.message}\n\n${USAGE}`);
    throw error;
  }
}

// A closed pipe, for example of `head`, ends the output without an error.
process.stdout.on('error', (error) => {
  if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPIPE') throw error;
  process.exit(0);
});

/** @param {string} line */
const print = (line) => process.stdout.write(`${line}\n`);

/** @param {Occurrences} occurrences @param {string} name */
function printEntry(occurrences, name) {
  const matches = [...occurrences].filter(([entry]) => entry.name === name || entry.forms?.includes(name));
  if (matches.length === 0) throw new SetupError(`--list: "${name}" is not an entry of scripts/english/words.json`);
  for (const occurrence of matches.flatMap(([, all]) => all)) print(describeOccurrence(occurrence));
}

/** @param {Occurrences} occurrences @param {string} revision */
function printAdded(occurrences, revision) {
  const isAdded = addedSince(revision);
  let count = 0;
  for (const [{ name, use, advisory }, all] of occurrences) {
    const added = advisory ? [] : all.filter(isAdded);
    if (added.length > 0) print(`"${name}", use instead: ${use}`);
    for (const occurrence of added) print(`  ${describeOccurrence(occurrence)}`);
    count += added.length;
  }
  print(`${count} added since ${revision}`);
}

/** @param {Occurrences} occurrences */
function lowerLimits(occurrences) {
  const before = readLimits();
  const after = loweredLimits(occurrences, before);
  writeFileSync(join(root, LIMITS), `${JSON.stringify(after, null, 2)}\n`);
  const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
  for (const name of changed) print(`"${name}": ${before[name] ?? 'no limit'} -> ${after[name]}`);
  print(`${changed.length} limits changed`);
}

/** @param {Occurrences} occurrences */
function printTable(occurrences) {
  const limits = readLimits();
  print(' count  limit  entry');
  for (const [{ name, use, advisory }, { length }] of [...occurrences].sort(([, a], [, b]) => b.length - a.length)) {
    const limit = advisory ? 'none' : (limits[name] ?? 'new');
    print(`${String(length).padStart(6)} ${String(limit).padStart(6)}  ${name.padEnd(28)} use: ${use}`);
  }
  const total = [...occurrences].reduce((sum, [{ advisory }, { length }]) => sum + (advisory ? 0 : length), 0);
  print(`${String(total).padStart(6)}         total of the entries with a limit`);
}

/** @param {Occurrences} occurrences */
function printProblems(occurrences) {
  const revision = limitsRevision();
  const problems = problemsOf(occurrences, readLimits(), revision ? addedSince(revision) : () => false);
  for (const problem of problems) print(`\n${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

try {
  const { list, since, lower } = readOptions();
  const occurrences = occurrencesInRepository(readList());
  if (list !== undefined) printEntry(occurrences, list);
  else if (since !== undefined) printAdded(occurrences, since);
  else {
    if (lower) lowerLimits(occurrences);
    else printTable(occurrences);
    printProblems(occurrences);
  }
} catch (error) {
  fail(error);
}
