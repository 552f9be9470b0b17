/** The parts of the page that a link can choose (`panels=chart,group`). */
export const PANELS = ['chart', 'curves', 'controls', 'group', 'inspector', 'truth', 'python', 'log', 'runs'] as const;
export type Panel = (typeof PANELS)[number];
