/** Places of the page, each with its own address after the `#`. The first one is the default. */
export const VIEW_NAMES = ['play', 'learn', 'lab', 'challenge', 'inspect', 'python'] as const;
export type ViewName = (typeof VIEW_NAMES)[number];

/** Location of the user: a place, and the position in it. */
export interface ViewAddress {
  readonly view: ViewName;
  /** Parts after the place's name, such as the name of a lesson. */
  readonly path: readonly string[];
  /** The address names the place: an address of the time before there were places does not. */
  readonly named: boolean;
}

/** Reads the part of an address from its `#` on. Never throws: what is no place is the Playground, as it always was. */
export function readViewAddress(hash: string): ViewAddress {
  const [name, ...path] = hash.replace(/^#/, '').split('/').filter(Boolean);
  const view = VIEW_NAMES.find((section) => section === name);
  return view ? { view, path, named: true } : { view: VIEW_NAMES[0], path: [], named: false };
}

/** `#learn/tool-dies` for the place `learn` and the path `tool-dies`. */
export function writeViewAddress(view: ViewName, ...path: readonly string[]): string {
  return `#${[view, ...path].join('/')}`;
}
