import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { filesUnder, root } from '../../files.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { version, license } = JSON.parse(read('package.json')) as { version: string; license: string };

describe('CITATION.cff', () => {
  const citation = parse(read('CITATION.cff')) as Record<string, unknown>;

  test('CITATION.cff has the required fields of version 1.2.0 of the format', () => {
    expect(citation['cff-version']).toBe('1.2.0');
    for (const key of ['title', 'message']) expect(citation[key], key).toMatch(/\S/);
    expect(citation.authors).toEqual([expect.objectContaining({ name: expect.stringMatching(/\S/) })]);
  });

  test('CITATION.cff has the version and the licence of package.json', () => {
    expect([citation.version, citation.license]).toEqual([version, license]);
  });
});

describe('issue forms', () => {
  interface Form {
    readonly name: string;
    readonly description: string;
    readonly body: readonly { type: string; id?: string; attributes: { label?: string; value?: string } }[];
  }
  const paths = filesUnder('.github/ISSUE_TEMPLATE', '.yml').filter((path) => !path.endsWith('/config.yml'));
  const forms = paths.map((path) => [path, parse(read(path)) as Form] as const);

  test('the issue forms are for bugs, ideas and rules', () => {
    expect(paths.map((path) => path.split('/').at(-1))).toEqual(['bug.yml', 'idea.yml', 'rule.yml']);
  });

  test.each(forms)('%s has fields of types that GitHub supports', (_path, { name, description, body }) => {
    expect([name, description]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)]);
    const fields = body.filter(({ type }) => type !== 'markdown');
    expect(fields.length).toBeGreaterThan(0);
    for (const { type, id, attributes } of fields) {
      expect(['input', 'textarea', 'dropdown', 'checkboxes']).toContain(type);
      expect([id, attributes.label]).toEqual([expect.stringMatching(/^[\w-]+$/), expect.stringMatching(/\S/)]);
    }
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
  });

  test('the issue form for bugs has fields for the link of the run and the device', () => {
    const [, bug] = forms.find(([path]) => path.endsWith('bug.yml')) ?? [];
    expect(bug?.body.map(({ id }) => id)).toEqual(expect.arrayContaining(['link', 'device']));
  });
});
