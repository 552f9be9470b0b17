import type { RunConfiguration } from '../../training/configuration.ts';
import type { Command, Message, Status } from '../../training/protocol.ts';
import type { Session } from './session.ts';

/** A recorded run: what a worker once said, in order. */
export interface Recording {
  readonly configuration: RunConfiguration;
  readonly messages: readonly Message[];
}

/** Time between two recorded updates: slow enough to follow, whatever device made the recording. */
const STEP_MS = 160;

/** Messages that a recording replays; the rest is about the device of then. */
const REPLAYED: readonly Message['type'][] = ['metrics', 'event', 'group', 'warm-start'];

/**
 * Plays a recording through the interface of a training session. It plays, pauses, steps and begins again; what would
 * change the run is answered by `refuse`.
 */
export class RecordedSession implements Session {
  readonly kind = 'recorded';
  private next = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private wanted = false;
  private hidden = false;

  constructor(
    private readonly recording: Recording,
    private readonly hear: (message: Message) => void,
    private readonly refuse: () => void = () => {},
    private readonly stepMs = STEP_MS,
  ) {}

  send(command: Command): void {
    switch (command.type) {
      case 'start':
        this.begin();
        this.wanted = command.play;
        break;
      case 'reset':
        this.begin();
        break;
      case 'play':
        if (this.next >= this.recording.messages.length) this.begin();
        this.wanted = true;
        break;
      case 'pause':
        this.wanted = false;
        break;
      case 'step':
        this.wanted = false;
        this.advance();
        break;
      case 'visibility':
        this.hidden = command.hidden;
        break;
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

  close(): void {
    clearTimeout(this.timer);
    this.next = Number.POSITIVE_INFINITY;
  }

  private begin(): void {
    this.next = 0;
    this.wanted = false;
    const { configuration, messages } = this.recording;
    const recorded = messages.find((message) => message.type === 'ready');
    const device = recorded?.type === 'ready' ? recorded.device : { name: '', software: false };
    this.hear({ type: 'ready', configuration, device, step: 0 });
  }

  private run(): void {
    clearTimeout(this.timer);
    const going = this.wanted && !this.hidden;
    this.tell(going ? 'playing' : this.wanted ? 'hidden' : 'paused');
    if (going) this.timer = setTimeout(() => this.tick(), this.stepMs);
  }

  private tick(): void {
    if (this.advance()) this.timer = setTimeout(() => this.tick(), this.stepMs);
    else {
      this.wanted = false;
      this.tell('paused');
    }
  }

  /** Says everything up to and with the next update and its group; false at the end. */
  private advance(): boolean {
    const { messages } = this.recording;
    let updates = 0;
    while (this.next < messages.length) {
      const message = messages[this.next];
      if (!message) break;
      // What follows an update before the next event or update (its group) belongs to it.
      if (updates > 0 && (message.type === 'metrics' || message.type === 'event')) return true;
      this.next += 1;
      if (message.type === 'metrics') updates += 1;
      if (REPLAYED.includes(message.type)) this.hear(message);
    }
    return false;
  }

  private tell(status: Status): void {
    this.hear({ type: 'status', status });
  }
}

/**
 * Loads a recording.
 * @throws {Error} naming the reason, where the file is missing or no recording.
 */
export async function loadRecording(url: string, badFile: string): Promise<Recording> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`.trim());
  const recording: unknown = await response.json().catch(() => undefined);
  if (!isRecording(recording)) throw new Error(badFile);
  return recording;
}

function isRecording(value: unknown): value is Recording {
  const candidate = value as Partial<Recording> | undefined;
  return typeof candidate?.configuration === 'object' && Array.isArray(candidate.messages);
}
