import { readViewAddress, type ViewName } from './viewAddress.ts';

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
