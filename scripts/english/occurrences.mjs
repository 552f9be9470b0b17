// Occurrences of the entries of words.json in a file.
import { countNewlines, regionsOf } from './regions.mjs';

/**
 * An entry of words.json: a name with its inflected forms, or a phrase with a pattern. A space in a pattern matches any
 * white space. `in` limits a phrase to kinds of regions, and `case` makes it case-sensitive. The counts of advisory
 * entries have no limit.
 * @typedef {object} Entry
 * @property {string} name
 * @property {string} use the replacement
 * @property {string[]} [forms]
 * @property {string} [pattern]
 * @property {string[]} [in]
 * @property {boolean} [case]
 * @property {boolean} [advisory]
 */

/**
 * The content of words.json. `everywhere` applies to every region, `identifiers` to identifiers and file names, and
 * `phrases` to prose, comments and strings. `builtins` are identifiers of the platform, which are not counted. A phrase
 * is not counted near a match of `exceptions`.
 * @typedef {object} WordList
 * @property {Entry[]} everywhere
 * @property {Entry[]} identifiers
 * @property {Entry[]} phrases
 * @property {string[]} builtins
 * @property {string[]} exceptions
 */

/** @typedef {{ path: string, line: number, kind: string, text: string }} Occurrence */
/** @typedef {(path: string, text: string) => [Entry, Occurrence][]} Scanner */

/** @param {WordList} list @returns {Entry[]} */
export const entriesOf = (list) => [...list.everywhere, ...list.identifiers, ...list.phrases];

/**
 * Returns a function that lists the occurrences in one file. An identifier counts once in each file that declares it,
 * but not in imports or as a member. A word in a comment, a string or a document counts at every occurrence.
 * @param {WordList} list
 * @returns {Scanner}
 */
export function scannerOf(list) {
  const inNames = entriesByForm([...list.everywhere, ...list.identifiers]);
  const inProse = entriesByForm(list.everywhere);
  const phrases = phraseScanner(list);
  const builtins = new Set(list.builtins);
  /** @type {Map<string, Entry[]>} entries of each identifier that was split before */
  const cache = new Map();

  /** @param {string} name */
  const entriesOfName = (name) => {
    let entries = cache.get(name);
    if (entries === undefined) {
      entries = [...splitName(name).matchAll(FORM)].flatMap(([form]) => inNames.get(form) ?? []);
      cache.set(name, entries);
    }
    return entries;
  };

  return (path, text) => {
    const fileName = (path.split('/').at(-1) ?? '').replace(/\.\w+$/, '');
    /** @type {[Entry, Occurrence][]} */
    const occurrences = entriesOfName(fileName).map((entry) => [
      entry,
      { path, line: 1, kind: 'file', text: fileName },
    ]);
    const counted = new Set(builtins);
    for (const { kind, text: body, line } of regionsOf(path, text)) {
      if (kind === 'use') continue;
      if (kind === 'identifier') {
        if (counted.has(body)) continue;
        counted.add(body);
        for (const entry of entriesOfName(body)) occurrences.push([entry, { path, line, kind, text: body }]);
        continue;
      }
      const prose = withoutMarks(body);
      const add = (/** @type {Entry} */ entry, /** @type {string} */ before, /** @type {string} */ excerpt) =>
        occurrences.push([entry, { path, line: line + countNewlines(before), kind, text: excerpt }]);
      const split = splitName(prose);
      for (const match of split.matchAll(FORM)) {
        for (const entry of inProse.get(match[0]) ?? []) add(entry, split.slice(0, match.index), around(split, match));
      }
      for (const [entry, match] of phrases(prose, kind)) add(entry, prose.slice(0, match.index), around(prose, match));
    }
    return occurrences;
  };
}

const FORM = /[a-z]+(?:'s)?/g;

/** Splits camel case, in lower case. @param {string} text */
const splitName = (text) =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase();

/** Removes comment marks, links and code from a text; its number of lines does not change. @param {string} text */
const withoutMarks = (text) =>
  text.replace(/^[^\S\n]*(\/\/+|\/\*\*?|\*(?!\/)|#+)/gm, ' ').replace(/\{@link [^}]*\}|`[^`\n]*`/g, '`');

/** Returns a match with 30 characters on both sides. @param {string} text @param {RegExpExecArray} match */
const around = (text, { 0: { length }, index }) =>
  text
    .slice(Math.max(0, index - 30), index + length + 30)
    .trim()
    .replace(/\s+/g, ' ');

/** @param {readonly Entry[]} entries */
function entriesByForm(entries) {
  /** @type {Map<string, Entry[]>} */
  const byForm = new Map();
  for (const entry of entries) {
    for (const form of entry.forms ?? [entry.name]) byForm.set(form, [...(byForm.get(form) ?? []), entry]);
  }
  return byForm;
}

/**
 * Returns a function that lists the matches of all phrases in a text.
 * @param {WordList} list
 * @returns {(prose: string, kind: string) => [Entry, RegExpExecArray][]}
 */
function phraseScanner({ phrases, exceptions }) {
  const compiled = phrases.map((entry) => {
    const source = (entry.pattern ?? '').replace(/ /g, '\\s+');
    return { entry, source, pattern: new RegExp(source, entry.case ? 'g' : 'gi') };
  });
  // One search for any phrase is faster than one search per phrase, because most texts have no phrase.
  const any = new RegExp(compiled.map(({ source }) => `(?:${source})`).join('|') || '(?!)', 'i');
  const excluded = exceptions.map((source) => new RegExp(source, 'i'));
  return (prose, kind) => {
    if (!any.test(prose)) return [];
    return compiled
      .filter(({ entry }) => entry.in?.includes(kind) ?? true)
      .flatMap(({ entry, pattern }) =>
        [...prose.matchAll(pattern)].map((match) => /** @type {[Entry, RegExpExecArray]} */ ([entry, match])),
      )
      .filter(([, match]) => !excluded.some((exception) => exception.test(around(prose, match))));
  };
}
