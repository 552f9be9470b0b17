import type { NumberParameter, ParameterTable, ParameterValues } from '../parameters/parameters.ts';
import type { TurnField, TurnKind } from '../rollouts/forest.ts';
import type { FirstTurnKinds } from './attempt.ts';
import type { EnvironmentCharts, LineKey } from './chart.ts';
import type { EnvironmentComparison } from './declaredComparison.ts';
import type { EpisodeFact, UpdateFact } from './fact.ts';
import type { RunBands } from './runBands.ts';
import type { RunStory } from './runStory.ts';
import type { TourScene } from './tour.ts';
import type { TurnPicture } from './turnPicture.ts';
import type { WatchedTurns } from './watchedTurns.ts';

/**
 * Properties of an environment that code outside its folder uses before the environment exists. They are plain data and
 * small functions, light enough for the first chunk of the page. `open.ts` of the folder makes the part that runs
 * episodes (loadEnvironment).
 *
 * Rules and training controls are named by strings: an environment does not depend on credit or training.
 */
export interface EnvironmentDescriptor<Name extends string = string> {
  /** In links, files and flags; also the name of the folder. */
  readonly name: Name;
  /** For people. */
  readonly title: string;
  /** Description of the environment and of its visible effects. One or two sentences. */
  readonly sentence: string;

  /** Settings of the world and its warm start; fixed from the first step of a run on. */
  readonly settings: ParameterTable;
  /** Settings that the warm start does not depend on: one checkpoint serves all their values. */
  readonly afterWarmStart: readonly string[];
  /** Settings that were added later. Names of warm starts contain them only if they are not at their defaults. */
  readonly addedSettings?: readonly string[];
  /** Settings that an arm of a comparison may have to itself: those that neither the warm start nor what is measured hangs on. */
  readonly armSettings?: readonly string[];
  /**
   * Named worlds, in the order in which the page offers them; absent if there is only one world. Runs begin in the
   * first by default. A link, file or command from a version without names means the world without settings.
   */
  readonly worlds?: readonly NamedWorld[];
  /** Rewards, and the other values of the environment that may change during a run. */
  readonly rewards: ParameterTable;
  /** Kind of the turns: `steps` towards one outcome, or `attempts`, each a complete answer with a separate score. */
  readonly turns: TurnKind;
  /** True if a run can continue one turn several times, so that rollouts form trees. */
  readonly trees: boolean;
  /**
   * Fields of a turn that a run fills in here, in addition to those of every run: outcome, tokens, logProb and values. A run offers
   * the rules that read no other fields, take its shape of rollouts and are for its kind of turns.
   */
  readonly carries: readonly TurnField[];
  /** Rules that could read the turns, but whose credit has no meaning here. */
  readonly unsuitable?: readonly string[];
  /** The two rules of the toggle, of which the first is the default, and a third for comparisons. */
  readonly pinned: readonly string[];
  /** Rules whose rollouts are one turn long here, whatever the environment allows. */
  readonly singleTurn: readonly string[];
  /**
   * Returns the conflict between values that are allowed separately; undefined if there is no conflict. Absent if there
   * never is a conflict.
   */
  readonly refuses?: (settings: ParameterValues, controls: ParameterValues) => ParameterConflict | undefined;
  /** Groups of training controls that only some environments have. */
  readonly optional: readonly OptionalControls[];
  /** Training controls that start, or end, elsewhere than in the common table. */
  readonly training: Readonly<Record<string, ControlChange>>;
  /** Values of rule parameters that differ from the defaults of the rules. */
  readonly rules: ParameterValues;
  /** Betas of AdamW. */
  readonly betas: readonly [number, number];
  /** Most sequences of one batch, and most tokens that they can have together; as many as fit where absent. */
  readonly capacity: { readonly sequences: number; readonly tokens?: number };
  /** Named runs, in the order in which people are offered them. */
  readonly presets: readonly EnvironmentPreset[];

  /** Facts in the metrics of an update that only this environment has. */
  readonly facts: readonly UpdateFact[];
  /**
   * Counts that are next to the metrics of every update instead, because files had them before environments had
   * separate facts. Counts by the names of their rows (src/metrics).
   */
  readonly metrics?: Readonly<Record<string, EpisodeFact['ofEpisodes']>>;
  /** Turns whose rewards every update records, by their result: those that lessons are about. */
  readonly watchedTurns?: WatchedTurns;
  /** Kinds of first turns that lessons select groups by. */
  readonly firstTurns?: FirstTurnKinds;
  /**
   * Lines whose development is described in words during a run (src/experiments/detectors.ts), in addition to the lines
   * of every run.
   */
  readonly watched?: WatchedLines;
  /** A learned reward model may pay its turns (ModelRewards). */
  readonly rewardModel?: true;
  /** Facts that are measured on held-out tasks during a run; empty if there are no held-out tasks. */
  readonly heldOut: readonly EpisodeFact[];
  /** Attempts of an episode on held-out tasks, each a separate sequence; absent if an episode is one sequence. */
  readonly heldOutAttempts?: number;
  /** Sampling of evaluations, if it differs from the unchanged policy: temperature 1, nothing cut off. */
  readonly evaluation: Readonly<Partial<Record<'temperature' | 'topP' | 'topK', number>>>;
  /**
   * Continuations of a turn that the page measures true advantages with, to begin with: what says something of most
   * groups, and takes a software renderer less than a minute.
   */
  readonly continuations: number;

