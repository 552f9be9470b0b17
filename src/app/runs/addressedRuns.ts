import type { KeptRun } from '../../storage/runStore.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { queryOf } from '../address/runQuery.ts';
import type { UrlController } from '../address/urlController.ts';
import type { RunLanes } from '../lanes/runLanes.ts';
import type { SessionController } from '../session/sessionController.ts';
import type { StorageController } from './storageController.ts';

/** What finding the runs of an address needs of the page's runs. */
export interface AddressHost {
  readonly url: UrlController;
  readonly session: SessionController;
  readonly storage: StorageController;
  readonly lanes: RunLanes;
  /** A run was begun or resumed since the address was last looked at. */
  begun(): boolean;
  /** The run of another address is still to come: what was chosen for the one before does not hold. */
  leave(): void;
  notice(notices: readonly string[]): void;
  /** Tells whether it was still wanted. */
  goOnWith(kept: KeptRun, wanted: () => boolean): Promise<boolean>;
  /** @param play unless the visitor has chosen otherwise meanwhile */
  begin(configuration: RunConfiguration, play: boolean): void;
}

/** The runs that an address means: found when the page opens, and when Back or Forward come to another entry. */
export class AddressedRuns {
  /** Grows whenever the run of an address is looked for: an answer about an earlier address comes too late. */
  private looking = 0;

  constructor(private readonly page: AddressHost) {}

  /** @param play whether a new run plays */
  open(play: boolean): Promise<void> {
    return this.come(++this.looking, play);
  }

  /** Back or Forward came to the address of another run: it goes on where it was left. */
  async travel(): Promise<void> {
    const { session, storage } = this.page;
    const { plays } = session;
    const looking = ++this.looking;
    this.page.leave();
    // What is left last may be what is asked for.
    await session.handedOver;
    await storage.written;
    if (!this.page.begun() && looking === this.looking) await this.come(looking, plays);
  }

  /** Begins what the address means: the kept run that wrote it or that it makes, or a new one. */
  private async come(looking: number, play: boolean): Promise<void> {
    const { page } = this;
    const { url, session, storage, lanes } = page;
    const { configuration, notices, others } = url.reading;
    const query = queryOf(configuration);
    const latest = await storage.latest(query, url.runId);
    // Of several runs any may have been kept last.
    const kept = latest ?? (others.length > 0 ? await storage.find(query, []) : undefined);
    // The visitor chose another one meanwhile.
    const wanted = () => !page.begun() && looking === this.looking;
    if (!wanted()) return;
    // The page wrote this address: what it could not hold is in the kept run.
    page.notice(kept && kept.summary.id === url.runId ? [] : notices);
    if (!kept) page.begin(configuration, play);
    else if (!(await page.goOnWith(kept, wanted))) return;
    await lanes.come(others, session.plays);
  }
}
