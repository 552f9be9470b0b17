import type { Arm, ArmRun, Findings, Measured } from '../../experiments/compare/findings.ts';
import {
  ARM,
  type Check,
  EARLIER_ARM_RESULT,
  EARLIER_ARM_RUN,
  EARLIER_BASE_RESULT,
  EARLIER_BASE_RUN,
  LATER_TEXT,
  listOf,
  RULE_ENTRY,
} from './findingsCheck.ts';

// Files that `compare` wrote before there was one comparison for all environments: `turnwise-comparison` 1 of the search
// environment, `turnwise-arms` 1 of those that run programs. Both go on to be read, and the next run is kept in today's.

type Entries = Readonly<Record<string, unknown>>;

/** How a file of findings is read. */
export interface FileFormat {
  readonly format: string;
  readonly formatVersion: number;
  /** The plan as one of today. */
  readonly plan: (plan: Entries) => Entries;
  /** What must be in the file, beside the plan. */
  readonly entries: Readonly<Record<string, Check>>;
  /** The findings, where `entries` found nothing wrong. */
  readonly read: (found: Entries) => Omit<Findings, 'plan'> & {
    readonly arms: readonly Arm[];
    readonly device?: string;
  };
}

interface SearchArms {
  readonly plan: { readonly freshWarmStart?: boolean };
  readonly base: readonly { readonly warmSeed: number; readonly digest: string; readonly rates: Measured }[];
  readonly arms: readonly (Omit<ArmRun, 'arm'> & { readonly rule: string })[];
  readonly rules?: readonly string[];
  readonly device?: string;
}

const SEARCH: FileFormat = {
  format: 'turnwise-comparison',
  formatVersion: 1,
  plan: ({ baseEpisodes: base, heldOutEpisodes: heldOut, ...plan }) => ({
    environment: 'search',
    ...plan,
    measuring: { base, heldOut },
  }),
  entries: {
    base: listOf(EARLIER_BASE_RESULT),
    arms: listOf(EARLIER_ARM_RESULT),
    rules: (value, path) => (value === undefined ? undefined : listOf(RULE_ENTRY)(value, path)),
    device: LATER_TEXT,
  },
  read(found) {
    const { plan, base, arms, rules = [], device = '' } = found as unknown as SearchArms;
    const armOf = (rule: string): Arm => ({ name: rule, rule, changes: {} });
    // A warm start of all seeds was measured by the first run that began with it.
    const seedOf = (warmSeed: number, digest: string) =>
      plan.freshWarmStart ? warmSeed : (arms.find((arm) => arm.digest === digest)?.seed ?? 1);
    return {
      base: base.map(({ warmSeed, digest, rates }) => ({ seed: seedOf(warmSeed, digest), digest, measured: rates })),
      runs: arms.map(({ rule, ...run }) => ({ arm: armOf(rule), ...run })),
      arms: rules.map(armOf),
      device,
    };
  },
};

interface ProgramArms {
  readonly digest?: string;
  readonly base: readonly { readonly seed: number; readonly heldOut: Measured }[];
  readonly runs: readonly Omit<ArmRun, 'digest'>[];
  readonly arms: readonly Arm[];
  readonly device?: string;
}

const PROGRAMS: FileFormat = {
  format: 'turnwise-arms',
  formatVersion: 1,
  plan: ({ samples, problems, sampling, ...plan }) => ({
    freshWarmStart: false,
    ...plan,
    measuring: { samples, problems, ...(sampling as object | undefined) },
  }),
  entries: {
    digest: LATER_TEXT,
    base: listOf(EARLIER_BASE_RUN),
    runs: listOf(EARLIER_ARM_RUN),
    arms: listOf(ARM),
    device: LATER_TEXT,
  },
  read(found) {
    const { digest = '', base, runs, arms, device = '' } = found as unknown as ProgramArms;
    return {
      base: base.map(({ seed, heldOut }) => ({ seed, digest, measured: heldOut })),
      runs: runs.map((run) => ({ ...run, digest })),
      arms,
      device,
    };
  },
};

/** Formats of earlier versions. */
export const EARLIER: readonly FileFormat[] = [SEARCH, PROGRAMS];
