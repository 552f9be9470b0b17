import { openRunStore } from '../../storage/indexedRunStore.ts';
import type { RunStore } from '../../storage/runStore.ts';
import { download } from '../runs/download.ts';
import { BrowserTabs, type Tabs } from '../runs/tabs.ts';
import type { SessionFactory } from '../session/pageSession.ts';
import { openWorker } from '../session/workerSession.ts';

/** Services outside of the page; a test passes other implementations. */
export interface Outside {
  openStore(): Promise<RunStore>;
  readonly openWorker: SessionFactory;
  readonly tabs: Tabs;
  /** Downloads a file for the user. */
  readonly download: typeof download;
}

/** The browser that the page is in. */
export function browser(): Outside {
  return { openStore: openRunStore, openWorker, tabs: new BrowserTabs(), download };
}
