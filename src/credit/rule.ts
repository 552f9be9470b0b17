import { type ParameterTable, type ParameterValues, type Values, valuesOf } from '../parameters/parameters.ts';
import type { Group, TurnField, TurnKind } from '../rollouts/forest.ts';
import type { BatchMembers } from './arithmetic/normalize.ts';
import { adaptStage, type BatchArray, type Stage } from './gpu/stage.ts';

/**
 * Arithmetic of a credit rule, which maps a group of rollouts to advantages, and its kernels. Each rule has one file in
 * `rules/`; see docs/develop/architecture.md. The methods read the stored parameter values and use defaults for missing
 * values.
 * @throws {ParameterError} from any method, for a value that does not match the kind of its parameter
 */
export interface RuleArithmetic {
  /** Name in flags, URLs and files, for example `mt-grpo`. */
  readonly name: string;
  /** Display name, for example "MT-GRPO". */
  readonly title: string;
  /** Name in metrics, if the name of the rule is too long for them. Only custom rules have it. */
  readonly label?: string;
  /**
   * True if the host computes the advantages and uploads them as float64 rounded to float32. This applies to custom
   * rules, which have no stages.
   */
  readonly given?: true;
  /** Kind of comparison of a turn, by which menus group rules. */
  readonly family: RuleFamily;
  /**
   * Groups that the rule accepts. `trajectories`: turns with at most one child; other groups are an error. `forest`:
   * also trees.
   */
  readonly input: 'trajectories' | 'forest';
  /** Required fields of a turn, in addition to its reward and its parent. */
  readonly reads: readonly TurnField[];
  /**
   * Rewards of a file of groups that the rule uses (withTotals). `outcome`: no turn rewards. `attempts`: the reward of
   * each turn and no outcome. Absent if the rule adds turn rewards and outcomes.
   */
  readonly rewards?: 'outcome' | 'attempts';
  /** True if the rule gives all turns of a rollout the same credit in a group without turn rewards. */
  readonly requiresTurnRewards?: true;
  /**
   * Kind of turns that the rule is for: `steps` towards one outcome, or `attempts`, each a complete answer with a
   * separate score. Absent if the rule is for both.
   */
  readonly turns?: TurnKind;
  /** `turn` if the tokens of a turn share one advantage, `token` if each has a separate advantage (`Credit.tokens`). */
  readonly unit: 'turn' | 'token';
  /** True if all tokens of a turn have the same advantage under a token rule. */
  readonly sharesInTurn?: true;
  /** True if all turns of a trajectory have the same advantage. */
  readonly sharesInRollout?: true;
  /**
   * Members over which an update normalises the advantages: all rollouts or all tokens of the batch. `credit` and
   * `stages` omit this normalisation, because they treat each group separately. Absent if the rule has no such
   * normalisation.
   */
  readonly batch?: BatchMembers;
  readonly parameters: ParameterTable;
  /** Controls of additional samples that a run draws for this rule. The arithmetic does not use them. */
  readonly samplingParameters?: ParameterTable;
  /** Properties that follow from the formulas. A test checks them on random groups. */
  readonly laws?: RuleLaws;
  /**
   * Computes the credit of one group in float64, as the reference for `stages`.
   * @throws {CreditError} for a group that the rule cannot read
   */
  credit(group: Group, parameters: ParameterValues): Credit;
  /**
   * Returns the rewards that the rule compares, one list per comparison within the group. A group in which every list
   * is constant gives no gradient (degenerate.ts). The result is empty if the rule does not compare rollouts with each
   * other; no group is degenerate then.
   */
  compared(group: Group, parameters: ParameterValues): readonly ArrayLike<number>[];
  /** Kernels that compute the credit of a complete batch on the GPU, in order. The last kernel writes `advantage`. */
  readonly stages: readonly Stage[];
  /**
   * Intermediate values that the `credit` command prints: their names in `Credit.intermediate` and their arrays on the
   * GPU. An array over tests has one list per group; an array over groups has one number per group.
   */
  readonly outputs: Readonly<Record<string, BatchArray>>;
  /** Mask of retained turns on the GPU [turns], 0 if a turn is pruned. Absent if the rule does not prune. */
  readonly retained?: BatchArray;
}

/** Texts and derivations of a rule for readers, in `explained/`. */
interface Explanation {
  /** Full form of the title, for the glossary. */
  readonly fullName: string;
  /** Idea of the rule in one sentence. */
  readonly idea: string;
  readonly paper: { readonly title: string; readonly reference: string; readonly equation: string };
  /** Formulas in the symbols of the paper, one per line. */
  readonly formula: readonly string[];
  /** Small group for the worked example in the documentation. */
  readonly example: Group;
  /**
   * Returns the formulas of one turn with substituted numbers. Each line is one step, `symbol = expression = value`
   * (derivation.ts), or a sentence.
   * @param turn index of a turn that is not pruned
   * @param credit result of the rule for the group
   */
  worked(turn: number, group: Group, credit: Credit, parameters: ParameterValues): readonly string[];
}

