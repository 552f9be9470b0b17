import type { Message, Metrics, SavedRun } from '../../training/data/protocol.ts';

/** What storage needs of a session; narrow, so that a test can stand in. */
export interface SavingSession {
  listen(listener: (message: Message, runId: string) => void): unknown;
}

/** What storage is told of the sessions that it follows, by the numbers of their runs. */
export interface Follower {
  /** A run stands, or nothing more comes of it: what is known of it is to be written now. */
  flush(): void;
  /** A run has begun. */
  begun(): void;
  updated(id: string, row: Metrics): void;
  handedOver(id: string, saved: SavedRun, playing: boolean): void;
}

/** What storage knows of a session. */
interface Followed {
  playing: boolean;
  runId: string | undefined;
}

/** The sessions whose runs are kept, several side by side, each until nothing more comes of it. */
export class Following {
  private readonly all = new Set<Followed>();

  constructor(private readonly follower: Follower) {}

  /** Numbers of the runs that go on. */
  get current(): ReadonlySet<string | undefined> {
    return new Set([...this.all].map(({ runId }) => runId));
  }

  add(session: SavingSession, runId?: string): void {
    const own: Followed = { playing: false, runId };
    this.all.add(own);
    session.listen((message, id) => this.hear(own, message, id));
  }

  private hear(own: Followed, message: Message, id: string): void {
    const { follower } = this;
    switch (message.type) {
      case 'status':
        own.playing = message.status === 'playing';
        if (!own.playing) follower.flush();
        break;
      case 'left':
        this.all.delete(own);
        follower.flush();
        break;
      case 'ready':
        own.runId = id;
        follower.begun();
        break;
      case 'metrics':
        follower.updated(id, message.metrics);
        break;
      case 'checkpoint':
        follower.handedOver(id, message.saved, own.playing);
        break;
      default:
    }
  }
}
