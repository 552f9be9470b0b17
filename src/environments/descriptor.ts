import type { NumberParameter, ParameterTable, ParameterValues } from '../parameters/parameters.ts';
import type { Turn, TurnField, TurnKind } from '../rollouts/forest.ts';
import type { EnvironmentCharts, LineKey, RunBands } from './chart.ts';
import type { EnvironmentComparison } from './declaredComparison.ts';
import type { EpisodeFact, UpdateFact } from './fact.ts';
import type { RunStory, TourScene } from './story.ts';
import type { FirstTurnKinds, WatchedTurns } from './watchedTurns.ts';

/**
 * Properties of an environment that code outside its folder uses before the environment exists. They are plain data and
 * small functions, light enough for the first chunk of the page. `open.ts` in the folder constructs the part that runs
 * episodes.
 *
 * Rules and training controls are referenced by name: an environment does not depend on credit or training.
 */
export interface EnvironmentDescriptor<Name extends string = string> {
  /** Name in links, files and flags, and name of the folder. */
  readonly name: Name;
  /** Title for users. */
  readonly title: string;
  /** Sentence above the picture: the task, and the question of credit. */
  readonly sentence: string;

  /** Settings of the world and its warm start. They are fixed from the first step of a run. */
  readonly settings: ParameterTable;
  /** Names of settings that do not affect the warm start: one checkpoint is valid for all their values. */
  readonly afterWarmStart: readonly string[];
  /**
   * Names of settings that later versions added. The name of a warm start contains such a setting only if it differs
   * from its default.
   */
  readonly addedSettings?: readonly string[];
  /**
   * Names of settings that arms of a comparison may change. Neither the warm start nor the measurements depend on them.
   */
  readonly armSettings?: readonly string[];
  /**
   * Named worlds in the order in which the page offers them; absent if there is only one world. Runs use the first
   * world by default. A link, file or command from a version without named worlds selects the world without settings.
   */
  readonly worlds?: readonly NamedWorld[];
  /** Rewards and other values of the environment that may change during a run. */
  readonly rewards: ParameterTable;
  /** Kind of the turns: `steps` towards one outcome, or `attempts`, each a complete answer with a separate score. */
  readonly turns: TurnKind;
  /** True if a run can continue one turn several times, so that rollouts form trees. */
  readonly trees: boolean;
  /**
   * Fields of a turn that a run has here, in addition to outcome, tokens, logProb and values, which all runs have. A
   * run offers the rules that read no other fields and match its rollout shape and kind of turns.
   */
  readonly carries: readonly TurnField[];
  /** Rules that can read the turns, but whose credit has no meaning in this environment. */
  readonly unsuitable?: readonly string[];
  /** Two rules of the toggle, the first of which is the default, and a third rule for comparisons. */
  readonly pinned: readonly string[];
  /** Rules whose rollouts are one turn long in this environment. */
  readonly singleTurn: readonly string[];
  /**
   * Returns the conflict between values that are each allowed; undefined if there is no conflict. The function is
   * absent if conflicts are impossible.
   */
  readonly refuses?: (settings: ParameterValues, controls: ParameterValues) => ParameterConflict | undefined;
  /** Groups of training controls that only some environments have. */
  readonly optional: readonly OptionalControls[];
  /** Training controls whose default, range or help differs from the common table. */
  readonly training: Readonly<Record<string, ControlChange>>;
  /** Values of rule parameters that differ from the defaults of the rule. */
  readonly rules: ParameterValues;
  /** Decay rates beta1 and beta2 of AdamW. */
  readonly betas: readonly [number, number];
  /**
   * Maximum number of sequences in a batch, and maximum number of their tokens. If `tokens` is absent, each sequence
   * can have the full context.
   */
  readonly capacity: { readonly sequences: number; readonly tokens?: number };
  /** Named runs, in the order in which the page and the terminal list them. */
  readonly presets: readonly EnvironmentPreset[];

