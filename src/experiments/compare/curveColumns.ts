import type { SpreadColumn } from './compared.ts';
import { meanOf } from './findings.ts';

/** The mean of a curve over all updates of a run, or over a quarter of them. */
export const curveColumn = (
  name: string,
  title: string,
  format: SpreadColumn['format'],
  part?: 'first' | 'last',
): SpreadColumn => ({
  name: part ? `${name}:${part}` : name,
  title,
  format,
  of: (run) => meanOf(run, name, part),
});

/** Shares of the time of an update. Waiting for programs is told apart from the rest of generation. */
export const TIMES: readonly SpreadColumn[] = [
  curveColumn('stepMs', 'ms an update', 'number'),
  {
    name: 'generating',
    title: 'generating',
    format: 'share',
    of: (run) => (meanOf(run, 'generateMs') - meanOf(run, 'executeMs')) / meanOf(run, 'stepMs'),
  },
  {
    name: 'executing',
    title: 'executing',
    format: 'share',
    of: (run) => meanOf(run, 'executeMs') / meanOf(run, 'stepMs'),
  },
  {
    name: 'updating',
    title: 'updating',
    format: 'share',
    of: (run) => meanOf(run, 'updateMs') / meanOf(run, 'stepMs'),
  },
];
