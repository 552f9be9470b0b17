import { openRunStore } from '../../storage/indexedRunStore.ts';
import type { RunStore } from '../../storage/runStore.ts';
import { download } from '../look/download.ts';
import type { SessionFactory } from '../session/pageSession.ts';
import { openWorker } from '../session/workerSession.ts';
import { BrowserTabs, type Tabs } from './tabs.ts';

/** Services outside the page. Tests pass other implementations. */
export interface Outside {
  openStore(): Promise<RunStore>;
  readonly openWorker: SessionFactory;
  readonly tabs: Tabs;
  /** Downloads a file. */
  readonly download: typeof download;
}

/** Returns the services of the browser. */
export function browser(): Outside {
  return { openStore: openRunStore, openWorker, tabs: new BrowserTabs(), download };
}