  /** Facts in the metrics of an update that only this environment has. */
  readonly facts: readonly UpdateFact[];
  /**
   * Counts that are stored next to the metrics of every update instead of under `facts`, because files had them before
   * environments had facts. The keys are names of metric rows (src/metrics).
   */
  readonly metrics?: Readonly<Record<string, EpisodeFact['ofEpisodes']>>;
  /** Turns whose rewards every update records by result. Lessons are about these turns. */
  readonly watchedTurns?: WatchedTurns;
  /** Kinds of first turns by which lessons select groups. */
  readonly firstTurns?: FirstTurnKinds;
  /**
   * Lines whose development is described in text during a run (src/experiments/detectors.ts), in addition to the lines
   * of every run.
   */
  readonly watched?: WatchedLines;
  /** True if a learned reward model can reward the turns (ModelRewards). */
  readonly rewardModel?: true;
  /** Facts that are measured on held-out tasks during a run; empty if there are no held-out tasks. */
  readonly heldOut: readonly EpisodeFact[];
  /**
   * Number of attempts per episode on held-out tasks, each a separate sequence; absent if an episode is one sequence.
   */
  readonly heldOutAttempts?: number;
  /**
   * Sampling settings of evaluations that differ from the unchanged policy (temperature 1, no top-p or top-k cutoff).
   */
  readonly evaluation: Readonly<Partial<Record<'temperature' | 'topP' | 'topK', number>>>;
  /**
   * Default number of continuations per turn when the page measures true advantages. The number is informative for most
   * groups and takes a software renderer less than a minute.
   */
  readonly continuations: number;

  /** Measurement of a policy by `turnwise evaluate`. */
  readonly measuredBy: MeasuredBy;
  /** Tasks and number of episodes on which a new warm start is measured. `none`: a run begins with initial weights. */
  readonly warmStart: { readonly split: 'train' | 'held-out'; readonly episodes: number } | 'none';
  /** Charts of a run, in the order in which they are shown. */
  readonly charts: EnvironmentCharts;
  /**
   * Loads the declared comparison of rules in the environment. If absent, a comparison reports only the environment's
   * facts.
   */
  readonly comparison?: () => Promise<{ readonly comparison: EnvironmentComparison }>;
  /** Glossary terms that a panel of the page shows only in this environment. */
  readonly terms: Readonly<Partial<Record<'curves' | 'controls' | 'group' | 'inspector' | 'truth', readonly string[]>>>;
  /**
   * Describes a run under the rules of the toggle. If absent, the page shows the rule and the first line of the main
   * chart.
   */
  readonly story?: RunStory;
  /**
   * Seed of a run without a link, which shows the events that the story and the tour describe. Absent: the default
   * seed.
   */
  readonly openingSeed?: number;
  /** Loads the scenes of a guided tour of about a minute. If absent, the page offers no tour. */
  readonly tour?: () => Promise<readonly TourScene[]>;
  /** Bands of recorded runs that the main chart shows behind its lines. */
  readonly bands?: RunBands;
  /** Returns the box of a turn in the picture of a group. If absent, a box has the number of its turn. */
  readonly picture?: TurnPicture;
  /** Returns one line that explains a question written in tokens; undefined if the question needs no explanation. */
  readonly legend: (question: string) => string | undefined;

  /** True if the problems are shipped. `turnwise problems` generates them with Python (ProblemGenerator). */
  readonly shipsProblems?: boolean;
  /**
   * Flag that names a custom task file, and help about the content of the file; absent if the environment reads no such
   * file.
   */
  readonly customTasks?: { readonly flag: string; readonly help: string };
}

/**
 * Kind of measurement. `rates`: episodes with sampled questions, as in Search. `refinement`: every problem, with
 * several attempts. `sharing`: every problem, and the states that its rollouts share. `facts`: sampled episodes, by the
 * facts that depend only on episodes.
 */
export type MeasuredBy = 'rates' | 'refinement' | 'sharing' | 'facts';

/**
 * Group of training controls. `programs`: number of programs per update. `filters`: turns that an update excludes.
 * `branching`: number of continuations per turn of a tree.
 */
export type OptionalControls = 'programs' | 'filters' | 'branching';

/** Changed default, range or help of a training control. */
export type ControlChange = Partial<Pick<NumberParameter, 'min' | 'max' | 'help'>> & {
  readonly default?: number | string;
};

