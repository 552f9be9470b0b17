import { readViewAddress, type ViewName } from './viewAddress.ts';

/** The parts of the page that a link can choose (`panels=chart,group`). */
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

/** Panels that do not belong to the Playground. */
export const INSPECTOR_PANELS = ['inspector', 'truth', 'python'] as const satisfies readonly Panel[];
export type InspectorPanel = (typeof INSPECTOR_PANELS)[number];

/** Panels of the Playground: the panels that belong to the run. */
export const PLAYGROUND_PANELS: readonly Panel[] = PANELS.filter(
  (panel) => !INSPECTOR_PANELS.some((inspectorPanel) => inspectorPanel === panel),
);

/**
 * Returns the panels of a place. The Playground shows the panels of the link, also those of the Inspector; without a choice its own.
 * @param chosen by the link; none for no choice
 * @param isIsolated there is no way to other places: a frame of the time before there were places has all panels
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
 * True if a page trains immediately when it opens. A page with only the Python panel leaves the machine to Python, and
 * a user who opens the Inspector requested no run.
 */
export function trainsOnOpen(chosen: readonly Panel[], hash: string): boolean {
  return chosen.join() !== 'python' && readViewAddress(hash).view === 'play';
}
