import type { RunConfiguration } from '../../training/data/configuration.ts';
import type { SavedRun } from '../../training/data/protocol.ts';
import { runName } from '../runs/naming.ts';
import { linkOf } from './link.ts';
import { DEFAULT_VIEW, writeUrl } from './url.ts';

/** The query of a run, whatever is shown of it: storage knows runs by it. */
export function queryOf(configuration: RunConfiguration): string {
  return writeUrl(configuration, DEFAULT_VIEW);
}

/** True if a run with this link is one that a query asks for. A query without an engine accepts every engine. */
export function matchesQuery(link: string, query: string): boolean {
  return link === query || link.replace(/&engine=[^&]*/, '') === query;
}

/** Returns the list entry of a saved run. */
export function describe(saved: SavedRun): { name: string; link: string } {
  return { name: runName(saved), link: queryOf(linkOf(saved)) };
}