/** Events that can occur in a run of an environment, by the lines that show them. */
export interface WatchedLines {
  /** Share of rollouts that use a skill. The skill can be lost and recovered. `called`: "tool use". */
  readonly skill?: { readonly line: LineKey; readonly called: string };
  /** Shares of right answers in training and on held-out tasks, which can diverge. */
  readonly answers?: { readonly training: LineKey; readonly heldOut: LineKey };
  /**
   * Number of repeated actions. It is too large above `maximum`, and normal below `usual`. `called`: "searches a
   * rollout".
   */
  readonly repeated?: {
    readonly line: LineKey;
    readonly called: string;
    readonly maximum: number;
    readonly usual: number;
    readonly answers: LineKey;
  };
}

/** Setting or control that conflicts with other values, with a reason for users. */
export interface ParameterConflict {
  readonly parameter: string;
  readonly why: string;
}

/** Named world, and the default controls of runs in it. */
export interface NamedWorld {
  /** Name in links and flags, unique in its environment. It never changes. */
  readonly name: string;
  /** Title for users. */
  readonly title: string;
  /** One or two sentences about the properties of the world. */
  readonly shows: string;
  /** Sentence above the picture, in place of the sentence of the environment. */
  readonly sentence?: string;
  /** Differences from the default settings. */
  readonly settings: ParameterValues;
  /** Differences from the default controls at step 0. */
  readonly controls: ParameterValues;
}

/** Named run: its differences from the standard run of its world, and a description. */
export interface EnvironmentPreset {
  /** Name, unique among the presets of all environments. */
  readonly name: string;
  readonly title: string;
  /** One sentence about the visible effect. Numbers are means over several seeds unless it states otherwise. */
  readonly shows: string;
  /** Name of the world, if the environment has named worlds. */
  readonly world?: string;
  /** Differences from the settings of the world. */
  readonly settings?: ParameterValues;
  /** Differences from the controls of the world at step 0. */
  readonly controls: ParameterValues;
  /** Changes that are applied automatically before the update of the given step. */
  readonly schedule?: readonly { readonly step: number; readonly changes: ParameterValues }[];
}

/** Token as text. */
export interface PicturedToken {
  readonly text: string;
  /** Kind of the token in the vocabulary. */
  readonly kind: string;
}

/** Turn of a rollout with its tokens. */
export interface PicturedTurn {
  readonly turn: Turn;
  /** Tokens that the policy wrote in the turn. */
  readonly written: readonly PicturedToken[];
  /** Tokens that the environment writes between this turn and the next turn. */
  readonly reply: readonly PicturedToken[];
  /** Tool call as text, for example `view("app.py")`. */
  readonly call?: string;
}

/**
 * Kind of a box: an executed action, no action although one is possible, an action that cannot be parsed, or another
 * turn.
 */
export type BoxKind = 'action' | 'skipped' | 'malformed' | 'plain';

/** Box of a turn in the picture of a group. */
export interface TurnBox {
  readonly kind: BoxKind;
  /** Text of at most a few words. */
  readonly text: string;
  /** Reply of the environment; the picture shows it in a box after the turn. */
  readonly reply?: string;
}

/** Function that returns the box of a turn in the picture of a group. */
export type TurnPicture = (turn: PicturedTurn) => TurnBox;

/** Sentence at the control of a reward. */
export interface RewardNote {
  readonly text: string;
  /** True if the reward has no effect at present. */
  readonly isInactive?: true;
  /** Name of a preset that shows the effect of the reward. */
  readonly preset?: string;
}

/** Rewards on which the advantages of a rule depend. */
export interface UsedRewards {
  /** Rewards of the turns before the last turn. */
  readonly turns: boolean;
  readonly outcome: boolean;
}

/** Texts of an environment for panels that load after the first screen. */
export interface EnvironmentNotes {
  /**
   * Returns a sentence about the reward in measured turn values. If absent, the page states that it is the training
   * reward.
   */
  readonly truth?: (settings: ParameterValues) => string;
  /**
   * Returns notes about rewards under the present controls, by name of the reward.
   * @param used rewards on which the advantages of the active rule depend
   */
  readonly rewards: (
    controls: ParameterValues,
    settings: ParameterValues,
    used: UsedRewards,
  ) => Readonly<Record<string, RewardNote>>;
}
