import { strings } from '../strings/strings.ts';

/** What the sandbox saw, in plain words. */
export function violationText(reason: string): string {
  const texts = strings.python;
  const { entry, function: own, data } = texts.libraryNames;
  const [, what] = /^changed (.+) of the library$/.exec(reason) ?? [];
  if (what === undefined) return reason;
  const known: Readonly<Record<string, string>> = { 'an entry': entry, 'a function': own, data };
  return texts.changedLibrary(known[what] ?? `“${what}”`);
}
