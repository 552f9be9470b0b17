import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesUnder, root } from '../../files.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** Documents that people write. Programs generate docs/reference/rules and docs/figures. */
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...filesUnder('docs', '.md').filter((path) => !/^docs\/(reference\/rules|figures)\//.test(path)),
];

/** Returns the anchor that GitHub creates for a heading. */
function anchorOf(heading: string): string {
  const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
}

const prose = (text: string) => text.replace(/^ {4}.*$/gm, '').replace(/^```[\s\S]*?^```/gm, '');
const anchorsOf = (text: string) => [...prose(text).matchAll(/^#+ +(.*)$/gm)].map(([, heading]) => anchorOf(heading));

/** Returns the broken links of a document to files of the repository. */
function brokenLinks(path: string, text: string): string[] {
  const links = [...prose(text).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link]) => link);
  return links.filter((link) => {
    const [file, anchor] = link.split('#');
    const target = file === '' ? path : normalize(join(dirname(path), file)).replaceAll('\\', '/');
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && !anchorsOf(target === path ? text : read(target)).includes(anchor);
  });
}

/** Returns the npm scripts that a document calls. */
const scriptsOf = (text: string) => [...text.matchAll(/\bnpm run (?:-s )?([a-z][\w:-]*)/g)].map(([, name]) => name);

describe('anchors and links', () => {
  test.each([
    ['Rules for GPU code', 'rules-for-gpu-code'],
    ["CPython's own tests in the sandbox", 'cpythons-own-tests-in-the-sandbox'],
    ['Files, signals, exit codes', 'files-signals-exit-codes'],
  ])('the heading "%s" has the anchor "%s"', (heading, anchor) => expect(anchorOf(heading)).toBe(anchor));

  test('brokenLinks reports a missing file and a missing anchor, and ignores code', () => {
    const text = '# One\n[a](docs/none.md) [b](#one) [c](#two) [e](https://example.org)\n\n    [f](g)\n';
    expect(brokenLinks('README.md', text)).toEqual(['docs/none.md', '#two']);
  });
});

describe.each(documents.map((path) => [path, read(path)]))('%s', (path, text) => {
  test('the document links only to existing files and headings', () => expect(brokenLinks(path, text)).toEqual([]));

  test('the document calls only npm scripts of package.json', () => {
    expect(scriptsOf(text).filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

test('install commands in documents name packages of this repository or test tools', () => {
  const packages = /^("?\.\/(python|turnwise-rl-[\d.]+\.tgz)|"?turnwise-rl\b|\S*dist\/)/;
  const tools = ['vitest', 'playwright-core'];
  const lines = [...documents, 'python/README.md'].flatMap((path) =>
    [...read(path).matchAll(/\b(?:pip install|npm install|npx) ([^\n`]+)/g)].map(([line, rest]) => ({
      path,
      line,
      rest,
    })),
  );
  expect(lines.length).toBeGreaterThan(3);
  const foreign = lines.filter(
    ({ rest }) => !packages.test(rest.replace(/^(--?[\w=-]+ )+/, '')) && !tools.includes(rest.split(' ')[0]),
  );
  expect(foreign).toEqual([]);
});

describe.each(['use', 'learn', 'reference', 'develop'])('docs/%s/README.md', (folder) => {
  test('the README of a documentation folder lists every page of the folder', () => {
    const links = [...read(`docs/${folder}/README.md`).matchAll(/\]\(([^)#\s]+)/g)].map(([, link]) => link);
    const pages = documents.filter((path) => new RegExp(`^docs/${folder}/[^/]+\\.md$`).test(path));
    expect(pages.map((path) => basename(path)).filter((name) => name !== 'README.md' && !links.includes(name))).toEqual(
      [],
    );
  });
});

describe('README.md', () => {
  test('README.md has at most 90 lines', () =>
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(90));

  test('every document is reachable from README.md over links', () => {
    const reached = new Set(['README.md']);
    for (const page of reached) {
      const text = page.endsWith('.md') && existsSync(join(root, page)) ? read(page) : '';
      for (const [, link] of text.matchAll(/\]\(([^)#\s]+)/g)) reached.add(normalize(join(dirname(page), link)));
    }
    expect(documents.filter((path) => !reached.has(path))).toEqual([]);
  });
});

describe('docs/develop/decisions', () => {
  const pages = filesUnder('docs/develop/decisions', '.md').filter((path) => !path.endsWith('/README.md'));

  test('decisions are numbered without a gap, and the index lists each with its title', () => {
    const rows = pages.map((path, index) => {
      const number = String(index + 1).padStart(3, '0');
      const [, title] = /^# \d{3}\. (.+)\n/.exec(read(path)) ?? [];
      expect(read(path)).toMatch(new RegExp(`^# ${number}\\. `));
      return `| [${number}](${path.split('/').at(-1)}) | ${title} |`;
    });
    const index = read('docs/develop/decisions/README.md');
    expect(index.split('\n').filter((line) => line.startsWith('| ['))).toEqual(rows);
  });

  test.each(pages)('%s has the parts Question, Decision, Why, Price and More', (path) => {
    for (const part of ['Question', 'Decision', 'Why', 'Price', 'More'])
      expect(read(path)).toContain(`\n**${part}.** `);
  });
});
