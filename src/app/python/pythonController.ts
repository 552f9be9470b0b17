import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { Sandbox } from '../../sandbox/sandbox.ts';
import type { Job, ProgramResult } from '../../sandbox/types.ts';

/** Progress of the interpreter. */
export type Stage =
  | { readonly name: 'loading'; readonly bytes: number; readonly total: number | undefined }
  | { readonly name: 'starting' }
  | { readonly name: 'ready'; readonly seconds: number }
  | { readonly name: 'failed'; readonly reason: string };

/** The page's sandbox for as long as its panel is there: begins to load when it comes, and ends its workers when it goes. */
export class PythonController implements ReactiveController {
  stage: Stage = { name: 'loading', bytes: 0, total: undefined };
  private sandbox: Promise<Sandbox> | undefined;
  private cancelling: AbortController | undefined;

  /** @param since time at which the user requested Python, on the page's clock */
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

  /** Another try after a failure. */
  again(): void {
    this.end();
    this.boot(performance.now());
  }

  /**
   * Runs jobs and returns their verdicts [jobs]. Returns undefined if the run was cancelled, or if Python does not run;
   * the stage then gives the reason. One run at a time: a new run cancels a running one.
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

  /** A sandbox that has begun to start. The worker's text is long: the editor does not wait for it. */
  private async open(): Promise<Sandbox> {
    const { createPageSource } = await import('../../sandbox/host/page.ts');
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

  /** The first failure says most: the others come of it. */
  private fail(error: unknown): void {
    if (this.stage.name === 'failed') return;
    this.setStage({ name: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }

  private setStage(stage: Stage): void {
    this.stage = stage;
    this.host.requestUpdate();
  }
}
