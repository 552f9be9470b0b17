import { mean, type Normalization, normalize, PROFILES, standardDeviation } from '../credit/arithmetic/normalize.ts';
import { square } from '../numbers/exponential.ts';

/** Rewards of a group, as the schemes read them. */
export interface RewardGroup {
  /** [rollouts] outcome of each rollout. */
  readonly outcomes: readonly number[];
  /** [rollouts] number of turns of each rollout. */
  readonly turns: readonly number[];
  /** Outcomes of rollouts that have no turns. */
  readonly withoutTurn: readonly number[];
  /** Number of rollouts without a reward. */
  readonly unscored: number;
}

/** Method by which a trainer computes advantages from the outcomes of a batch, which is all groups of a step. */
export interface Scheme {
  readonly name: string;
  /** Explanation of a known error of trainers, with the issue that reports it; absent for a correct scheme. */
  readonly cause?: string;
  /** True if the last turn of a rollout has the advantage and all earlier turns have 0. */
  readonly isLastTurn?: boolean;
  /** Returns true if the scheme can differ from earlier schemes on a batch. */
  applies(batch: readonly RewardGroup[]): boolean;
  /** Computes [groups][rollouts] the advantages. */
  advantages(batch: readonly RewardGroup[]): readonly (readonly number[])[];
}

/** Constants added to the standard deviation of a batch: TRL's `scale_rewards="batch"`, and verl's whitening. */
const BATCH_EPSILON = 1e-4;
const WHITENING_EPSILON = 1e-8;

type Profile = keyof typeof PROFILES;
const NAMES = Object.keys(PROFILES) as Profile[];
/** One profile of each kind of arithmetic. They suffice for errors that do not depend on the profile. */
const VARIANTS = ['trl', 'verl', 'rllm', 'dr-grpo'] as const satisfies readonly Profile[];

const always = () => true;
const severalGroups = (batch: readonly RewardGroup[]) => batch.length > 1;
const severalTurns = (batch: readonly RewardGroup[]) => batch.some(({ turns }) => turns.some((count) => count > 1));

/** Returns a function that applies `advantages` to each group of a batch. */
const byGroup = (advantages: (group: RewardGroup) => readonly number[]) => (batch: readonly RewardGroup[]) =>
  batch.map(advantages);

/** Normalises outcomes by the mean and standard deviation of a sample that contains them. */
function normalizedBy(
  sample: readonly number[],
  outcomes: readonly number[],
  profile: Normalization,
): readonly number[] {
  if (outcomes.every((value) => value === sample[0]) && sample.every((value) => value === sample[0]))
    return outcomes.map(() => 0);
  const center = mean(sample);
  const divisor = profile.scale === 'std' ? standardDeviation(sample, profile.ddof) + profile.epsilon : 1;
  return outcomes.map((value) => (value - center) / divisor);
}

const ofProfile = (profile: Profile) =>
  byGroup(({ outcomes }) => [...normalize(outcomes, PROFILES[profile]).advantage]);

const PROFILE_SCHEMES: readonly Scheme[] = NAMES.map((profile) => ({
  ...{ name: `profile ${profile}`, applies: always },
  advantages: ofProfile(profile),
}));

const BATCH_SCHEMES: readonly Scheme[] = [
  {
    name: 'centred in the group, divided by the deviation of the batch',
    applies: severalGroups,
    advantages(batch) {
      const deviation =
        standardDeviation(
          batch.flatMap(({ outcomes }) => outcomes),
          1,
        ) + BATCH_EPSILON;
      return ofProfile('dr-grpo')(batch).map((group) => group.map((value) => value / deviation));
    },
  },
  {
    name: 'normalised in the group, then over the batch',
    applies: severalGroups,
    advantages(batch) {
      const normalized = ofProfile('verl')(batch);
      const [center, deviation] = [
        mean(normalized.flat()),
        standardDeviation(normalized.flat(), 1) + WHITENING_EPSILON,
      ];
      return normalized.map((advantages) => advantages.map((advantage) => (advantage - center) / deviation));
    },
  },
  { name: 'the reward itself', applies: always, advantages: byGroup(({ outcomes }) => outcomes) },
];

/** Creates a scheme for each profile in VARIANTS. */
function variants(
  name: string,
  cause: string,
  applies: Scheme['applies'],
  advantages: (group: RewardGroup, profile: Normalization) => readonly number[],
): readonly Scheme[] {
  return VARIANTS.map((profile) => ({
    ...{ name: `${name}, profile ${profile}`, cause, applies },
    advantages: byGroup((group) => advantages(group, PROFILES[profile])),
  }));
}

const ERRORS: readonly Scheme[] = [
  ...variants(
    'rows as rollouts',
    'a rollout with several rows counts once for each row in the mean of its group (slime #2302, verl-agent #138)',
    severalTurns,
    ({ outcomes, turns }, profile) =>
      normalizedBy(
        outcomes.flatMap((outcome, at) => new Array<number>(turns[at]).fill(outcome)),
        outcomes,
        profile,
      ),
  ),
  ...variants(
    'rollouts without a turn in the mean',
    'a rollout without tokens of the policy shifts the mean of its group (OpenRLHF #1239)',
    (batch) => batch.some(({ withoutTurn }) => withoutTurn.length > 0),
    ({ outcomes, withoutTurn }, profile) => normalizedBy([...outcomes, ...withoutTurn], outcomes, profile),
  ),
  ...variants(
    'rollouts without a reward count as 0',
    'a rollout that could not be scored counts as 0 in the mean of its group (TRL before it masked such rewards)',
    (batch) => batch.some(({ unscored }) => unscored > 0),
    ({ outcomes, unscored }, profile) =>
      normalizedBy([...outcomes, ...new Array<number>(unscored).fill(0)], outcomes, profile),
  ),
  {
    name: 'epsilon under the root',
    cause: 'epsilon is added to the variance, so groups with close rewards get advantages near 0 (verl #6348)',
    applies: always,
    advantages: byGroup(({ outcomes }) => {
      const [center, deviation] = [mean(outcomes), standardDeviation(outcomes, 1)];
      return outcomes.map((value) => (value - center) / Math.sqrt(square(deviation) + PROFILES.verl.epsilon));
    }),
  },
  ...(['trl', 'dr-grpo', undefined] as const).map(
    (profile): Scheme => ({
      name: `last turn only, ${profile ? `profile ${profile}` : 'the reward itself'}`,
      cause: 'the return becomes 0 at tokens of the environment, so earlier turns get no credit (verl #6376)',
      isLastTurn: true,
      applies: severalTurns,
      advantages: profile ? ofProfile(profile) : byGroup(({ outcomes }) => outcomes),
    }),
  ),
  ...(['trl', 'dr-grpo'] as const).map(
    (profile): Scheme => ({
      name: `all prompts as one group, profile ${profile}`,
      cause: 'the mean is that of all prompts of the step, so easy prompts are paid and hard prompts are blamed',
      applies: severalGroups,
      advantages(batch) {
        const all = batch.flatMap(({ outcomes }) => outcomes);
        return batch.map(({ outcomes }) => normalizedBy(all, outcomes, PROFILES[profile]));
      },
    }),
  ),
];

/** All schemes: correct schemes, followed by known errors. */
export const SCHEMES: readonly Scheme[] = [...PROFILE_SCHEMES, ...BATCH_SCHEMES, ...ERRORS];
