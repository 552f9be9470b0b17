import type { RuleFacts } from '../../credit/rule.ts';
import { findFacts, ruleControls } from '../../credit/ruleFacts.ts';
import { RULE_FACTS } from '../../credit/ruleList.ts';
import { isCustomRuleName } from '../../credit/rules/custom/customRule.ts';
import { ENVIRONMENT_LIST, ENVIRONMENTS, type RegisteredEnvironment } from '../../environments/registry.ts';
import {
  type ChoiceParameter,
  defaults,
  type NumberParameter,
  type Parameter,
  ParameterError,
  type ParameterTable,
  parseParameter,
  parseParameters,
  readParameters,
} from '../../parameters/parameters.ts';
import type { TurnField } from '../../rollouts/forest.ts';
import {
  CONFIGURATION_VERSION,
  DEFAULT_ENVIRONMENT,
  ENVIRONMENT_NAMES,
  type EngineName,
  type EnvironmentName,
  EXACT,
  type RunConfiguration,
  readEngineName,
  WGSL,
} from './configuration.ts';
import { CRITIC_CONTROLS, HELD_OUT_CONTROLS, OPTIONAL_CONTROLS, TRAINING_CONTROLS } from './controls.ts';

/** Parameter tables of runs in an environment. */
export interface RunTables {
  readonly environment: RegisteredEnvironment;
  /** Settings of the world. They are fixed after the start of a run. */
  readonly settings: ParameterTable;
  /** Active credit rule. */
  readonly rule: ChoiceParameter;
  /** Parameters of all offered rules, without duplicates. */
  readonly ruleParameters: ParameterTable;
  readonly rewards: ParameterTable;
  readonly training: ParameterTable;
  /** Parameters that only rules with a critic use; empty if no rule has a critic. */
  readonly critic: ParameterTable;
  /** All parameters that can change during a run: all of the above except the settings. */
  readonly controls: ParameterTable;
}

export const SEED: NumberParameter = {
  kind: 'number',
  name: 'seed',
  label: 'Seed',
  default: 1,
  min: 0,
  max: 0xffffffff,
  step: 1,
  integer: true,
  help: 'Decides every random draw: the same seed and the same changes give the same curve on the same device.',
};

/** Returns the controls of a rule with the defaults of an environment. */
export function runControls(rule: RuleFacts, environment: EnvironmentName = DEFAULT_ENVIRONMENT): ParameterTable {
  const { rules } = ENVIRONMENTS[environment];
  return ruleControls(rule).map(
    (control) => ({ ...control, default: rules[control.name] ?? control.default }) as Parameter,
  );
}

/** Fields of a turn that each run sets. */
const ALWAYS: readonly TurnField[] = ['outcome', 'tokens', 'logProb', 'values'];

/** Returns true if an environment provides all fields that a rule reads, and turns of its kind. */
function isOffered(rule: RuleFacts, { turns, trees, carries, unsuitable = [] }: RegisteredEnvironment): boolean {
  const fields = [...ALWAYS, ...carries];
  return (
    rule.reads.every((field) => fields.includes(field)) &&
    (trees || rule.input === 'trajectories') &&
    (rule.turns === undefined || rule.turns === turns) &&
    !unsuitable.includes(rule.name)
  );
}

/** Names of the rules that each environment offers. The default is first, the others follow the list of rules. */
export const OFFERED = Object.fromEntries(
  ENVIRONMENT_LIST.map((environment) => {
    const names = RULE_FACTS.filter((rule) => isOffered(rule, environment)).map(({ name }) => name);
    const isDefault = (name: string) => name === environment.pinned[0];
    return [environment.name, [...names.filter(isDefault), ...names.filter((name) => !isDefault(name))]];
  }),
) as unknown as Readonly<Record<EnvironmentName, readonly string[]>>;

const cache = new Map<EnvironmentName, RunTables>();

/** Returns the tables of an environment. Repeated calls return the same objects. */
export function tablesOf(name: EnvironmentName): RunTables {
  const tables = cache.get(name) ?? createTables(ENVIRONMENTS[name]);
  cache.set(name, tables);
  return tables;
}

