import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Views of the page, each with an address after the `#`. The first view is the default. */
export const VIEW_NAMES = ['play', 'learn', 'lab', 'challenge', 'inspect', 'python'] as const;
export type ViewName = (typeof VIEW_NAMES)[number];

/** Address of a view, with the path in the view. */
export interface ViewAddress {
  readonly view: ViewName;
  /** Parts after the name of the view, such as the name of a lesson. */
  readonly path: readonly string[];
  /** True if the address names a view. Older addresses do not. */
  readonly named: boolean;
}

/** Reads the part of an address from `#`. Never throws: an unknown view is the Playground, as for older addresses. */
export function readViewAddress(hash: string): ViewAddress {
  const [name, ...path] = hash.replace(/^#/, '').split('/').filter(Boolean);
  const view = VIEW_NAMES.find((section) => section === name);
  return view ? { view, path, named: true } : { view: VIEW_NAMES[0], path: [], named: false };
}

/** Returns the address of a view, for example `#learn/tool-dies` for the view `learn` and the path `tool-dies`. */
export function writeViewAddress(view: ViewName, ...path: readonly string[]): string {
  return `#${[view, ...path].join('/')}`;
}

/** Event with a new address for the same content. It replaces the address in the present entry of the history. */
export class ViewAddressEvent extends CustomEvent<string> {
  constructor(address: string) {
    super('place-address', { detail: address, bubbles: true, composed: true });
  }
}

/** Tracks the view in the address. Links, Back and Forward change the view, and the run continues. */
export class ViewController implements ReactiveController {
  at: ViewAddress = readViewAddress(location.hash);
  /** True if an address with the name of a view was open at any time. The page then shows links to all views. */
  named = this.at.named;

  /** @param changed callback for a change of the view or of its path */
  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly changed: () => void = () => {},
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    addEventListener('hashchange', this.read);
  }

  hostDisconnected(): void {
    removeEventListener('hashchange', this.read);
  }

  /** Replaces the address in the present entry of the history, because the content has not changed. */
  replace(hash: string): void {
    try {
      history.replaceState(history.state, '', `${location.pathname}${location.search}${hash}`);
    } catch {
      // A sandboxed frame may forbid changes of the history.
    }
    this.apply(readViewAddress(location.hash));
  }

  private read = (): void => {
    const before = writeViewAddress(this.at.view, ...this.at.path);
    this.apply(readViewAddress(location.hash));
    if (before !== writeViewAddress(this.at.view, ...this.at.path)) this.changed();
  };

  private apply(at: ViewAddress): void {
    this.at = at;
    this.named ||= at.named;
    this.host.requestUpdate();
  }
}

/** Panels that a link can select (`panels=chart,group`). */
export const PANELS = [
  'chart',
  'curves',
  'controls',
  'group',
  'rule',
  'inspector',
  'truth',
  'python',
  'log',
  'runs',
] as const;
export type Panel = (typeof PANELS)[number];

/** Target in the list of panels. Both kinds of charts share one target. */
export type Target = Exclude<Panel, 'chart'> | 'share' | 'words';

/** Event that requests a part of the page. */
export class GoEvent extends CustomEvent<Target> {
  constructor(target: Target) {
    super('go', { detail: target, bubbles: true, composed: true });
  }
}

/** Panels that do not belong to the Playground. */
export const INSPECTOR_PANELS = ['inspector', 'truth', 'python'] as const satisfies readonly Panel[];
export type InspectorPanel = (typeof INSPECTOR_PANELS)[number];

/** Panels of the Playground. */
export const PLAYGROUND_PANELS: readonly Panel[] = PANELS.filter(
  (panel) => !INSPECTOR_PANELS.some((inspectorPanel) => inspectorPanel === panel),
);

/**
 * Returns the panels of a section of the page. The Playground shows all panels of the link, including Inspector panels.
 * @param chosen panels of the link; empty for the default panels
 * @param isIsolated true if the page has no links to other sections; its default is all panels, as in older embedded
 *   pages
 */
export function panelsAt(section: ViewName, chosen: readonly Panel[], isIsolated = false): readonly Panel[] {
  if (section === 'python') return ['python'];
  if (section === 'inspect') {
    const selected = INSPECTOR_PANELS.filter((panel) => chosen.includes(panel));
    return selected.length > 0 ? selected : ['inspector', 'truth'];
  }
  if (chosen.length > 0) return chosen;
  return isIsolated ? PANELS : PLAYGROUND_PANELS;
}

/**
 * Returns true if a page starts training when it opens. A page with only the Python panel reserves the device for
 * Python. A user who opens another view has not requested a run.
 */
export function trainsOnOpen(chosen: readonly Panel[], hash: string): boolean {
  return chosen.join() !== 'python' && readViewAddress(hash).view === 'play';
}
