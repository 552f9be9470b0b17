import type { LineKey } from '../environments/chart.ts';
import type { WatchedLines } from '../environments/descriptor.ts';
import type { Metrics } from '../metrics/metricTable.ts';
import { mean } from './statistics.ts';

/** Values of an update that the detectors read: metrics of the table, environment metrics and held-out metrics. */
export type DetectedUpdate = Pick<Metrics, 'step'> & Partial<Omit<Metrics, 'step'>>;

export type DetectorName =
  | 'collapse'
  | 'recovery'
  | 'shortcut'
  | 'over-use'
  | 'ties'
  | 'entropy collapse'
  | 'diverging';

/** Event of a run, for example loss of a skill, that its metrics show. */
export interface Detection {
  /** Update at which the condition is first met. */
  readonly step: number;
  /** Update of the values that the text compares with; absent if the text compares no values. */
  readonly since?: number;
  readonly name: DetectorName;
  /** Description for people, with the numbers that show the event. */
  readonly text: string;
  /** Active credit rule; absent if the updates do not name it. */
  readonly rule?: string;
}

/** Number of consecutive updates that a value averages, because the metrics of one batch are noisy. */
const WINDOW = 3;
/** Number of consecutive updates that a value averages if a single spike must not count. */
const LASTING = 5;
/** A skill is lost if it falls below LOST after it was above RECOVERED. It recovers if it rises above RECOVERED. */
const LOST = 0.1;
const RECOVERED = 0.5;
/** Minimum rise of the training accuracy and minimum fall of the held-out accuracy, in two consecutive measurements. */
const RISEN = 0.1;
const FALLEN = 0.15;
/** Share of tied groups above which a detection is reported, and share below which training is normal again. */
const TIED = 0.9;
const UNTIED = 0.5;
/**
 * Bounds of the entropy [nats per token] of a policy that no longer explores and of a policy that explores again. The
 * entropy of a warm start may already be low. Each bound is therefore at most the given share of the initial entropy.
 */
const SURE = 0.05;
const UNSURE = 0.2;
const SURE_SHARE = 0.25;
const UNSURE_SHARE = 0.5;
/** Bounds of the KL divergence from the warm start [nats per token]. It stays below NEAR in runs that learn. */
const FAR = 4;
const NEAR = 2;

/** Detects events of a run. The updates must be passed in the order of their steps. */
export class Detectors {
  private readonly skill: Hysteresis | undefined;
  private readonly repeated: Hysteresis | undefined;
  private readonly ties = new Hysteresis('degenerate', { over: TIED, under: UNTIED }, LASTING);
  private readonly entropy = new Certainty();
  private readonly distance = new Hysteresis('klReferenceK1', { over: FAR, under: NEAR }, LASTING);
  private readonly answers: Divergence | undefined;

  constructor(private readonly watched: WatchedLines = {}) {
    const { skill, repeated, answers } = watched;
    this.skill = skill && new Hysteresis(skill.line, { over: RECOVERED, under: LOST }, WINDOW);
    this.repeated =
      repeated && new Hysteresis(repeated.line, { over: repeated.maximum, under: repeated.usual }, LASTING);
    this.answers = answers && new Divergence(answers.training, answers.heldOut);
  }

  /** Returns the detections that are new at an update. */
  see(update: DetectedUpdate): readonly Detection[] {
    const { step, rule } = update;
    const { skill, repeated } = this.watched;
    const detections: Detection[] = [];
    const report = (name: DetectorName, text: string, since?: number) =>
      detections.push({ step, ...(since === undefined ? {} : { since }), name, text, ...(rule ? { rule } : {}) });

    const transition = this.skill?.see(update);
    if (skill && transition?.to === 'under') {
      const { best, at } = transition;
      report('collapse', `Collapse: ${skill.called} fell from ${two(best)} to ${two(transition.value)}.`, at);
    }
    if (skill && transition?.to === 'over' && transition.from === 'under') {
      report(
        'recovery',
        `Recovery: ${skill.called} is back at ${two(transition.value)}, from ${two(transition.worst)}.`,
      );
    }
    const parted = this.answers?.see(update);
    if (parted) {
      const { training, heldOut, since } = parted;
      report(
        'shortcut',
        `Shortcut: training accuracy rose from ${two(training[0])} to ${two(training[1])}, and held-out accuracy fell ` +
          `from ${two(heldOut[0])} to ${two(heldOut[1])}.`,
        since,
      );
    }
    const often = this.repeated?.see(update);
    if (repeated && often?.to === 'over') {
      const right = read(update, repeated.answers);
      report(
        'over-use',
        `Over-use: ${often.value.toFixed(1)} ${repeated.called}, with ${two(right)} of the answers right.`,
      );
    }
    const tied = this.ties.see(update);
    if (tied?.to === 'over') {
      report('ties', `Ties everywhere: ${percent(tied.value)} of the groups have equal rewards and give no gradient.`);
    }
    const sure = this.entropy.see(update);
    if (sure?.to === 'under') {
      report('entropy collapse', `Entropy collapse: ${two(sure.value)} nats per token. The policy no longer explores.`);
    }
    const far = this.distance.see(update);
    if (far?.to === 'over') {
      report('diverging', `Diverging: ${far.value.toFixed(1)} nats per token from the starting policy.`);
    }
    return detections;
  }
}

/**
 * Returns the events of a run, in the order of the updates.
 * @param watched metrics of the environment that the detectors read
 */
export function detect(watched: WatchedLines | undefined, updates: readonly DetectedUpdate[]): Detection[] {
  const detectors = new Detectors(watched);
  return updates.flatMap((update) => detectors.see(update));
}

type Side = 'over' | 'under';

