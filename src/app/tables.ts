import { RULES } from '../credit/rules.ts';
import { SEARCH_CONTROLS } from '../environments/search/rewards.ts';
import { SEARCH_SETTINGS } from '../environments/search/settings.ts';
import type { ChoiceParameter, NumberParameter, ParameterTable } from '../parameters/parameters.ts';
import { defaults } from '../parameters/parameters.ts';
import { CONFIGURATION_VERSION, type RunConfiguration } from '../training/configuration.ts';
import { TRAINING_CONTROLS } from '../training/controls.ts';
import { strings } from './strings.ts';

/** Every parameter that the page can show and that a URL can hold, grouped by where the page shows it. */
export interface Tables {
  /** The world; fixed once a run has started. */
  readonly settings: ParameterTable;
  readonly rule: ChoiceParameter;
  /** Parameters of each rule by the rule's name. */
  readonly ruleParameters: Readonly<Record<string, ParameterTable>>;
  readonly rewards: ParameterTable;
  readonly training: ParameterTable;
  /** Everything that may change while a run goes on: rule, its parameters, rewards, training. */
  readonly controls: ParameterTable;
  readonly seed: NumberParameter;
}

/** The rule that a run starts with unless the link says otherwise. */
const FIRST_RULE = 'mt-grpo';

/** Parameters of all rules, each name once. */
function unionOf(tables: readonly ParameterTable[]): ParameterTable {
  const byName = new Map(tables.flat().map((parameter) => [parameter.name, parameter]));
  return [...byName.values()];
}

function gather(): Tables {
  const rule: ChoiceParameter = {
    kind: 'choice',
    name: 'rule',
    label: strings.rule.label,
    default: FIRST_RULE,
    options: RULES.map((candidate) => candidate.name),
    help: strings.rule.help,
  };
  const ruleTables = RULES.map((candidate) => candidate.parameters);
  return {
    settings: SEARCH_SETTINGS,
    rule,
    ruleParameters: Object.fromEntries(RULES.map((candidate) => [candidate.name, candidate.parameters])),
    rewards: SEARCH_CONTROLS,
    training: TRAINING_CONTROLS,
    controls: [rule, ...unionOf(ruleTables), ...SEARCH_CONTROLS, ...TRAINING_CONTROLS],
    seed: {
      kind: 'number',
      name: 'seed',
      label: strings.transport.seed,
      default: 1,
      min: 0,
      max: 0xffffffff,
      step: 1,
      integer: true,
      help: strings.transport.seedHelp,
    },
  };
}

export const TABLES: Tables = gather();

/** The configuration of a page that is opened without anything in its URL. */
export function defaultConfiguration(tables: Tables = TABLES): RunConfiguration {
  return {
    version: CONFIGURATION_VERSION,
    environment: 'search',
    settings: defaults(tables.settings),
    seed: tables.seed.default,
    controls: defaults(tables.controls),
    schedule: [],
  };
}

/** The title of a rule for people; its name where the list lacks it (a run from a newer version). */
export function ruleTitle(name: string): string {
  return RULES.find((candidate) => candidate.name === name)?.title ?? name;
}
