import type { ClaimTest, PairedTest } from '../../environments/claim.ts';
import type { Arm, Findings } from '../compare/findings.ts';
import { settingsOf } from '../compare/findings.ts';
import { differencesOf, type Elsewhere, type Paired, pairsOf } from '../compare/pairedClaims.ts';
import { seedsVerdict } from '../compare/standardClaims.ts';
import { switchRows, switchVerdicts } from '../compare/switchTable.ts';
import { holm, type SpreadParts, spreadParts } from '../inference/inference.ts';
import { bootstrapInterval, improvement, interquartileMean } from '../inference/resampling.ts';
import { type Judgement, judge, LEVEL, type Status } from './judge.ts';

/** How far one side is above the other, at a seed. */
export interface Difference {
  readonly seed: number;
  readonly world: number;
  readonly difference: number;
}

/** What the numbers say of one test of two arms, or of an arm and a number. */
export interface PairedOutcome {
  readonly kind: 'paired';
  readonly test: PairedTest;
  readonly higher: string;
  readonly lower: string;
  readonly differences: readonly Difference[];
  readonly judgement: Judgement;
  /** Interquartile mean of the differences, and its 95 % interval by a bootstrap, inside each world where it has two seeds. */
  readonly iqm: { readonly mean: number; readonly low: number; readonly high: number };
  /** Probability that a run of the one is above a run of the other in the same world. */
  readonly improvement: number;
  readonly spread: SpreadParts;
}

/** What the numbers say of a test that counts seeds. */
export interface CountedOutcome {
  readonly kind: 'counted';
  readonly statement: string;
  readonly found: string;
  readonly status: Status;
}

export type Outcome = PairedOutcome | CountedOutcome;

/**
 * The outcomes of an experiment's tests, where there are runs for them.
 * @param elsewhere finds another experiment of the claim by its name
 */
export function outcomesOf(
  tests: readonly ClaimTest[],
  findings: Findings,
  arms: readonly Arm[],
  seeds: readonly number[],
  elsewhere?: (name: string) => Elsewhere | undefined,
): readonly Outcome[] {
  const runs = findings.runs.filter(({ seed }) => seeds.includes(seed));
  const asked = { ...findings, runs };
  return tests.flatMap((test): readonly Outcome[] => {
    if (test.kind === 'paired') return pairsOf(test, arms, elsewhere).flatMap((paired) => pairedOutcome(paired, asked));
    return countedOutcome(test, asked, arms, seeds.length);
  });
}

function pairedOutcome(paired: Paired, findings: Findings): readonly PairedOutcome[] {
  const { test, higher, lower } = paired;
  const differences = differencesOf(paired, findings).map((one) => ({ ...one, world: worldOf(findings, one.seed) }));
  if (differences.length === 0) return [];
  const strata = inWorlds(differences);
  const values = differences.map(({ difference }) => difference);
  // A world with one seed has nothing to resample: the seeds are drawn from all worlds together then.
  const drawn = strata.every((members) => members.length > 1) ? strata : [values];
  const [low, high] = bootstrapInterval(drawn, interquartileMean);
  const name = (side: Paired['higher']) => (typeof side === 'number' ? String(side) : side.name);
  return [
    {
      ...{ kind: 'paired', test, higher: name(higher), lower: name(lower), differences },
      judgement: judge(test, values),
      iqm: { mean: interquartileMean(values), low, high },
      improvement: improvement(sidesOf(paired, findings)),
      spread: spreadParts(strata),
    },
  ];
}

/** Seeds take turns in worlds (`settingsOf`); without worlds of their own all are in one. */
function worldOf({ plan }: Findings, seed: number): number {
  return plan.worlds > 1 ? Number(settingsOf(plan, seed).worldSeed) : 0;
}

/** [worlds][seeds of it] */
function inWorlds(differences: readonly Difference[]): number[][] {
  const worlds = [...new Set(differences.map(({ world }) => world))].sort((a, b) => a - b);
  return worlds.map((world) => differences.filter((one) => one.world === world).map(({ difference }) => difference));
}

/**
 * [worlds][one, other] what the runs of both sides have, for the probability of improvement. A difference of differences
 * is held against 0.
 */
function sidesOf(paired: Paired, findings: Findings): (readonly [number[], number[]])[] {
  const { test, higher, lower, less } = paired;
  const { lowerOf: _, less: __, ...plain } = test;
  const side = (arm: Paired['higher'], of: PairedTest['of']) =>
    differencesOf({ test: { ...plain, of }, higher: arm, lower: 0 }, findings);
  const one = less ? differencesOf(paired, findings) : side(higher, test.of);
  const other = less ? one.map(({ seed }) => ({ seed, difference: 0 })) : side(lower, test.lowerOf ?? test.of);
  const inWorld = (values: typeof one, world: number) =>
    values.filter(({ seed }) => worldOf(findings, seed) === world).map(({ difference }) => difference);
  const seeds = one.map(({ seed }) => seed).filter((seed) => other.some((each) => each.seed === seed));
  return [...new Set(seeds.map((seed) => worldOf(findings, seed)))].map((world) => [
    inWorld(one, world),
    inWorld(other, world),
  ]);
}

/** Counted tests say whether enough seeds did it; `compare` calls that reproduced. */
function countedOutcome(
  test: Exclude<ClaimTest, { kind: 'paired' }>,
  findings: Findings,
  arms: readonly Arm[],
  seeds: number,
): readonly CountedOutcome[] {
  const own = test.kind === 'seeds' ? findings.runs.filter(({ arm }) => arm.name === test.rule) : [];
  const verdicts =
    test.kind === 'switch'
      ? switchVerdicts([test], switchRows(findings, arms), findings.plan, { seeds, undecided: undefined })
      : own.length > 0
        ? [seedsVerdict(test, own, seeds, undefined)]
        : [];
  return verdicts.map(({ statement, status, found }) => ({
    ...{ kind: 'counted', statement, found },
    status: status === 'reproduced' ? 'appears' : status === 'not reproduced' ? 'does not appear' : status,
  }));
}

/** Probabilities corrected together, and what is left of the verdicts: one that does not hold is undecided. */
export function corrected(judgements: readonly Pick<Judgement, 'status' | 'probability'>[]) {
  const adjusted = holm(judgements.map(({ probability }) => probability));
  return judgements.map(({ status }, index) => ({
    probability: adjusted[index],
    status: adjusted[index] <= LEVEL ? status : ('undecided' as const),
  }));
}
