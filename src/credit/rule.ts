import { type ParameterTable, type ParameterValues, type Values, valuesOf } from '../parameters/parameters.ts';
import type { Group, TurnField, TurnKind } from '../rollouts/forest.ts';
import type { BatchMembers } from './arithmetic/batchNormalization.ts';
import { adaptStage, type BatchArray, type Stage } from './gpu/stage.ts';

/**
 * A credit rule: maps a group of rollouts to advantages. There is one file per rule; see docs/develop/architecture.md.
 * Its methods take the stored parameters, and use the defaults for missing ones.
 * @throws {ParameterError} from any method, for a value that is not of its parameter's kind
 */
export interface CreditRule {
  /** Name in flags, URLs and files, for example `mt-grpo`. */
  readonly name: string;
  /** Name for people, for example "MT-GRPO". */
  readonly title: string;
  /** Title spelt out, for the glossary. */
  readonly fullName: string;
  /** Name in metrics, if the name of the rule is too long for them: a custom rule. */
  readonly label?: string;
  /**
   * True if the host computes the advantages and passes them to the GPU, as float64 rounded to float32: a custom rule,
   * which has no stages.
   */
  readonly given?: true;
  /** One sentence. */
  readonly idea: string;
  readonly paper: { readonly title: string; readonly reference: string; readonly equation: string };
  /** The arithmetic, one line a formula, in the paper's symbols. */
  readonly formula: readonly string[];
  /** The comparison of a turn, by which menus group rules. */
  readonly family: RuleFamily;
  /** Trajectories: turns with at most one child, others are refused. Forest: trees too. */
  readonly input: 'trajectories' | 'forest';
  /** Fields of a turn, in addition to its reward and its parent, that the rule requires. */
  readonly reads: readonly TurnField[];
  /**
   * The rewards of a file of groups that the rule takes (totals.ts): `outcome`, no turn rewards; `attempts`, the reward of each
   * turn and no outcome. Absent if it adds turn rewards and outcomes.
   */
  readonly rewards?: 'outcome' | 'attempts';
  /**
   * The kind of turns that the rule is for: `steps` towards one outcome, or `attempts`, each a complete answer with a
   * separate score. Absent if it is for both.
   */
  readonly turns?: TurnKind;
  /** `turn` if the tokens of a turn share one advantage, `token` if each has a separate advantage (`Credit.tokens`). */
  readonly unit: 'turn' | 'token';
  /** Under a token rule: the tokens of a turn all have the same. */
  readonly sharesInTurn?: true;
  /** All turns of a trajectory have the same advantage. */
  readonly sharesInRollout?: true;
  /**
   * An update normalises the advantages of its groups over all rollouts of the batch, or over all tokens. `credit` and `stages` are
   * without it, because they are of single groups.
   */
  readonly batch?: BatchMembers;
  readonly parameters: ParameterTable;
  /**
   * Controls of the samples that a run takes for this rule in addition to its rollouts. The arithmetic does not use
   * them.
   */
  readonly samplingParameters?: ParameterTable;
  /** A small group on which the documentation works the arithmetic out. */
  readonly example: Group;
  /** Properties that follow from the formulas; a test checks them on random groups. */
  readonly laws?: RuleLaws;
  /**
   * The formulas of one turn with its numbers put in, one step a line, each `symbol = expression = value` (derivation.ts) or
   * a sentence.
   * @param turn a turn that was not pruned
   * @param credit what the rule says about the group
   */
  worked(turn: number, group: Group, credit: Credit, parameters: ParameterValues): readonly string[];
  /** The readable float64 arithmetic over one group. @throws {CreditError} for a group that the rule cannot read */
  credit(group: Group, parameters: ParameterValues): Credit;
  /**
   * The rewards that the rule compares, one list for each comparison within the group. A group in which every list is
   * constant gives no gradient (degenerate.ts). There is no list if rollouts are not compared with one another: no
   * group is degenerate then.
   */
  compared(group: Group, parameters: ParameterValues): readonly ArrayLike<number>[];
  /** The kernels that do the same for a whole batch on the GPU, in order; the last writes `advantage`. */
  readonly stages: readonly Stage[];
  /**
   * Intermediate values that the `credit` command prints, by their names in `Credit.intermediate`, and the arrays
   * that hold them on the GPU. An array over tests is one list a group, one over groups one number a group.
   */
  readonly outputs: Readonly<Record<string, BatchArray>>;
  /** [turns] on the GPU, 0 where a turn was pruned; absent where the rule prunes nothing. */
  readonly retained?: BatchArray;
}

