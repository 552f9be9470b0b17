import type { TourScene, TourState } from '../../environments/tour.ts';

/** Action of the page when a scene begins, or when the training that it waits for is done. */
export interface TourAct {
  readonly press?: 'shared' | 'separate';
  readonly training?: 'play' | 'pause';
}

/**
 * Position in the scenes of a tour. Time is an argument, so that a test needs no clock.
 * With `isStill` no scene ends by itself, and the run trains only in scenes that wait for it.
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

  /** The present scene; undefined after the last one. */
  get scene(): TourScene | undefined {
    return this.scenes[this.index];
  }

  /** Number of the present scene, from 1. */
  get number(): number {
    return this.index + 1;
  }

  get count(): number {
    return this.scenes.length;
  }

  /** Elapsed share of the present scene. */
  progress(now: number): number {
    return Math.min(1, (now - this.startedAt) / (1000 * (this.scene?.seconds ?? 1)));
  }

  /** Acts of the present scene when it begins. */
  begin(): TourAct {
    const { scene } = this;
    const press = scene?.press ? { press: scene.press } : {};
    const trains = !this.isStill || scene?.until !== undefined;
    return { ...press, training: trains ? 'play' : 'pause' };
  }

  /** Goes to the next scene. */
  next(now: number): void {
    this.index += 1;
    this.startedAt = now;
    this.isTrained = false;
  }

  /**
   * Ends the present scene if its time is over or what it waits for has happened.
   * @returns `next` if another scene begins, or the act at the end of the training of a still scene
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
