import type { Message, Metrics, SavedRun } from '../../training/data/protocol.ts';

/** Part of a session that storage uses. It is narrow so that a test can substitute it. */
export interface SavingSession {
  listen(listener: (message: Message, runId: string) => void): unknown;
}

/** Callbacks of storage for messages of the sessions. Runs are identified by their ids. */
export interface Follower {
  /** Writes all pending data now. Called when a run is paused or ends. */
  flush(): void;
  /** Called when a run has begun. */
  onStart(): void;
  updated(id: string, row: Metrics): void;
  onHandover(id: string, saved: SavedRun, isTraining: boolean): void;
}

/** Status of a session whose run is saved. */
interface Followed {
  isTraining: boolean;
  runId: string | undefined;
}

/** Sessions whose runs are saved. A session is removed when its worker leaves the run. */
export class Following {
  private readonly all = new Set<Followed>();

  constructor(private readonly follower: Follower) {}

  /** Ids of the runs of the present sessions. An id is undefined until its session sends `ready`. */
  get current(): ReadonlySet<string | undefined> {
    return new Set([...this.all].map(({ runId }) => runId));
  }

  add(session: SavingSession, runId?: string): void {
    const followed: Followed = { isTraining: false, runId };
    this.all.add(followed);
    session.listen((message, id) => this.onMessage(followed, message, id));
  }

  private onMessage(followed: Followed, message: Message, id: string): void {
    const { follower } = this;
    switch (message.type) {
      case 'status':
        followed.isTraining = message.status === 'playing';
        if (!followed.isTraining) follower.flush();
        break;
      case 'left':
        this.all.delete(followed);
        follower.flush();
        break;
      case 'ready':
        followed.runId = id;
        follower.onStart();
        break;
      case 'metrics':
        follower.updated(id, message.metrics);
        break;
      case 'checkpoint':
        follower.onHandover(id, message.saved, followed.isTraining);
        break;
      default:
    }
  }
}
