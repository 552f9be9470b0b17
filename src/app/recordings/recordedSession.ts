import type { Recording } from '../../storage/recordingFile.ts';
import type { Command, Message, Status } from '../../training/data/protocol.ts';
import type { Session } from '../session/pageSession.ts';
import { RecordedTelling } from './recordedTelling.ts';

/** Time between two recorded updates where no pace is asked for: as fast as it goes, all would be over at once. */
const STEP_MS = 160;

/** What would change a run. */
const REFUSED: ReadonlySet<Command['type']> = new Set(['change', 'drop-plan', 'sample', 'warm-start', 'measure-truth']);

/**
 * Plays a recording through the interface of a training session. It plays, pauses, goes to any step and begins again; what
 * would change the run is answered by `refuse`. The other runs of the recording are lanes beside this one, which goes about
 * in all of them: they stand at the same step always.
 */
export class RecordedSession implements Session {
  readonly kind = 'recorded';
  /** Updates that were told. */
  private at = 0;
  private status: Status = 'paused';
  private timer: ReturnType<typeof setTimeout> | undefined;
  private wanted = false;
  private hidden = false;
  private closed = false;
  /** Runs that are told; this session's own first. */
  private readonly told: Set<RecordedTelling>;
  /** Runs that were given to somebody. */
  private given = 1;

  constructor(
    private readonly recording: Recording,
    hear: (message: Message) => void,
    private readonly refuse: () => void = () => {},
    private stepMs = STEP_MS,
  ) {
    this.told = new Set([new RecordedTelling(recording[0], hear)]);
  }

  /** Updates that there are. */
  get length(): number {
    return this.recording[0].metrics.length;
  }

  /** The next run of the recording: it is told from its start on, and moves with this one. @throws {RangeError} where there is no other */
  lane(hear: (message: Message) => void): Session {
    const run = this.recording[this.given];
    if (!run) throw new RangeError(`the recording has ${this.recording.length} runs, and all are shown`);
    this.given += 1;
    const telling = new RecordedTelling(run, hear);
    return {
      kind: 'recorded',
      send: ({ type }) => {
        if (REFUSED.has(type)) this.refuse();
        else if (type === 'start') this.join(telling);
      },
      close: () => void this.told.delete(telling),
    };
  }

  private join(telling: RecordedTelling): void {
    this.told.add(telling);
    telling.begin(this.at);
    telling.tell({ type: 'status', status: this.status });
  }

  send(command: Command): void {
    switch (command.type) {
      case 'start':
        this.begin();
        this.wanted = command.play;
        break;
      case 'reset':
        this.wanted = false;
        this.rewind(0);
        break;
      case 'play':
        if (this.at >= this.length) this.rewind(0);
        this.wanted = true;
        break;
      case 'pause':
        this.wanted = false;
        break;
      case 'step':
        this.wanted = false;
        this.seek(this.at + 1);
        break;
      case 'visibility':
        this.hidden = command.hidden;
        break;
      case 'pace':
        this.stepMs = command.updatesPerSecond === null ? STEP_MS : 1000 / command.updatesPerSecond;
        return;
      default:
        if (REFUSED.has(command.type)) this.refuse();
        return;
    }
    this.run();
  }

  /** Goes to where so many updates are done, and plays on from there if it was playing. */
  seek(step: number): void {
    if (this.closed) return;
    const wanted = Math.max(0, Math.min(this.length, Math.round(step)));
    if (wanted < this.at) this.rewind(wanted);
    else this.advance(wanted);
    if (this.wanted) this.run();
  }

  close(): void {
    clearTimeout(this.timer);
    this.closed = true;
  }

  private begin(): void {
    this.at = 0;
    for (const run of this.told) run.begin(0);
  }

  private rewind(step: number): void {
    this.at = step;
    for (const run of this.told) run.rewind(step);
  }

  private advance(step: number): void {
    const before = this.at;
    this.at = Math.max(before, step);
    for (const run of this.told) run.advance(before, step);
  }

  private run(): void {
    clearTimeout(this.timer);
    if (this.closed) return;
    const going = this.wanted && !this.hidden;
    this.tell(going ? 'playing' : this.wanted ? 'hidden' : 'paused');
    if (going) this.timer = setTimeout(() => this.tick(), this.stepMs);
  }

  private tick(): void {
    this.advance(Math.min(this.length, this.at + 1));
    if (this.at < this.length) this.timer = setTimeout(() => this.tick(), this.stepMs);
    else {
      this.wanted = false;
      this.tell('paused');
    }
  }

  private tell(status: Status): void {
    this.status = status;
    for (const run of this.told) run.tell({ type: 'status', status });
  }
}
