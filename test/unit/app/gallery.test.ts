import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesUnder, root } from '../../files.ts';
import { elementsIn, eventClasses, readElements } from '../../gallery/elements.ts';
import { ELSEWHERE, FOLDERS } from '../../gallery/specimens/index.ts';
import { importsOf } from '../house/imports.ts';

const elements = readElements();

/** Dispatched events without a `@fires` line. This list must only become shorter. */
const UNDOCUMENTED = ['tw-parameter: @fires parameter-change'];

/** Modules of the Playground with elements that the page loads after it is displayed. */
const USES_DEFERRED = ['src/app/curves/curves.ts', 'src/app/shell/runPanels.ts', 'src/app/shell/settings.ts'];

describe('the gallery', () => {
  test('the gallery shows every element of the page, in the folder of its source', () => {
    const displayed = Object.entries(FOLDERS).flatMap(([folder, modules]) =>
      Object.keys(modules).map((name) => `${folder} ${name}`),
    );
    const declared = elements
      .filter(({ name }) => !(name in ELSEWHERE))
      .map(({ name, file }) => `${file.split('/')[2]} ${name}`);
    expect(displayed.sort()).toEqual(declared.sort());
    expect(Object.keys(ELSEWHERE)).toEqual(['tw-app', 'tw-page']);
  });

  test('the gallery reads every declaration of an element', () => {
    const declarations = filesUnder('src/app', '.ts').filter((file) =>
      readFileSync(join(root, file), 'utf8').includes('@customElement('),
    );
    expect([...new Set(elements.map(({ file }) => file))].sort()).toEqual(declarations);
  });

  test('each element is loaded by the module that uses it, or later by the page', () => {
    const texts = new Map(filesUnder('src/app', '.ts').map((file) => [file, readFileSync(join(root, file), 'utf8')]));
    const imports = new Map(
      [...texts].map(([file, text]) => [
        file,
        importsOf(file, text).flatMap(({ to, typeOnly }) => (typeOnly ? [] : to)),
      ]),
    );
    const loadedBy = (file: string) => {
      const loaded = new Set([file]);
      for (const module of loaded) for (const to of imports.get(module) ?? []) loaded.add(to);
      return loaded;
    };
    const page = new Set([...loadedBy('src/app/shell/turnwiseApp.ts'), ...loadedBy('src/app/shell/deferredPanels.ts')]);
    const missing = [...texts].flatMap(([file, text]) => {
      const tags = new Set([...text.matchAll(/<(tw-[\w-]+)|createElement\('(tw-[\w-]+)'/g)].map(([, a, b]) => a ?? b));
      const used = elements.filter(({ name }) => tags.has(name));
      const loaded = used.length > 0 ? loadedBy(file) : page;
      return used
        .filter((element) => !loaded.has(element.file) && !(USES_DEFERRED.includes(file) && page.has(element.file)))
        .map(({ name }) => `${file}: ${name}`);
    });
    expect(missing).toEqual([]);
  });

  test('the gallery shows each element in its usual state, and each element has a description', () => {
    for (const modules of Object.values(FOLDERS)) {
      for (const [name, specimens] of Object.entries(modules)) {
        expect(
          specimens.map(({ state }) => state),
          name,
        ).toContain('usual');
      }
    }
    const undescribed = elements.filter(({ about }) => !/^[A-Z].*\.$/.test(about)).map(({ file }) => file);
    expect(undescribed).toEqual([]);
  });

  test('the gallery is excluded from the built page', () => {
    expect(existsSync(join(root, 'gallery.html'))).toBe(true);
    for (const file of ['index.html', ...filesUnder('src', '.ts'), ...filesUnder('workers', '.ts')]) {
      expect(readFileSync(join(root, file), 'utf8'), file).not.toMatch(/test\/gallery|gallery\.html/);
    }
  });
});

describe('the sources of elements', () => {
  const events = new Map(
    eventClasses(`export class SeedEvent extends CustomEvent<{ readonly seed: number }> {
  constructor(seed: number) {
    super('seed', { detail: { seed } });
  }
}

export class RowEvent extends pageEvent<{ readonly row: number }>('row') {}

export class PlainEvent extends Event {
  constructor() {
    super('plain');
  }
}
`),
  );
  const source = (comment: string, body: string) =>
    `${comment}\n@customElement('tw-made-up')\nexport class A {${body}}`;

  test('the source of an element states its description and the events that it dispatches', () => {
    const comment = '/** Made up:\n * twice.\n * @fires seed (SeedEvent)\n * @fires closed when it is closed\n */';
    const body =
      "this.dispatchEvent(new SeedEvent(1)); d.dispatchEvent(new RowEvent({ row: 1 })); d.dispatchEvent(new CustomEvent('closed'));";
    const second = source('', 'dispatchEvent(\n  new PlainEvent(),\n);').replace('made-up', 'second');
    expect(elementsIn('a.ts', `${source(comment, body)}\n${second}`, events)).toEqual([
      {
        ...{ name: 'tw-made-up', file: 'a.ts', about: 'Made up: twice.' },
        ...{ fires: ['seed', 'closed'], dispatches: ['closed', 'row', 'seed'] },
      },
      { name: 'tw-second', file: 'a.ts', about: '', fires: [], dispatches: ['plain'] },
    ]);
    expect(elementsIn('a.ts', 'export const nothing = 1;', events)).toEqual([]);
  });

  test('every dispatched event of an element has a `@fires` line', () => {
    const undocumented = elements.flatMap(({ name, fires, dispatches }) =>
      dispatches.filter((event) => !fires.includes(event)).map((event) => `${name}: @fires ${event}`),
    );
    expect(undocumented).toEqual(UNDOCUMENTED);
  });

  test('an event without a known class is reported as an error', () => {
    expect(() => elementsIn('a.ts', source('', 'dispatchEvent(new OtherEvent())'), events)).toThrow('OtherEvent');
  });
});
