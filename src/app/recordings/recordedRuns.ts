import type { ReactiveControllerHost } from 'lit';
import type { RecordedRun, Recording } from '../../storage/recordingFile.ts';
import type { Recorded } from '../../training/data/recorded.ts';
import type { UrlReading } from '../address/url.ts';
import type { RunLanes } from '../lanes/runLanes.ts';
import type { SessionController } from '../session/sessionController.ts';
import { strings } from '../strings/strings.ts';
import { loadRecording } from './loadRecording.ts';
import {
  asksForRun,
  FIRST_RECORDING,
  findRecording,
  nearestRecording,
  notPlayed,
  pairing,
  type RunsTogether,
} from './nearestRecording.ts';
import { RecordedSession } from './recordedSession.ts';

/** A recording that plays. */
export interface PlayedRecording {
  readonly recorded: Recorded;
  /** Updates that there are of each run. */
  readonly length: number;
  /** What the visitor's link asks for and is not played. */
  readonly notPlayed: readonly string[];
}

/** What recorded runs need of the page. */
export interface RecordedRunsHost {
  readonly host: ReactiveControllerHost;
  readonly session: SessionController;
  readonly lanes: Pick<RunLanes, 'closeAll' | 'watch'>;
  tell(notice: string): void;
}

/** Chooses the recording that plays, loads it, and goes about in it. */
export class RecordedRuns {
  playing: PlayedRecording | undefined;
  /** The visitor chose a recording, so the address may say which one plays. */
  chosen = false;
  /** Recordings that were asked for; the last one counts, however long each takes to load. */
  private asked = 0;
  /** The one that plays, the runs in their order on the page. */
  private recording: Recording | undefined;

  constructor(private readonly page: RecordedRunsHost) {}

  /** Plays what comes nearest to the runs of a link. @param search the query that they were read from */
  open({ configuration, others }: Pick<UrlReading, 'configuration' | 'others'>, search: string): Promise<void> {
    const runs: RunsTogether = [configuration, ...others];
    const first = asksForRun(search) ? undefined : findRecording(FIRST_RECORDING);
    return first ? this.play(first) : this.play(nearestRecording(runs), runs);
  }

  /** Plays another one, which the visitor chose. */
  choose(recorded: Recorded): Promise<void> {
    this.chosen = true;
    return this.play(recorded);
  }

  /** The page's element was away: the recording stands at its beginning. */
  again(): void {
    if (this.recording) this.show(this.recording, false);
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

  private async play(recorded: Recorded, asked?: RunsTogether): Promise<void> {
    const own = ++this.asked;
    const { tell, host } = this.page;
    try {
      const recording = await loadRecording(recorded.name);
      if (own !== this.asked) return;
      const missing = asked ? notPlayed(asked, configurationsOf(recording)) : [];
      this.playing = { recorded, length: recording[0].metrics.length, notPlayed: missing };
      this.show(asked ? inOrder(recording, asked) : recording, true);
      host.requestUpdate();
    } catch (error) {
      if (own === this.asked)
        tell(strings.noWebgpu.noRecording(error instanceof Error ? error.message : String(error)));
    }
  }

  private show(recording: Recording, play: boolean): void {
    const { session, lanes, tell } = this.page;
    const [first, ...others] = configurationsOf(recording);
    this.recording = recording;
    lanes.closeAll();
    session.open((hear) => new RecordedSession(recording, hear, () => tell(strings.recording.cannot)));
    session.begin(first, { play });
    lanes.watch(others, play);
  }
}

function configurationsOf([first, ...others]: Recording): RunsTogether {
  return [first.configuration, ...others.map(({ configuration }) => configuration)];
}

/** The runs that a link asks for in its order, then what else there is. */
function inOrder(recording: Recording, asked: RunsTogether): Recording {
  const wanted = pairing(asked, configurationsOf(recording)).filter((place) => place !== undefined);
  const places = new Set([...wanted, ...recording.keys()]);
  const [first = recording[0], ...others] = [...places].map((place) => recording[place] as RecordedRun);
  return [first, ...others];
}
