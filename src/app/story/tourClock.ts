import type { TourScene, TourState } from '../../environments/tour.ts';

/** Action of the page when a scene begins, or when the condition of a scene is met. */
export interface TourAct {
  readonly press?: 'shared' | 'separate';
  readonly training?: 'play' | 'pause';
}

/**
 * Position in the scenes of a tour. Times are arguments [ms], so that tests need no clock.
 * With `isStill`, no scene ends automatically, and the run trains only in scenes that wait for training.
 */
export class TourClock {
  private index = 0;
  private startedAt: number;
  private isTrained = false;

  constructor(
    private readonly scenes: readonly TourScene[],
    readonly isStill: boolean,
    now: number,
  ) {
    this.startedAt = now;
  }

  /** Current scene; undefined after the last scene. */
  get scene(): TourScene | undefined {
    return this.scenes[this.index];
  }

  /** Number of the current scene, from 1. */
  get number(): number {
    return this.index + 1;
  }

  get count(): number {
    return this.scenes.length;
  }

  /** Returns the elapsed share of the current scene, 0 to 1. */
  progress(now: number): number {
    return Math.min(1, (now - this.startedAt) / (1000 * (this.scene?.seconds ?? 1)));
  }

  /** Returns the action at the start of the current scene. */
  begin(): TourAct {
    const { scene } = this;
    const press = scene?.press ? { press: scene.press } : {};
    const trains = !this.isStill || scene?.until !== undefined;
    return { ...press, training: trains ? 'play' : 'pause' };
  }

  /** Moves to the next scene. */
  next(now: number): void {
    this.index += 1;
    this.startedAt = now;
    this.isTrained = false;
  }

  /**
   * Ends the current scene if its time is over or its condition `until` is met.
   * @returns `next` if the scene ended. With `isStill`, a pause of the training once the condition is met. Otherwise
   * undefined
   */
  tick(now: number, state: TourState): 'next' | TourAct | undefined {
    const { scene } = this;
    if (!scene) return undefined;
    const isOver = this.progress(now) >= 1 || (scene.until?.(state) ?? false);
    if (!isOver) return undefined;
    if (!this.isStill) {
      this.next(now);
      return 'next';
    }
    if (!scene.until || this.isTrained) return undefined;
    this.isTrained = true;
    return { training: 'pause' };
  }
}
