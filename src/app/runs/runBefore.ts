import type { KeptRun } from '../../storage/runStore.ts';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import { openingRun } from '../../training/data/worlds.ts';
import type { SessionController } from '../session/sessionController.ts';
import { strings } from '../strings/strings.ts';
import type { StorageController } from './storageController.ts';

/** How a page goes back to a run. */
interface WayBack {
  wanted(): boolean;
  begin(again: RunConfiguration): void;
  /** Tells whether it was still wanted. */
  goOnWith(kept: KeptRun, wanted: () => boolean): Promise<boolean>;
  tell(notice: string): void;
}

/** The run that was left for the present one, and the way back to it. */
export class RunBefore {
  private left: { readonly id: string; readonly link: RunConfiguration } | undefined;

  constructor(
    private readonly session: SessionController,
    private readonly storage: StorageController,
  ) {}

  /** Another run follows. One that never got past its own warm start is nothing to go back to. */
  leave(): void {
    const { model, id } = this.session;
    if (model.status !== 'warming' && model.status !== 'loading') this.left = { id, link: model.link };
  }

  /** The run as it was kept, and what begins it again where it was not. */
  private async find(): Promise<{ readonly kept: KeptRun | undefined; readonly again: RunConfiguration }> {
    const { left } = this;
    await this.storage.written;
    const summary = this.storage.runs.find(({ id }) => id === left?.id);
    const kept = summary && (await this.storage.load(summary));
    const { environment, engine } = this.session.model.configuration;
    return { kept, again: left?.link ?? { ...openingRun(environment), engine } };
  }

  /** Back to it, as it was kept or from its beginning, as long as that is wanted. */
  async goBack({ wanted, begin, goOnWith, tell }: WayBack): Promise<void> {
    const { kept, again } = await this.find();
    if (!wanted()) return;
    if (!kept) {
      begin(again);
      tell(strings.warming.cancelledFresh);
    } else if (await goOnWith(kept, wanted)) tell(strings.warming.cancelled(kept.saved.step));
  }
}