/** Credit rule with its explanation. */
export interface CreditRule extends RuleArithmetic, Explanation {}

/** Properties of a rule that follow from its formulas. */
interface RuleLaws {
  /** Parameters under which the laws are exact, for example without the epsilon of a division. */
  readonly parameters?: ParameterValues;
  /** Fields of all turns to which the same number can be added without a change of any advantage. */
  readonly shift?: readonly ('reward' | 'outcome')[];
  /** Effect on advantages of multiplying rewards, outcomes and values by the same number above 0. */
  readonly scale?: 'same' | 'multiplied';
  /** Returns lists of numbers that each sum to 0. */
  zeroSums?(credit: Credit, group: Group): readonly (readonly number[])[];
}

/** Formulas and paper of a rule. */
export type RuleSource = Pick<CreditRule, 'formula' | 'paper'>;

/**
 * Data of a rule for menus, controls and addresses: all fields except the arithmetic, the example, the formulas and the
 * paper.
 */
export type RuleFacts = Omit<
  CreditRule,
  'example' | 'laws' | 'worked' | 'credit' | 'compared' | 'stages' | 'outputs' | 'retained' | keyof RuleSource
>;

/**
 * Families of rules, by the comparison of a turn. `group`: the other rollouts of its group. `critic`: values of a
 * trained network. `tree`: other continuations of the same turn. `tests`: other programs, test by test. `states`: turns
 * in the same state. `other`: baseline rules and custom rules.
 */
export const RULE_FAMILIES = ['group', 'critic', 'tree', 'tests', 'states', 'other'] as const;
export type RuleFamily = (typeof RULE_FAMILIES)[number];

/** Arithmetic whose functions read values with the types of its table of parameters. */
type TypedArithmetic<Table extends ParameterTable> = Omit<
  RuleArithmetic,
  'parameters' | 'credit' | 'compared' | 'stages'
> & {
  readonly parameters: Table;
  credit(group: Group, values: Values<Table>): Credit;
  compared(group: Group, values: Values<Table>): readonly ArrayLike<number>[];
  readonly stages: readonly Stage<Values<Table>>[];
};

/**
 * Converts the arithmetic in the file of a rule. Rules have one type for all tables of parameters; the conversion reads
 * the values.
 */
export function creditRule<const Table extends ParameterTable>(
  rule: TypedArithmetic<Table>,
): RuleArithmetic & { readonly parameters: Table } {
  const read = (parameters: ParameterValues) => valuesOf(rule.parameters, parameters);
  return {
    ...rule,
    credit: (group, parameters) => rule.credit(group, read(parameters)),
    compared: (group, parameters) => rule.compared(group, read(parameters)),
    stages: rule.stages.map((stage) => adaptStage(stage, read)),
  };
}

/** Adds the explanation to the arithmetic of a rule. */
export function explain<Table extends ParameterTable>(
  rule: RuleArithmetic & { readonly parameters: Table },
  {
    worked,
    ...texts
  }: Omit<Explanation, 'worked'> & {
    worked(turn: number, group: Group, credit: Credit, values: Values<Table>): readonly string[];
  },
): CreditRule {
  return {
    ...rule,
    ...texts,
    worked: (turn, group, credit, parameters) => worked(turn, group, credit, valuesOf(rule.parameters, parameters)),
  };
}

/** Finds a rule in a list by name. @throws {RangeError} that lists the known names, for an unknown name */
export function ruleNamed<Rule extends RuleFacts>(rules: readonly Rule[], name: string): Rule {
  const rule = rules.find((candidate) => candidate.name === name);
  if (rule) return rule;
  throw new RangeError(`unknown credit rule "${name}"; known: ${rules.map((known) => known.name).join(', ')}`);
}

/**
 * Returns true if all tokens of a turn have the same advantage under a rule. The advantages are then advantages of
 * turns, with or without a critic.
 */
export function isOfTurns({ unit, sharesInTurn }: RuleFacts): boolean {
  return unit === 'turn' || sharesInTurn === true;
}

/** Result of a rule for one group. */
export interface Credit {
  /** Advantage of each turn [turns], NaN if the turn is pruned. Under a token rule, the mean over the turn's tokens. */
  readonly advantage: Float64Array;
  /** Advantages and returns under a token rule [policy tokens of the group], turn by turn. */
  readonly tokens?: { readonly advantages: Float64Array; readonly returns: Float64Array };
  /**
   * Intermediate values by their name in the formulas [turns], NaN for a turn without such a value. Values whose array
   * in `RuleArithmetic.outputs` is over tests or groups have the shape [tests] or [1].
   */
  readonly intermediate: Readonly<Record<string, Float64Array>>;
}
