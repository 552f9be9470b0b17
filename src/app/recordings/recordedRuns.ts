import type { ReactiveControllerHost } from 'lit';
import type { RunConfiguration } from '../../training/data/configuration.ts';
import type { Preset } from '../../training/data/presets.ts';
import type { SessionController } from '../session/sessionController.ts';
import { strings } from '../strings/strings.ts';
import { loadRecording } from './loadRecording.ts';
import { asksForRun, FIRST_RECORDING, findPreset, nearestRecording, notPlayed } from './nearestRecording.ts';
import { RecordedSession } from './recordedSession.ts';

/** A recording that plays. */
export interface PlayedRecording {
  readonly preset: Preset;
  /** Updates that there are. */
  readonly length: number;
  /** What the visitor's link asks for and is not played. */
  readonly notPlayed: readonly string[];
}

/** What recorded runs need of the page. */
export interface RecordedRunsHost {
  readonly host: ReactiveControllerHost;
  readonly session: SessionController;
  tell(notice: string): void;
}

/** Chooses the recording that plays, loads it, and goes about in it. */
export class RecordedRuns {
  playing: PlayedRecording | undefined;
  /** The visitor chose a recording, so the address may say which one plays. */
  chosen = false;
  /** Recordings that were asked for; the last one counts, however long each takes to load. */
  private asked = 0;

  constructor(private readonly page: RecordedRunsHost) {}

  /** Plays what comes nearest to a link. @param search the query that it was read from */
  open(configuration: RunConfiguration, search: string): Promise<void> {
    const first = asksForRun(search) ? undefined : findPreset(FIRST_RECORDING);
    return first ? this.play(first) : this.play(nearestRecording(configuration), configuration);
  }

  /** Plays another one, which the visitor chose. */
  choose(preset: Preset): Promise<void> {
    this.chosen = true;
    return this.play(preset);
  }

  /** Goes to where so many updates are done. */
  seek(step: number): void {
    const { session } = this.page.session;
    if (session instanceof RecordedSession) session.seek(step);
  }

  /** One update back, paused. */
  back(): void {
    const { session } = this.page;
    session.send({ type: 'pause' });
    this.seek(session.model.step - 1);
  }

  private async play(preset: Preset, asked?: RunConfiguration): Promise<void> {
    const own = ++this.asked;
    const { session, tell, host } = this.page;
    try {
      const recording = await loadRecording(preset.name);
      if (own !== this.asked) return;
      const { configuration, metrics } = recording;
      const missing = asked ? notPlayed(asked, configuration) : [];
      this.playing = { preset, length: metrics.length, notPlayed: missing };
      session.open((hear) => new RecordedSession(recording, hear, () => tell(strings.recording.cannot)));
      session.begin(configuration, { play: true });
      host.requestUpdate();
    } catch (error) {
      if (own === this.asked)
        tell(strings.noWebgpu.noRecording(error instanceof Error ? error.message : String(error)));
    }
  }
}
