// Limits of the counts, which only decrease.

/** @typedef {import('./occurrences.mjs').Entry} Entry */
/** @typedef {import('./occurrences.mjs').Occurrence} Occurrence */
/** @typedef {Readonly<Record<string, number>>} Limits */

/** Maximum number of occurrences that a message lists. */
const LISTED = 20;

/**
 * Returns the minimum of limit and count for each entry. The limit of a new entry is its count. Advisory and removed
 * entries have no limit.
 * @param {ReadonlyMap<Entry, readonly Occurrence[]>} occurrences
 * @param {Limits} limits
 * @returns {Limits}
 */
export function loweredLimits(occurrences, limits) {
  const limited = [...occurrences].filter(([entry]) => !entry.advisory);
  return Object.fromEntries(limited.map(([{ name }, { length }]) => [name, Math.min(length, limits[name] ?? length)]));
}

/**
 * Returns one message for each entry above its limit or without a limit.
 * @param {ReadonlyMap<Entry, readonly Occurrence[]>} occurrences
 * @param {Limits} limits
 * @param {(occurrence: Occurrence) => boolean} isNew true for occurrences added since the limits were written
 */
export function problemsOf(occurrences, limits, isNew) {
  return [...occurrences].flatMap(([entry, all]) => {
    const limit = limits[entry.name];
    if (entry.advisory || (limit !== undefined && all.length <= limit)) return [];
    if (limit === undefined) return [`"${entry.name}" has no limit: run npm run words -- --lower`];
    return [excessMessage(entry, limit, all, all.filter(isNew))];
  });
}

/**
 * @param {Entry} entry
 * @param {number} limit
 * @param {readonly Occurrence[]} all
 * @param {readonly Occurrence[]} added empty if git cannot list added lines
 */
function excessMessage({ name, use }, limit, all, added) {
  const candidates = added.length > 0 ? added : all;
  const source = added.length > 0 ? 'on lines added since the limits were written' : 'in the repository';
  const listed = candidates.slice(-LISTED);
  return [
    `"${name}": ${all.length} occurrences, the limit is ${limit}. Remove ${all.length - limit}. Use instead: ${use}`,
    `  ${candidates.length} ${source}${listed.length < candidates.length ? `, the last ${listed.length}` : ''}:`,
    ...listed.map((occurrence) => `  ${describeOccurrence(occurrence)}`),
    ...(listed.length < candidates.length ? [`  all of them: npm run words -- --list "${name}"`] : []),
  ].join('\n');
}

/** @param {Occurrence} occurrence */
export const describeOccurrence = ({ path, line, kind, text }) => `${path}:${line}  ${kind}  ${text}`;
