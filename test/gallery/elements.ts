import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { filesUnder, root } from '../files.ts';

/** Description of a custom element of the page from its source. */
export interface ElementSource {
  readonly name: string;
  /** Path from the root of the repository. */
  readonly file: string;
  /** Description of the element: the comment above its class, without its tags. */
  readonly about: string;
  /** Names of the events in its comment, in the order of the comment. */
  readonly fires: readonly string[];
  /** Names of the events that its class dispatches, sorted. */
  readonly dispatches: readonly string[];
}

const DECLARED = /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?@customElement\('([^']+)'\)/g;
const EVENT_CLASS =
  /^(?:export )?class (\w+Event) extends (?:pageEvent<[^\n]*>\(|(?:Custom)?Event[^{]*\{(?:(?!\n\})[\s\S])*?super\(\s*)'([^']+)'/gm;

/** Reads all custom elements under src/app, sorted by name. */
export function readElements(): ElementSource[] {
  const files = filesUnder('src/app', '.ts').map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  const eventNames = new Map(files.flatMap(({ text }) => eventClasses(text)));
  return files
    .flatMap(({ file, text }) => elementsIn(file, text, eventNames))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the event classes of a source with the names of their events. */
export function eventClasses(text: string): [className: string, event: string][] {
  return [...text.matchAll(EVENT_CLASS)].map(([, className = '', event = '']) => [className, event]);
}

/**
 * Returns the elements that a source declares. The text from one declaration to the next belongs to the first of them.
 * @param eventNames names of events by their event classes
 * @throws {Error} for an event whose name cannot be read from the source
 */
export function elementsIn(file: string, text: string, eventNames: ReadonlyMap<string, string>): ElementSource[] {
  const declarations = [...text.matchAll(DECLARED)];
  return declarations.map(({ index, 1: comment = '', 2: name = '' }, at) => {
    const lines = comment.split('\n').map((line) => line.replace(/^\s*\*? ?/, '').trim());
    const tags = lines.findIndex((line) => line.startsWith('@'));
    const about = (tags < 0 ? lines : lines.slice(0, tags)).join(' ').replace(/\s+/g, ' ').trim();
    const fires = lines.flatMap((line) => /^@fires ([\w-]+)/.exec(line)?.[1] ?? []);
    const dispatches = new Set<string>();
    const source = text.slice(index, declarations[at + 1]?.index);
    for (const [, className = '', literal] of source.matchAll(/dispatchEvent\(\s*new (\w+)\(\s*(?:'([^']+)')?/g)) {
      const event = className === 'CustomEvent' || className === 'Event' ? literal : eventNames.get(className);
      if (event === undefined) throw new Error(`${file}: the name of the event that ${className} carries is not there`);
      dispatches.add(event);
    }
    return { name, file, about, fires, dispatches: [...dispatches].sort() };
  });
}

const MODULE = 'virtual:elements';

/** Returns a Vite plugin that provides the descriptions of the elements as the module `virtual:elements`. */
export function galleryElements(): Plugin {
  return {
    name: 'turnwise-gallery-elements',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load: (id) => (id === `\0${MODULE}` ? `export const ELEMENTS = ${JSON.stringify(readElements())};` : undefined),
  };
}
