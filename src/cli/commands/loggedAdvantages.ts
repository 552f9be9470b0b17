import { normalize, PROFILES } from '../../credit/arithmetic/normalize.ts';
import { mean, standardDeviation } from '../../credit/arithmetic/statistics.ts';
import { type Group, trajectories } from '../../rollouts/forest.ts';

/** One rollout of a log with the advantages that the trainer logged. */
interface Logged {
  readonly source: string;
  readonly outcome: number;
  /** Of the rollout, or of each turn. */
  readonly advantages: readonly number[];
  /** Logged numbers within one turn that differ. */
  readonly uneven: string | undefined;
}

/** How a trainer may have computed advantages. */
export interface Agreement {
  readonly name: string;
  readonly groups: number;
  /** Groups whose logged advantages agree. */
  readonly equal: number;
  /** The first rollout that does not agree. */
  readonly first: { readonly source: string; readonly logged: number; readonly expected: number } | undefined;
}

/** Relative difference up to which logged float32 numbers agree. */
const TOLERANCE = 2e-5;
/** Added to the deviation of a batch: TRL's `scale_rewards="batch"`, and verl's whitening. */
const BATCH_EPSILON = 1e-4;
const WHITENING_EPSILON = 1e-8;

/** Returns [groups][rollouts]: the expected advantages of a batch. */
type Scheme = (batch: readonly (readonly number[])[]) => readonly (readonly number[])[];

const PROFILE_SCHEMES: Readonly<Record<string, Scheme>> = Object.fromEntries(
  Object.entries(PROFILES).map(([name, profile]) => [
    `profile ${name}`,
    (batch: readonly (readonly number[])[]) => batch.map((rewards) => [...normalize(rewards, profile).advantage]),
  ]),
);

const SCHEMES: Readonly<Record<string, Scheme>> = {
  ...PROFILE_SCHEMES,
  'centred in the group, divided by the deviation of the batch': (batch) => {
    const deviation = standardDeviation(batch.flat(), 1) + BATCH_EPSILON;
    return batch.map((rewards) =>
      [...normalize(rewards, PROFILES['dr-grpo']).advantage].map((value) => value / deviation),
    );
  },
  'normalised in the group, then over the batch': (batch) => {
    const normalized = batch.map((rewards) => [...normalize(rewards, PROFILES.verl).advantage]);
    const [center, deviation] = [mean(normalized.flat()), standardDeviation(normalized.flat(), 1) + WHITENING_EPSILON];
    return normalized.map((advantages) => advantages.map((advantage) => (advantage - center) / deviation));
  },
};

/** Compares logged advantages with those of outcomes under each scheme of normalising. A batch is the groups of a step. */
export class LoggedAdvantages {
  private readonly batches = new Map<unknown, Logged[][]>();
  /** Groups without logged advantages. */
  without = 0;

  see(group: Group): void {
    const logged = trajectories(group).map((path, index) => loggedOf(group, path, index));
    if (logged.some(({ advantages }) => advantages.length === 0)) {
      this.without++;
      return;
    }
    const batch = this.batches.get(group.step) ?? [];
    batch.push(logged);
    this.batches.set(group.step, batch);
  }

  /** The schemes, those that agree with most groups first. */
  agreements(): readonly Agreement[] {
    // Over one group, the deviation of the batch is that of the group.
    const several = [...this.batches.values()].some(({ length }) => length > 1);
    const schemes = Object.entries(SCHEMES).filter(([name]) => several || name in PROFILE_SCHEMES);
    const agreements = schemes.map(([name, scheme]) => this.agreement(name, scheme));
    return agreements.sort((a, b) => b.equal - a.equal);
  }

  /** The first turn whose logged tokens have different advantages. */
  uneven(): string | undefined {
    return [...this.batches.values()].flat(2).find(({ uneven }) => uneven !== undefined)?.uneven;
  }

  private agreement(name: string, scheme: Scheme): Agreement {
    let [groups, equal] = [0, 0];
    let first: Agreement['first'];
    for (const batch of this.batches.values()) {
      const expected = scheme(batch.map((group) => group.map(({ outcome }) => outcome)));
      batch.forEach((group, at) => {
        groups++;
        const wrong = group.flatMap(({ source, advantages }, index) => {
          const value = expected[at][index];
          const logged = advantages.find(
            (number) => Math.abs(number - value) > TOLERANCE * Math.max(1, Math.abs(value)),
          );
          return logged === undefined ? [] : [{ source, logged, expected: value }];
        });
        if (wrong.length === 0) equal++;
        first ??= wrong[0];
      });
    }
    return { name, groups, equal, first };
  }
}

function loggedOf({ id, turns }: Group, path: readonly number[], index: number): Logged {
  const last = turns[path[path.length - 1]];
  const source = `group ${id}, rollout ${index + 1}`;
  let uneven: string | undefined;
  const advantages = path.flatMap((turn, at) => {
    const { advantage, advantages: tokens } = turns[turn];
    const values = [Array.isArray(tokens) ? tokens : [], advantage].flat().filter((value) => typeof value === 'number');
    if (values.some((value) => value !== values[0])) uneven ??= `${source}, turn ${at + 1}`;
    return values.slice(0, 1);
  });
  return { source, outcome: last.outcome ?? 0, advantages, uneven };
}
