import type { Message, Metrics, SavedRun } from '../../training/data/protocol.ts';

/** Interface of a session that storage uses; narrow, so that a test can substitute it. */
export interface SavingSession {
  listen(listener: (message: Message, runId: string) => void): unknown;
}

/** Notifications to storage about the sessions that it follows, by the ids of their runs. */
export interface Follower {
  /** Writes all pending data now, because a run is paused or sends no more updates. */
  flush(): void;
  /** A run has begun. */
  onStart(): void;
  updated(id: string, row: Metrics): void;
  onHandover(id: string, saved: SavedRun, isTraining: boolean): void;
}

/** Status of a session that storage follows. */
interface Followed {
  isTraining: boolean;
  runId: string | undefined;
}

/** Sessions whose runs are saved, several side by side. A session is removed when it sends no more updates. */
export class Following {
  private readonly all = new Set<Followed>();

  constructor(private readonly follower: Follower) {}

  /** Ids of the runs that continue. */
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