/** Crossing of a bound to the other side. */
interface Crossing {
  readonly from: Side | undefined;
  readonly to: Side;
  /** Mean over the window at the crossing. */
  readonly value: number;
  /**
   * Largest mean since the last crossing to `under`, its step, and the smallest mean since the last crossing to `over`.
   */
  readonly best: number;
  readonly at: number;
  readonly worst: number;
}

/** Detects crossings of a moving average. Between the two bounds, the side does not change. */
class Hysteresis {
  private readonly last: number[] = [];
  private side: Side | undefined;
  private best = -Infinity;
  private at = 0;
  private worst = Infinity;

  /** @param window number of updates that the moving average covers */
  constructor(
    private readonly line: LineKey,
    private readonly bounds: Readonly<Record<Side, number>>,
    private readonly window: number,
  ) {}

  /** Returns the crossing that an update completes, if any. */
  see(update: DetectedUpdate): Crossing | undefined {
    const value = read(update, this.line);
    if (!Number.isFinite(value)) return undefined;
    this.last.push(value);
    if (this.last.length > this.window) this.last.shift();
    if (this.last.length < this.window) return undefined;
    const smooth = mean(this.last);
    if (smooth > this.best) [this.best, this.at] = [smooth, update.step];
    this.worst = Math.min(this.worst, smooth);
    const { over, under } = this.bounds;
    const to = smooth > over ? 'over' : smooth < under ? 'under' : this.side;
    const from = this.side;
    if (to === undefined || to === from) return undefined;
    const { best, at, worst } = this;
    this.side = to;
    if (to === 'under') this.best = -Infinity;
    else this.worst = Infinity;
    return { from, to, value: smooth, best, at, worst };
  }
}

/** Detects crossings of the entropy. The bounds depend on the mean entropy of the first updates. */
class Certainty {
  private readonly first: number[] = [];
  private watched: Hysteresis | undefined;

  see(update: DetectedUpdate): Crossing | undefined {
    const value = read(update, 'entropy');
    if (!this.watched && Number.isFinite(value)) this.first.push(value);
    if (!this.watched && this.first.length === LASTING) {
      const initial = mean(this.first);
      const bounds = { over: Math.min(UNSURE, UNSURE_SHARE * initial), under: Math.min(SURE, SURE_SHARE * initial) };
      this.watched = new Hysteresis('entropy', bounds, LASTING);
    }
    return this.watched?.see(update);
  }
}

/** Held-out accuracy of a measurement, and the training accuracy at its step. */
interface Measured {
  readonly step: number;
  readonly training: number;
  readonly heldOut: number;
}

/** Detects that the training accuracy rises while the held-out accuracy falls. */
class Divergence {
  private readonly last: number[] = [];
  private best: Measured | undefined;
  private parted = false;
  private isReported = false;

  constructor(
    private readonly training: LineKey,
    private readonly heldOut: LineKey,
  ) {}

  see(update: DetectedUpdate):
    | {
        readonly since: number;
        readonly training: readonly [number, number];
        readonly heldOut: readonly [number, number];
      }
    | undefined {
    const value = read(update, this.training);
    if (Number.isFinite(value)) this.last.push(value);
    if (this.last.length > WINDOW) this.last.shift();
    const heldOut = read(update, this.heldOut);
    if (!Number.isFinite(heldOut) || this.last.length < WINDOW) return undefined;
    const now = { step: update.step, training: mean(this.last), heldOut };
    if (!this.best || heldOut >= this.best.heldOut) {
      this.best = now;
      this.isReported = false;
      return undefined;
    }
    const { best } = this;
    const parted = best.heldOut - heldOut >= FALLEN && now.training - best.training >= RISEN;
    const again = this.parted;
    this.parted = parted;
    if (this.isReported) {
      // If held-out accuracy recovers half of its best value, a later fall is reported again.
      if (!parted && heldOut > best.heldOut / 2) [this.best, this.isReported] = [now, false];
      return undefined;
    }
    if (!parted || !again) return undefined;
    this.isReported = true;
    return { since: best.step, training: [best.training, now.training], heldOut: [best.heldOut, heldOut] };
  }
}

/**
 * Returns the value of a line; NaN if the update lacks it. Files of `train --out` have facts without the table prefix.
 */
function read(update: DetectedUpdate, line: LineKey): number {
  const [table, name] = line.split(':') as [string, string | undefined];
  const flat = update as Readonly<Record<string, unknown>>;
  if (name === undefined) return number(flat[table]);
  const values = table === 'fact' ? update.facts : update.heldOut;
  return number(values?.[name] ?? (table === 'fact' ? flat[name] : undefined));
}

const number = (value: unknown) => (typeof value === 'number' ? value : Number.NaN);
const two = (value: number) => value.toFixed(2);
const percent = (value: number) => `${Math.round(100 * value)} %`;

/** Heading of the section of docs/learn/why.md that explains a detection: its meaning, its causes and remedies. */
export const HEADINGS: Readonly<Record<DetectorName, string>> = {
  collapse: 'Collapse and recovery',
  recovery: 'Collapse and recovery',
  shortcut: 'Shortcut',
  'over-use': 'Over-use',
  ties: 'Ties everywhere',
  'entropy collapse': 'Entropy collapse',
  diverging: 'Diverging',
};

/** Formats a detection as a line for the terminal: the event, and a reference to its explanation. */
export function detectionLine({ step, since, name, text, rule }: Detection): string {
  const section = HEADINGS[name].toLowerCase().replaceAll(' ', '-');
  const arithmetic = rule ? `, turnwise rules ${rule}` : '';
  const from = since === undefined ? '' : ` (since step ${since})`;
  return `step ${step}${from}: ${text} (docs/learn/why.md#${section}${arithmetic})`;
}