function createTables(environment: RegisteredEnvironment): RunTables {
  const { settings, rewards } = environment;
  const offered = OFFERED[environment.name];
  const rules = offered.map(findFacts);
  const rule: ChoiceParameter = {
    kind: 'choice',
    name: 'rule',
    label: 'Credit rule',
    default: offered[0],
    options: offered,
    accepts: isCustomRuleName,
    help: 'Function from the rewards of a group to the advantages of its turns. The rest of the update is the same for every rule.',
  };
  const parameters = rules.flatMap((known) => runControls(known, environment.name));
  const ruleParameters = [...new Map(parameters.map((parameter) => [parameter.name, parameter])).values()];
  const offeredControls = [
    ...TRAINING_CONTROLS,
    ...(environment.heldOut.length > 0 ? HELD_OUT_CONTROLS : []),
    ...environment.optional.flatMap((group) => OPTIONAL_CONTROLS[group]),
  ];
  const training = offeredControls.map(
    (control) => ({ ...control, ...environment.training[control.name] }) as Parameter,
  );
  const critic = rules.some(({ unit }) => unit === 'token') ? CRITIC_CONTROLS : [];
  const controls = [rule, ...ruleParameters, ...rewards, ...training, ...critic];
  return { environment, settings, rule, ruleParameters, rewards, training, critic, controls };
}

/** Returns the default configuration of an environment. */
export function defaultConfiguration(environment: EnvironmentName = DEFAULT_ENVIRONMENT): RunConfiguration {
  const { settings, controls } = tablesOf(environment);
  return {
    version: CONFIGURATION_VERSION,
    environment,
    settings: defaults(settings),
    seed: SEED.default,
    controls: defaults(controls),
    schedule: [],
  };
}

/**
 * Checks the name of an environment from a link or file.
 * @throws {ParameterError} that lists the names, if the name is unknown
 */
export function environmentName(name: unknown): EnvironmentName {
  const known = ENVIRONMENT_NAMES.find((candidate) => candidate === name);
  if (known) return known;
  throw new ParameterError(
    'environment',
    `environment ${JSON.stringify(name)} is not known; known: ${ENVIRONMENT_NAMES.join(', ')}`,
  );
}

/**
 * Checks the name of an engine from a link or file.
 * @throws {ParameterError} that lists the names, if the name is unknown
 */
function engineName(name: unknown): EngineName {
  const known = readEngineName(name);
  if (known) return known;
  throw new ParameterError('engine', `engine ${JSON.stringify(name)} is not known; known: ${EXACT}, ${WGSL}`);
}

/**
 * Checks a configuration from a link, a file or another version, and adds defaults for missing values.
 * @throws {ParameterError} that names the parameter and its allowed values
 */
export function checkConfiguration(configuration: RunConfiguration): RunConfiguration {
  if (configuration.version !== CONFIGURATION_VERSION) {
    throw new ParameterError(
      'version',
      `configuration version ${configuration.version} is not ${CONFIGURATION_VERSION}`,
    );
  }
  const { settings, controls } = tablesOf(environmentName(configuration.environment));
  const { engine, ...rest } = configuration;
  const checked = {
    ...rest,
    ...(engine === undefined ? {} : { engine: engineName(engine) }),
    seed: parseParameter([SEED], 'seed', configuration.seed) as number,
    settings: readParameters(settings, configuration.settings),
    controls: readParameters(controls, configuration.controls),
    schedule: configuration.schedule
      .map(({ step, changes }) => ({ step, changes: parseParameters(controls, changes) }))
      .sort((a, b) => a.step - b.step),
  };
  checkTogether(checked, checked.controls);
  let updated: RunConfiguration['controls'] = checked.controls;
  for (const { changes } of checked.schedule) {
    updated = { ...updated, ...changes };
    checkTogether(checked, updated);
  }
  return checked;
}

/**
 * Checks that the controls are compatible with each other and with the settings of a run.
 * @throws {ParameterError} that names an incompatible parameter and the reason
 */
export function checkTogether(
  { environment, settings }: Pick<RunConfiguration, 'environment' | 'settings'>,
  controls: RunConfiguration['controls'],
): void {
  const rejection = ENVIRONMENTS[environment].refuses?.(settings, controls);
  if (rejection) throw new ParameterError(rejection.parameter, rejection.why);
}
