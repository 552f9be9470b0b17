import { RULE_FAMILIES, type RuleFacts, type RuleFamily } from '../../credit/rule.ts';
import { findFacts } from '../../credit/ruleFacts.ts';
import { RULE_FACTS } from '../../credit/ruleList.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { ChoiceParameter, NumberParameter, ParameterTable, ParameterValues } from '../../parameters/parameters.ts';
import { ENVIRONMENT_NAMES, type EnvironmentName } from '../../training/data/configuration.ts';
import { runControls, SEED, tablesOf } from '../../training/data/configurationTables.ts';

export { ruleTitle } from '../../credit/ruleFacts.ts';
export { defaultConfiguration } from '../../training/data/configurationTables.ts';

/** Parameters that the page shows and a URL can contain, grouped by their location on the page. */
export interface Tables {
  readonly environment: EnvironmentName;
  /** Parameters of the world, which are fixed during a run. */
  readonly settings: ParameterTable;
  readonly rule: ChoiceParameter;
  /** Parameters of each rule, by the rule's name. They include the parameters of its critic, if it has one. */
  readonly ruleParameters: Readonly<Record<string, ParameterTable>>;
  readonly rewards: ParameterTable;
  readonly training: ParameterTable;
  /** Parameters that may change during a run: rule, its parameters, rewards and training. */
  readonly controls: ParameterTable;
  readonly seed: NumberParameter;
}

const TABLES = Object.fromEntries(ENVIRONMENT_NAMES.map((name) => [name, createTables(name)])) as Readonly<
  Record<EnvironmentName, Tables>
>;

/** Returns the tables of an environment. Each call returns the same object. */
export function tablesFor(environment: EnvironmentName): Tables {
  return TABLES[environment];
}

function createTables(environment: EnvironmentName): Tables {
  const { settings, rule: open, rewards, training, critic, controls: all } = tablesOf(environment);
  // Only an action of the user can select a custom rule. An address cannot, because a rule is executable code.
  const { accepts: _, ...rule } = open;
  const controls = all.map((control) => (control === open ? rule : control));
  const parametersOf = (known: RuleFacts) => [
    ...runControls(known, environment),
    ...(known.unit === 'token' ? critic : []),
  ];
  const ruleParameters = Object.fromEntries(RULE_FACTS.map((known) => [known.name, parametersOf(known)]));
  return { environment, settings, rule, ruleParameters, rewards, training, controls, seed: SEED };
}

/**
 * Returns the rules that an environment offers, by family. Families without rules are left out.
 * @param settings settings of the run; rules that are incompatible with them are left out
 */
export function ruleFamilies(
  environment: EnvironmentName,
  settings?: ParameterValues,
): readonly (readonly [RuleFamily, readonly RuleFacts[]])[] {
  const { refuses } = ENVIRONMENTS[environment];
  const goes = (rule: string) => !settings || refuses?.(settings, { rule })?.parameter !== 'rule';
  const rules = tablesFor(environment).rule.options.filter(goes).map(findFacts);
  return RULE_FAMILIES.map((family) => [family, rules.filter((rule) => rule.family === family)] as const).filter(
    ([, members]) => members.length > 0,
  );
}

/** Returns the names of all rules that an environment offers: first the rules of the switch, then those of the menu. */
export function rulesInOrder(environment: EnvironmentName): readonly string[] {
  const listed = ruleFamilies(environment).flatMap(([, rules]) => rules.map(({ name }) => name));
  return [...new Set([...ENVIRONMENTS[environment].pinned, ...listed])];
}

/**
 * Returns true if a rule's advantages are stored per token, as for rules with a critic. Returns false for unknown
 * rules.
 */
export function isTokenRule(name: string): boolean {
  return RULE_FACTS.find((candidate) => candidate.name === name)?.unit === 'token';
}

/** Returns true if tokens of the same turn may have different advantages under a rule. */
export function creditsTokens(name: string): boolean {
  return isTokenRule(name) && !RULE_FACTS.find((candidate) => candidate.name === name)?.sharesInTurn;
}

/** Returns true if all turns of a rollout have the same advantage under a rule. */
export function sharesInRollout(name: string): boolean {
  return RULE_FACTS.find((candidate) => candidate.name === name)?.sharesInRollout === true;
}

/** Returns the unit of a rule's credit: token, turn, or the whole rollout. */
export function creditUnit(rule: string): 'token' | 'turn' | 'rollout' {
  if (creditsTokens(rule)) return 'token';
  return sharesInRollout(rule) ? 'rollout' : 'turn';
}
