import { RULE_FAMILIES, type RuleFacts, type RuleFamily } from '../../credit/rule.ts';
import { findFacts } from '../../credit/ruleFacts.ts';
import { RULE_FACTS } from '../../credit/ruleList.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import type { ChoiceParameter, NumberParameter, ParameterTable, ParameterValues } from '../../parameters/parameters.ts';
import { ENVIRONMENT_NAMES, type EnvironmentName } from '../../training/data/configuration.ts';
import { runControls, SEED, tablesOf } from '../../training/data/configurationTables.ts';

export { ruleTitle } from '../../credit/ruleFacts.ts';
export { defaultConfiguration } from '../../training/data/configurationTables.ts';

/** Every parameter that the page can show and that a URL can hold, grouped by where the page shows it. */
export interface Tables {
  readonly environment: EnvironmentName;
  /** The world; fixed once a run has started. */
  readonly settings: ParameterTable;
  readonly rule: ChoiceParameter;
  /** Parameters of each rule by the rule's name, with those of its critic where it has one. */
  readonly ruleParameters: Readonly<Record<string, ParameterTable>>;
  readonly rewards: ParameterTable;
  readonly training: ParameterTable;
  /** Every parameter that may change while a run continues: rule, its parameters, rewards, training. */
  readonly controls: ParameterTable;
  readonly seed: NumberParameter;
}

const TABLES = Object.fromEntries(ENVIRONMENT_NAMES.map((name) => [name, createTables(name)])) as Readonly<
  Record<EnvironmentName, Tables>
>;

/** The tables of an environment; always the same object. */
export function tablesFor(environment: EnvironmentName): Tables {
  return TABLES[environment];
}

function createTables(environment: EnvironmentName): Tables {
  const { settings, rule: open, rewards, training, critic, controls: all } = tablesOf(environment);
  // A custom rule enters a run only by an action of the user, and never through the text of an address.
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
 * The rules that a run in an environment offers, family by family; families without rules are left out.
 * @param settings of the run: rules that do not go with them are left out too
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

/** The names of all rules that a run in an environment offers: those of its switch, then those of its menu. */
export function rulesInOrder(environment: EnvironmentName): readonly string[] {
  const listed = ruleFamilies(environment).flatMap(([, rules]) => rules.map(({ name }) => name));
  return [...new Set([...ENVIRONMENTS[environment].pinned, ...listed])];
}

/**
 * True if a rule's advantages are stored token by token, as a critic's advantages are. False for a rule that the list
 * lacks.
 */
export function isTokenRule(name: string): boolean {
  return RULE_FACTS.find((candidate) => candidate.name === name)?.unit === 'token';
}

/** True if the tokens of a turn may differ in their advantages under a rule. */
export function creditsTokens(name: string): boolean {
  return isTokenRule(name) && !RULE_FACTS.find((candidate) => candidate.name === name)?.sharesInTurn;
}

/** True if all turns of a rollout have the same advantage under a rule. */
export function sharesInRollout(name: string): boolean {
  return RULE_FACTS.find((candidate) => candidate.name === name)?.sharesInRollout === true;
}

/** Unit that a rule credits: the tokens of a turn, the turns of a rollout, or the whole rollout. */
export function creditUnit(rule: string): 'token' | 'turn' | 'rollout' {
  if (creditsTokens(rule)) return 'token';
  return sharesInRollout(rule) ? 'rollout' : 'turn';
}
