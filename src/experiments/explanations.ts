import type { Detection, DetectorName } from './detectors.ts';

/** Heading of the section of docs/learn/why.md that explains a detection: its meaning, its causes and remedies. */
export const HEADINGS: Readonly<Record<DetectorName, string>> = {
  collapse: 'Collapse and recovery',
  recovery: 'Collapse and recovery',
  shortcut: 'Shortcut',
  'over-use': 'Over-use',
  ties: 'Ties everywhere',
  'entropy collapse': 'Entropy collapse',
  diverging: 'Diverging',
};

/** Formats a detection as a line for the terminal: the event, and a reference to its explanation. */
export function detectionLine({ step, since, name, text, rule }: Detection): string {
  const section = HEADINGS[name].toLowerCase().replaceAll(' ', '-');
  const arithmetic = rule ? `, turnwise rules ${rule}` : '';
  const from = since === undefined ? '' : ` (since step ${since})`;
  return `step ${step}${from}: ${text} (docs/learn/why.md#${section}${arithmetic})`;
}
