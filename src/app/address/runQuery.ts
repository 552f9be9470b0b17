import type { RunConfiguration } from '../../training/data/configuration.ts';
import type { SavedRun } from '../../training/data/protocol.ts';
import { runName } from '../runs/naming.ts';
import { linkOf } from './link.ts';
import { DEFAULT_VIEW, writeUrl } from './url.ts';

/** Returns the query of a run, independent of the view. Storage identifies runs by this query. */
export function queryOf(configuration: RunConfiguration): string {
  return writeUrl(configuration, DEFAULT_VIEW);
}

/** Returns true if a run's link matches a query. A query without an engine matches all engines. */
export function matchesQuery(link: string, query: string): boolean {
  return link === query || link.replace(/&engine=[^&]*/, '') === query;
}

/** Returns the list entry of a saved run. */
export function describe(saved: SavedRun): { name: string; link: string } {
  return { name: runName(saved), link: queryOf(linkOf(saved)) };
}
