import { openRunStore } from '../../storage/indexedRunStore.ts';
import type { RunStore } from '../../storage/runStore.ts';
import { download } from '../runs/download.ts';
import { BrowserTabs, type Tabs } from '../runs/tabs.ts';
import type { SessionFactory } from '../session/pageSession.ts';
import { openWorker } from '../session/workerSession.ts';

/** What lies outside of the page; a test brings its own. */
export interface Outside {
  openStore(): Promise<RunStore>;
  readonly openWorker: SessionFactory;
  readonly tabs: Tabs;
  /** Hands a file to the visitor. */
  readonly give: typeof download;
}

/** The browser that the page is in. */
export function browser(): Outside {
  return { openStore: openRunStore, openWorker, tabs: new BrowserTabs(), give: download };
}
