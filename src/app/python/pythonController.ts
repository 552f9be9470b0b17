import { Sandbox } from '@turnwise/python-sandbox/sandbox';
import type { Job, ProgramResult } from '@turnwise/python-sandbox/types';
import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** State of the Python interpreter. */
export type Stage =
  | { readonly name: 'loading'; readonly bytes: number; readonly total: number | undefined }
  | { readonly name: 'starting' }
  | { readonly name: 'ready'; readonly seconds: number }
  | { readonly name: 'failed'; readonly reason: string };

/** Sandbox of the Python panel. It starts to load when the panel is connected, and closes when the panel is removed. */
export class PythonController implements ReactiveController {
  stage: Stage = { name: 'loading', bytes: 0, total: undefined };
  private sandbox: Promise<Sandbox> | undefined;
  private cancelling: AbortController | undefined;

  /** @param since returns the time at which the user opened the panel, on the clock of the page [ms] */
  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly since: () => number,
  ) {
    host.addController(this);
  }

  get running(): boolean {
    return this.cancelling !== undefined;
  }

  hostConnected(): void {
    this.boot(this.since());
  }

  hostDisconnected(): void {
    this.cancel();
    this.end();
  }

  /** Loads the sandbox again after a failure. */
  again(): void {
    this.end();
    this.boot(performance.now());
  }

  /**
   * Runs jobs and returns their results [jobs]. Returns undefined if the user cancelled the jobs or Python failed; the
   * stage then has the reason. A new call cancels the previous one.
   */
  async run(jobs: readonly Job[]): Promise<readonly ProgramResult[] | undefined> {
    this.cancel();
    if (this.stage.name === 'failed') this.again();
    const cancelling = new AbortController();
    const { signal } = cancelling;
    this.cancelling = cancelling;
    this.host.requestUpdate();
    try {
      const sandbox = await this.sandbox;
      signal.throwIfAborted();
      return await sandbox?.run(jobs, { signal });
    } catch (error) {
      if (!signal.aborted) this.fail(error);
      return undefined;
    } finally {
      if (this.cancelling === cancelling) this.cancelling = undefined;
      this.host.requestUpdate();
    }
  }

  cancel(): void {
    this.cancelling?.abort();
    this.cancelling = undefined;
  }

  private boot(since: number): void {
    this.setStage({ name: 'loading', bytes: 0, total: undefined });
    const opening = this.open();
    this.sandbox = opening;
    const setStage = (stage: Stage) => this.sandbox === opening && this.setStage(stage);
    opening
      .then((sandbox) => sandbox.ready())
      .then(
        () => setStage({ name: 'ready', seconds: (performance.now() - since) / 1000 }),
        (error) => this.sandbox === opening && this.fail(error),
      );
  }

  /** Starts a sandbox. The text of the worker is long, so it loads separately from the editor. */
  private async open(): Promise<Sandbox> {
    const { createPageSource } = await import('@turnwise/python-sandbox/host/page');
    const platform = createPageSource(1, (bytes, total) => {
      if (this.stage.name === 'loading') this.setStage({ name: 'loading', bytes, total });
    });
    platform.parts().then(
      () => this.stage.name === 'loading' && this.setStage({ name: 'starting' }),
      (error) => this.fail(error),
    );
    return new Sandbox(platform, { workers: 1 });
  }

  private end(): void {
    this.sandbox?.then(
      (sandbox) => sandbox.close(),
      () => {},
    );
    this.sandbox = undefined;
  }

  /** Shows the first failure, because it causes later ones. */
  private fail(error: unknown): void {
    if (this.stage.name === 'failed') return;
    this.setStage({ name: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }

  private setStage(stage: Stage): void {
    this.stage = stage;
    this.host.requestUpdate();
  }
}