  /** Measurement of a policy alone: `turnwise evaluate`. */
  readonly measuredBy: MeasuredBy;
  /** Data on which a new warm start is measured; `none`: a run begins with initial weights. */
  readonly warmStart: { readonly split: 'train' | 'held-out'; readonly episodes: number } | 'none';
  /** The charts of its runs, in the order in which they are shown. */
  readonly charts: EnvironmentCharts;
  /**
   * Comparison of rules in the environment, and the claims that are tested. If absent, only its facts are compared, and
   * there are no claims.
   */
  readonly comparison?: () => Promise<{ readonly comparison: EnvironmentComparison }>;
  /** Glossary words that a panel of the page uses only in this environment. */
  readonly terms: Readonly<Partial<Record<'curves' | 'controls' | 'group' | 'inspector' | 'truth', readonly string[]>>>;
  /** Describes a run under the rules of the toggle. Absent: the page names the rule and the first line of the main chart. */
  readonly story?: RunStory;
  /** Seed of a visit without a link: its run shows what the story and the tour describe. Absent: the default seed. */
  readonly openingSeed?: number;
  /** Scenes of a guided tour of about a minute. Absent: the page offers no tour. */
  readonly tour?: () => Promise<readonly TourScene[]>;
  /** Recorded runs that the main chart shows behind its lines. */
  readonly bands?: RunBands;
  /** Reads a turn for the picture of a group. Absent: a box has the number of its turn. */
  readonly picture?: TurnPicture;
  /** One line under a question that is written in tokens; undefined if the question needs no explanation. */
  readonly legend: (question: string) => string | undefined;

  /** Its problems are made with Python, by `turnwise problems`, and shipped (problemGenerator.ts). */
  readonly shipsProblems?: boolean;
  /** The flag that names a custom task file, and the content of the file; absent if no such file is read. */
  readonly customTasks?: { readonly flag: string; readonly help: string };
}

/**
 * `rates`: episodes of drawn questions, as in the search world. `refinement`: every problem, attempt after attempt.
 * `sharing`: every problem, and the states that its rollouts share. `facts`: drawn episodes, by the facts that the
 * episodes alone give.
 */
export type MeasuredBy = 'rates' | 'refinement' | 'sharing' | 'facts';

/** `programs`: how many programs an update runs. `filters`: turns that an update leaves out. `branching`: how trees branch. */
export type OptionalControls = 'programs' | 'filters' | 'branching';

/** Another default, range or help of a training control. */
export type ControlChange = Partial<Pick<NumberParameter, 'min' | 'max' | 'help'>> & {
  readonly default?: number | string;
};

/** Events that can occur in a run of an environment, by its lines. */
export interface WatchedLines {
  /** A skill that can be lost and come back: a share of the rollouts. `called`: "tool use". */
  readonly skill?: { readonly line: LineKey; readonly called: string };
  /** Right answers in training and on held-out tasks, which can part. */
  readonly answers?: { readonly training: LineKey; readonly heldOut: LineKey };
  /** Something done again and again: too often above `most`, as usual below `usual`. `called`: "searches a rollout". */
  readonly repeated?: {
    readonly line: LineKey;
    readonly called: string;
    readonly maximum: number;
    readonly usual: number;
    readonly answers: LineKey;
  };
}

/** A setting or control that does not go with the others, and why, for people. */
export interface ParameterConflict {
  readonly parameter: string;
  readonly why: string;
}

/** A named world, and the default training of runs in it. */
export interface NamedWorld {
  /** In links and flags; unique in its environment. It never changes. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** One sentence or two: what is so there. */
  readonly shows: string;
  /** Replaces the sentence of the environment above its picture. */
  readonly sentence?: string;
  /** Differences from the default settings. */
  readonly settings: ParameterValues;
  /** Differences from the default controls at step 0. */
  readonly controls: ParameterValues;
}

/** A named run: what differs from the standard run of its world, and what it shows. */
export interface EnvironmentPreset {
  /** Unique among the presets of all environments. */
  readonly name: string;
  readonly title: string;
  /** One sentence: what there is to see. Numbers are means measured over several seeds unless it says otherwise. */
  readonly shows: string;
  /** The named world that it is in, where worlds have names. */
  readonly world?: string;
  /** Differences from the settings of the world. */
  readonly settings: ParameterValues;
  /** Differences from the controls of the world at step 0. */
  readonly controls: ParameterValues;
  /** Changes that happen by themselves before the update of the given step. */
  readonly schedule: readonly { readonly step: number; readonly changes: ParameterValues }[];
}
