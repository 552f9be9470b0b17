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
 * What everything outside an environment's folder knows of it before there is one: plain data and small functions, light
 * enough for the first chunk of the page. What plays is made by `open.ts` of the folder (loadEnvironment).
 *
 * Rules and training controls are named by strings: an environment knows nothing of credit or training.
 */
export interface EnvironmentDescriptor<Name extends string = string> {
  /** In links, files and flags; also the name of the folder. */
  readonly name: Name;
  /** For people. */
  readonly title: string;
  /** What happens there, and what there is to watch. One or two sentences. */
  readonly sentence: string;

  /** What shapes the world and its warm start; fixed from the first step of a run on. */
  readonly settings: ParameterTable;
  /** Settings that the warm start does not depend on: one checkpoint serves all their values. */
  readonly afterWarmStart: readonly string[];
  /** Settings that came later: names of warm starts tell of them only where they are not at their defaults. */
  readonly laterSettings?: readonly string[];
  /** Settings that an arm of a comparison may have to itself: those that neither the warm start nor what is measured hangs on. */
  readonly armSettings?: readonly string[];
  /**
   * Named worlds, in the order in which people are offered them; absent where there is one alone. Runs begin in the
   * first unless told otherwise. A link, file or command of a time without names means the one without settings.
   */
  readonly worlds?: readonly NamedWorld[];
  /** Rewards, and what else of the environment may change while a run goes on. */
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
  /** What makes no sense together, though each value is allowed by itself; undefined where all does. Absent where all always does. */
  readonly refuses?: (settings: ParameterValues, controls: ParameterValues) => Refusal | undefined;
  /** Groups of training controls that only some environments have. */
  readonly optional: readonly OptionalControls[];
  /** Training controls that start, or end, elsewhere than in the common table. */
  readonly training: Readonly<Record<string, ControlChange>>;
  /** Where rules start from other values than their own defaults. */
  readonly rules: ParameterValues;
  /** Betas of AdamW. */
  readonly betas: readonly [number, number];
  /** Most sequences of one batch, and most tokens that they can have together; as many as fit where absent. */
  readonly capacity: { readonly sequences: number; readonly tokens?: number };
  /** Named runs, in the order in which people are offered them. */
  readonly presets: readonly EnvironmentPreset[];

  /** What the metrics of an update hold of this environment alone. */
  readonly facts: readonly UpdateFact[];
  /**
   * What stands beside the metrics of every update instead, because files had it before environments had facts of their
   * own: counts by the names of their rows (src/metrics).
   */
  readonly metrics?: Readonly<Record<string, EpisodeFact['ofEpisodes']>>;
  /** Turns whose pay every update writes down, by what came of them: those that lessons are about. */
  readonly watchedTurns?: WatchedTurns;
  /** Kinds of first turns that lessons select groups by. */
  readonly firstTurns?: FirstTurnKinds;
  /** Lines whose fate is told in words while a run goes on (src/experiments/detectors.ts), beside those of every run. */
  readonly watched?: WatchedLines;
  /** A learned reward model may pay its turns (ModelPaid). */
  readonly rewardModel?: true;
  /** What is measured on held-out tasks while a run goes on; empty where there are none. */
  readonly heldOut: readonly EpisodeFact[];
  /** Attempts of an episode on held-out tasks, each a sequence of its own; absent where an episode is one sequence. */
  readonly heldOutAttempts?: number;
  /** How evaluations sample, where that is not the policy as it is: temperature 1, nothing cut off. */
  readonly evaluation: Readonly<Partial<Record<'temperature' | 'topP' | 'topK', number>>>;
  /**
   * Continuations of a turn that the page measures true advantages with, to begin with: what says something of most
   * groups, and takes a software renderer less than a minute.
   */
  readonly continuations: number;

  /** How a policy is measured by itself: `turnwise evaluate`. */
  readonly measuredBy: MeasuredBy;
  /** What a warm start is measured on when it is made; `none`: a run begins with initial weights. */
  readonly warmStart: { readonly split: 'train' | 'held-out'; readonly episodes: number } | 'none';
  /** The charts of its runs, in the order in which they are shown. */
  readonly charts: EnvironmentCharts;
  /** How rules are compared in it, and which claims are put to the test; its facts alone, and none, where absent. */
  readonly comparison?: () => Promise<{ readonly comparison: EnvironmentComparison }>;
  /** What a panel of the page speaks of here only: words of the glossary. */
  readonly words: Readonly<Partial<Record<'curves' | 'controls' | 'group' | 'inspector' | 'truth', readonly string[]>>>;
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
  /** One line under a question, where the question is written in tokens; undefined where it speaks for itself. */
  readonly legend: (question: string) => string | undefined;

  /** Its problems are made with Python, by `turnwise problems`, and shipped (taskMaker.ts). */
  readonly shipsProblems?: boolean;
  /** The flag that names a file of tasks of one's own, and what the file holds; absent where none is read. */
  readonly ownTasks?: { readonly flag: string; readonly help: string };
}

/**
 * `rates`: episodes of drawn questions, as the search world has them. `refinement`: every problem, attempt after attempt.
 * `sharing`: every problem, and how its rollouts meet. `facts`: drawn episodes, by the facts that these alone tell.
 */
export type MeasuredBy = 'rates' | 'refinement' | 'sharing' | 'facts';

/** `programs`: how many programs an update runs. `filters`: turns that an update leaves out. `branching`: how trees branch. */
export type OptionalControls = 'programs' | 'filters' | 'branching';

/** Another default, range or help of a training control. */
export type ControlChange = Partial<Pick<NumberParameter, 'min' | 'max' | 'help'>> & {
  readonly default?: number | string;
};

/** What may happen to a run of an environment, by its lines. */
export interface WatchedLines {
  /** A skill that can be lost and come back: a share of the rollouts. `called`: "tool use". */
  readonly skill?: { readonly line: LineKey; readonly called: string };
  /** Right answers in training and on held-out tasks, which can part. */
  readonly answers?: { readonly training: LineKey; readonly heldOut: LineKey };
  /** Something done again and again: too often above `most`, as usual below `usual`. `called`: "searches a rollout". */
  readonly repeated?: {
    readonly line: LineKey;
    readonly called: string;
    readonly most: number;
    readonly usual: number;
    readonly answers: LineKey;
  };
}

/** A setting or control that does not go with the others, and why, for people. */
export interface Refusal {
  readonly parameter: string;
  readonly why: string;
}

/** A named world, and how runs in it are trained unless told otherwise. */
export interface NamedWorld {
  /** In links and flags; unique in its environment. It never changes. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** One sentence or two: what is so there. */
  readonly shows: string;
  /** Replaces the sentence of the environment above its picture. */
  readonly sentence?: string;
  /** What differs from the default settings. */
  readonly settings: ParameterValues;
  /** What differs from the default controls at step 0. */
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
  /** What differs from the settings of the world. */
  readonly settings: ParameterValues;
  /** What differs from the controls of the world at step 0. */
  readonly controls: ParameterValues;
  /** Changes that happen by themselves before the update of the given step. */
  readonly schedule: readonly { readonly step: number; readonly changes: ParameterValues }[];
}
