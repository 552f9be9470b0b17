import type { Detection, DetectorName } from './detectors.ts';

/** Heading of docs/learn/why.md that describes what a detection means, why it happens and what helps. */
export const HEADINGS: Readonly<Record<DetectorName, string>> = {
  collapse: 'Collapse and recovery',
  recovery: 'Collapse and recovery',
  shortcut: 'Shortcut',
  'over-use': 'Over-use',
  ties: 'Ties everywhere',
  'entropy collapse': 'Entropy collapse',
  diverging: 'Diverging',
};

/** A detection as a line of the terminal: what happened, and where it is explained. */
export function detectionLine({ step, since, name, text, rule }: Detection): string {
  const section = HEADINGS[name].toLowerCase().replaceAll(' ', '-');
  const arithmetic = rule ? `, turnwise rules ${rule}` : '';
  const from = since === undefined ? '' : ` (since step ${since})`;
  return `step ${step}${from}: ${text} (docs/learn/why.md#${section}${arithmetic})`;
}
