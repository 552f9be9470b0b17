import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import { RECENT, type TourPart, type TourScene, type TourState } from '../../environments/story.ts';
import { ruleTitle, sharesInRollout } from '../address/pageTables.ts';
import { recordedChange } from '../curves/chartMarks.ts';
import { pageEvent } from '../look/pageEvent.ts';
import { base } from '../look/styles.ts';
import type { RunModel } from '../session/runModel.ts';
import { storyStrings } from '../strings/storyStrings.ts';

/** Interval between two checks of the run [ms]. */
const TICK_MS = 200;

/** State of the page in a scene of the tour. */
export interface StoryStage {
  /** Highlighted part of the group's picture; null if the chart is highlighted. */
  readonly part: TourPart | null;
  /** Rule whose credit the picture shows; empty for the active rule. */
  readonly preview: string;
  /** Rule that the page activates when the scene begins. */
  readonly press?: string;
  /** Training action at the start of the scene. */
  readonly training?: 'play' | 'pause';
}

/** Event at the start of a scene, with its state of the page; null at the end of the tour. */
export class StageEvent extends pageEvent<StoryStage | null>('stage') {}

/**
 * Guided tour of a run: a bar at the bottom of the window with the captions of the environment's scenes. The page
 * highlights the subject of a scene and operates its real controls. With reduced motion, each scene ends when the user
 * presses Next.
 * @fires stage when a scene begins or its training ends, and at the end of the tour (StageEvent)
 */
@customElement('tw-story')
export class StoryBar extends LitElement {
  static override styles = [
    base,
    css`
      :host { position: fixed; inset-inline: 0; bottom: 0; z-index: 16; pointer-events: none; }
      section { pointer-events: auto; display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.375rem 1rem; align-items: center;
        box-sizing: border-box; width: min(52rem, 100%); margin: 0 auto; padding: 0.75rem 1rem; border: 1px solid var(--line-2);
        border-bottom: 0; border-radius: 12px 12px 0 0; color: var(--ink); background: var(--surface);
        box-shadow: 0 -6px 28px rgb(0 0 0 / 0.22); }
      p { min-height: 2lh; display: flex; align-items: center; font-size: 1.25rem; font-weight: 600; line-height: 1.3;
        text-wrap: pretty; font-variant-numeric: tabular-nums; }
      .steer { display: flex; flex-wrap: wrap; gap: 0.375rem; align-items: center; justify-content: end; }
      .progress { grid-column: 1 / -1; display: flex; gap: 0.25rem; height: 4px; }
      .progress i { flex: 1; border-radius: 2px; background: linear-gradient(to right, var(--accent) calc(100% * var(--done)), var(--line-2) 0); }
      @media (max-width: 640px) {
        section { grid-template-columns: minmax(0, 1fr); gap: 0.375rem; padding: 0.5rem 0.75rem; }
        p { font-size: 1.0625rem; }
      }
      @media (forced-colors: active) { .progress i { border: 1px solid CanvasText; } }
      @media print { :host { display: none; } }
    `,
  ];

  @property({ attribute: false }) run!: RunModel;
  @state() private clock: TourClock | undefined;
  /** Time of the tour [ms]. It does not advance while the page is hidden. */
  @state() private now = 0;
  private lastTick = 0;
  private timer: ReturnType<typeof setInterval> | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.timer = setInterval(this.tick, TICK_MS);
    this.lastTick = performance.now();
    addEventListener('keydown', this.escape);
    const { tour } = ENVIRONMENTS[this.run.configuration.environment];
    tour?.().then(
      (scenes) => void this.start(scenes),
      () => this.dispatchEvent(new StageEvent(null)),
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
    removeEventListener('keydown', this.escape);
  }

  protected override render() {
    const { clock, now } = this;
    const scene = clock?.scene;
    if (!clock || !scene) return nothing;
    const texts = storyStrings;
    const done = (number: number) => (number < clock.number ? 1 : number > clock.number ? 0 : clock.progress(now));
    return html`<section aria-label=${texts.label}>
      <p role="status"><span>${scene.caption(this.state)}</span></p>
      <span class="steer">
        <button class="primary" @click=${this.next}>${texts.next}</button>
        <button @click=${this.end}>${texts.stop}</button>
      </span>
      <span class="progress" role="img" aria-label=${texts.number(clock.number, clock.count)}>
        ${Array.from({ length: clock.count }, (_, index) => html`<i style=${`--done: ${done(index + 1)}`}></i>`)}
      </span>
    </section>`;
  }

  private get state(): TourState {
    const { group, controls, metrics, events } = this.run;
    const [shared, separate] = this.toggle.map(ruleTitle);
    const since = events.findLast(({ changes }) => 'rule' in changes)?.step ?? 0;
    const recent = metrics.slice(-RECENT).filter(({ step, rule }) => step >= since && rule === controls.rule);
    const isRecorded = typeof recordedChange(this.run) === 'number';
    return { attempts: group?.rollouts.length ?? 8, shared, separate, isRecorded, recent };
  }

  /** The two rules of the toggle: the first has one advantage per rollout, the second has one per turn. */
  private get toggle(): readonly [shared: string, separate: string] {
    const [first, second] = ENVIRONMENTS[this.run.configuration.environment].pinned;
    return sharesInRollout(first) ? [first, second] : [second, first];
  }

  private async start(scenes: readonly TourScene[]): Promise<void> {
    if (!this.isConnected) return;
    this.clock = new TourClock(scenes, matchMedia('(prefers-reduced-motion: reduce)').matches, this.now);
    const [, separate] = this.toggle;
    this.begin(this.run.controls.rule === separate ? undefined : separate);
    await this.updateComplete;
    this.renderRoot.querySelector('button')?.focus();
  }

  /** @param first rule to activate before the first scene; undefined if it is active already */
  private begin(first?: string): void {
    const { clock } = this;
    const scene = clock?.scene;
    if (!clock || !scene) {
      this.end();
      return;
    }
    const [shared, separate] = this.toggle;
    const names = { shared, separate };
    const { press, training } = clock.begin();
    const rule = press ? names[press] : first;
    this.dispatchEvent(
      new StageEvent({
        ...{ part: scene.part ?? null, preview: scene.preview ? names[scene.preview] : '' },
        ...(rule === undefined ? {} : { press: rule }),
        ...(training === undefined ? {} : { training }),
      }),
    );
    this.requestUpdate();
  }

  private tick = (): void => {
    const time = performance.now();
    if (!document.hidden) this.now += time - this.lastTick;
    this.lastTick = time;
    const { clock } = this;
    const scene = clock?.scene;
    if (!clock || !scene) return;
    const act = clock.tick(this.now, this.state);
    if (act === 'next') this.begin();
    else if (act?.training) {
      const { training } = act;
      this.dispatchEvent(new StageEvent({ part: scene.part ?? null, preview: '', training }));
    }
  };

  private next = (): void => {
    this.clock?.next(this.now);
    this.begin();
  };

  private end = (): void => {
    this.clock = undefined;
    this.dispatchEvent(new StageEvent(null));
  };

  private escape = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.defaultPrevented) this.end();
  };
}

/** Action of the page when a scene begins, or when the condition of a scene is met. */
interface TourAct {
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
