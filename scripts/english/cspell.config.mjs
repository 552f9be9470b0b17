// Configuration of cspell, the spelling check of `npm run check`. It also flags the words that words.json forbids everywhere.
import { readFileSync } from 'node:fs';

const { everywhere } = JSON.parse(readFileSync(new URL('words.json', import.meta.url), 'utf8'));

/** @type {import('@cspell/cspell-types').CSpellUserSettings} */
export default {
  version: '0.2',
  language: 'en,en-GB',
  globRoot: '../..',
  files: ['**/*.{ts,mjs,md,py,wgsl,html,yaml,yml}', '.github/**/*.yml'],
  useGitignore: true,
  // Fixtures, generated files, and the page with examples of forbidden words.
  ignorePaths: [
    'test/fixtures',
    'public',
    'docs/develop/english.md',
    'docs/reference/{rules,lab}',
    '**/kernelTypes.ts',
    '**/problems.json',
  ],
  // Addresses, digests and encoded bytes are not words.
  ignoreRegExpList: ['/\\\\[bnrt]/g', 'Urls', 'SHA', 'HexValues', '/[A-Za-z0-9+/_-]{40,}={0,2}/g'],
  dictionaryDefinitions: [{ name: 'project', path: './dictionary.txt', addWords: true }],
  dictionaries: ['project', 'typescript', 'node', 'html', 'css', 'python', 'software-terms'],
  // Code in Markdown, as in the check of words.json.
  languageSettings: [
    {
      languageId: 'markdown',
      ignoreRegExpList: ['/^ {4}.*$/gm', '/`[^`\\n]*`/g', '/```[\\s\\S]*?```/g', '/\\]\\([^)]*\\)/g'],
    },
  ],
  flagWords: everywhere.flatMap((/** @type {{ name: string, forms?: string[] }} */ { name, forms }) => forms ?? [name]),
};