/** Properties of a rule that follow from its formulas. */
export interface RuleLaws {
  /** Parameters under which the laws are exact, for example without the epsilon of a division. */
  readonly parameters?: ParameterValues;
  /** Fields of all turns to which the same number can be added without a change of any advantage. */
  readonly shift?: readonly ('reward' | 'outcome')[];
  /** Effect on advantages of multiplying rewards, outcomes and values by the same number above 0. */
  readonly scale?: 'same' | 'multiplied';
  /** Lists of numbers, each of which sums to 0. */
  zeroSums?(credit: Credit, group: Group): readonly (readonly number[])[];
}

/** The formulas and the paper of a rule. */
export type RuleSource = Pick<CreditRule, 'formula' | 'paper'>;

/**
 * The data of a rule that menus, controls and addresses need: everything except its arithmetic, its example and its
 * source.
 */
export type RuleFacts = Omit<
  CreditRule,
  'example' | 'laws' | 'worked' | 'credit' | 'compared' | 'stages' | 'outputs' | 'retained' | keyof RuleSource
>;

/**
 * `group`: the other rollouts of its group. `critic`: values that a network learns. `tree`: other continuations of the same
 * turn. `tests`: other programs, test by test. `states`: turns in the same state. `other`: baselines.
 */
export const RULE_FAMILIES = ['group', 'critic', 'tree', 'tests', 'states', 'other'] as const;
export type RuleFamily = (typeof RULE_FAMILIES)[number];

/** A rule as its file writes it: its functions get values of the types that its table of parameters gives them. */
export type RuleDefinition<Table extends ParameterTable> = Omit<
  CreditRule,
  'parameters' | 'worked' | 'credit' | 'compared' | 'stages'
> & {
  readonly parameters: Table;
  worked(turn: number, group: Group, credit: Credit, values: Values<Table>): readonly string[];
  credit(group: Group, values: Values<Table>): Credit;
  compared(group: Group, values: Values<Table>): readonly ArrayLike<number>[];
  readonly stages: readonly Stage<Values<Table>>[];
};

/** Converts a definition to the rule that all other code uses: one type for all tables, whose values are read here. */
export function creditRule<const Table extends ParameterTable>(rule: RuleDefinition<Table>): CreditRule {
  const read = (parameters: ParameterValues) => valuesOf(rule.parameters, parameters);
  return {
    ...rule,
    worked: (turn, group, credit, parameters) => rule.worked(turn, group, credit, read(parameters)),
    credit: (group, parameters) => rule.credit(group, read(parameters)),
    compared: (group, parameters) => rule.compared(group, read(parameters)),
    stages: rule.stages.map((stage) => adaptStage(stage, read)),
  };
}

/** The member of a list of rules that has a name. @throws {RangeError} listing the names. */
export function ruleNamed<Rule extends RuleFacts>(rules: readonly Rule[], name: string): Rule {
  const rule = rules.find((candidate) => candidate.name === name);
  if (rule) return rule;
  throw new RangeError(`unknown credit rule "${name}"; known: ${rules.map((known) => known.name).join(', ')}`);
}

/**
 * True if all tokens of a turn get the same advantage under a rule. The advantages are then those of turns, with or
 * without a critic.
 */
export function isOfTurns({ unit, sharesInTurn }: RuleFacts): boolean {
  return unit === 'turn' || sharesInTurn === true;
}

/** Result of a rule for one group. */
export interface Credit {
  /** [turns]: the advantage of each turn; NaN where it was pruned. A token rule's is the mean over the turn's tokens. */
  readonly advantage: Float64Array;
  /** Result of a token rule: [policy tokens of the group], turn by turn. */
  readonly tokens?: { readonly advantages: Float64Array; readonly returns: Float64Array };
  /**
   * Intermediate values by their name in the formulas. [turns], NaN for a turn without such a value. Values whose array
   * in `CreditRule.outputs` is over tests or groups have the shape [tests] or [1].
   */
  readonly intermediate: Readonly<Record<string, Float64Array>>;
}
