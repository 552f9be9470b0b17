import type { Recording } from '../../storage/recordingFile.ts';
import type { Command, Message, Status } from '../../training/data/protocol.ts';
import type { Session } from '../session/pageSession.ts';

/** Time between two recorded updates where no pace is asked for: as fast as it goes, all would be over at once. */
const STEP_MS = 160;

/**
 * Plays a recording through the interface of a training session. It plays, pauses, goes to any step and begins again; what
 * would change the run is answered by `refuse`.
 */
export class RecordedSession implements Session {
  readonly kind = 'recorded';
  /** Updates that were told. */
  private at = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private wanted = false;
  private hidden = false;
  private closed = false;

  constructor(
    private readonly recording: Recording,
    private readonly hear: (message: Message) => void,
    private readonly refuse: () => void = () => {},
    private stepMs = STEP_MS,
  ) {}

  /** Updates that there are. */
  get length(): number {
    return this.recording.metrics.length;
  }

  send(command: Command): void {
    switch (command.type) {
      case 'start':
        this.rewind(0);
        this.tellEvents();
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
      case 'change':
      case 'drop-plan':
      case 'sample':
      case 'warm-start':
      case 'measure-truth':
        this.refuse();
        return;
      default:
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

  /** Tells where the run stands; whoever hears it forgets what comes after (RunModel). */
  private rewind(step: number): void {
    const { configuration, device } = this.recording;
    this.hear({ type: 'ready', configuration, device, step });
    this.at = step;
    this.tellGroup(0, step);
  }

  /** Tells everything as far as `step`: updates, what happened before them, and the last group. */
  private advance(step: number): void {
    const before = this.at;
    while (this.at < step) {
      const metrics = this.recording.metrics[this.at++];
      if (metrics) this.hear({ type: 'metrics', metrics });
      this.tellEvents();
    }
    this.tellGroup(before, step);
  }

  /** What happens before the next update: a run says so when it gets there. */
  private tellEvents(): void {
    for (const event of this.recording.events) if (event.step === this.at) this.hear({ type: 'event', event });
  }

  /** The last group of the updates from one to another. */
  private tellGroup(from: number, to: number): void {
    const group = this.recording.groups.findLast(({ step }) => step >= from && step < to);
    if (group) this.hear({ type: 'group', group });
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
    this.hear({ type: 'status', status });
  }
}
