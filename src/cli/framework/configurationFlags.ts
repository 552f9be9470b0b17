import { existsSync } from 'node:fs';
import type { CustomTasks } from '../../environments/environment.ts';
import { ENVIRONMENTS } from '../../environments/registry.ts';
import {
  type ParameterTable,
  type ParameterValue,
  type ParameterValues,
  parseParameter,
} from '../../parameters/parameters.ts';
import {
  DEFAULT_ENVIRONMENT,
  ENVIRONMENT_NAMES,
  type EnvironmentName,
  type RunConfiguration,
  type ScheduledChange,
} from '../../training/data/configuration.ts';
import { checkConfiguration, type RunTables, tablesOf } from '../../training/data/configurationTables.ts';
import {
  applyPreset,
  findWorld,
  openingRun,
  PRESETS,
  presetsOf,
  standardRun,
  worldsOf,
} from '../../training/data/worlds.ts';
import { type Command, type ParameterSection, valuesOf } from './command.ts';
import { findRules, isRuleFile, namesRuleFile, withRuleFiles } from './customRuleFiles.ts';
import { UsageError } from './errors.ts';
import { choice, type Flag, type FlagTable, list, optional, text } from './flags.ts';
import { readTextFile } from './inputs.ts';
import { loadRun } from './policyFiles.ts';

/** Flag `--environment NAME`. */
export const ENVIRONMENT = choice(
  'Environment of the policy. Flags, rules and defaults depend on it; --help together with this flag lists them.',
  ENVIRONMENT_NAMES,
  DEFAULT_ENVIRONMENT,
);

/** Returns the settings of the world as flags. */
export function settingSections({ settings }: RunTables): readonly ParameterSection[] {
  return [{ title: 'The world and its warm start (fixed from the first step on)', table: settings }];
}

/** Creates the flag `--world NAME`. Returns no flag if the environment has no named worlds. */
export function worldFlag({ environment }: RunTables): { readonly world: Flag<string | undefined> } {
  const worlds = worldsOf(environment.name);
  const [standard] = worlds;
  // The type has the flag in all environments. The value of a missing flag is undefined.
  if (!standard) return {} as { readonly world: Flag<string | undefined> };
  const description = worlds.map(({ name, shows }) => `${name}: ${shows}`).join(' ');
  const help =
    `The world of the run, with its training settings; the default is ${standard.name}. ${description} ` +
    'A preset, and flags of single parameters, override it.';
  const named = choice(
    help,
    worlds.map(({ name }) => name),
    standard.name,
  );
  return { world: optional(named) };
}

/** Returns the controls as flags, without the rule. */
export function controlSections({ ruleParameters, rewards, training, critic }: RunTables): readonly ParameterSection[] {
  const sections = [
    { title: 'Parameters of the rules', table: ruleParameters },
    { title: 'Rewards', table: rewards },
    { title: 'Training', table: training },
    { title: 'The critic of the PPO rules', table: critic },
  ];
  return sections.filter(({ table }) => table.length > 0);
}

export function ruleSection({ rule }: RunTables): ParameterSection {
  return { title: 'The rule', table: [rule] };
}

/**
 * Creates a command whose flags depend on the environment. The arguments give the environment by its name, by a preset
 * or by a saved run (`--resume`).
 * @param create returns the command of an environment
 */
export function perEnvironment(create: (tables: RunTables) => Command): Command {
  return {
    ...create(tablesOf(DEFAULT_ENVIRONMENT)),
    as(args) {
      const name = findEnvironment(args);
      const tables = tablesOf(name);
      const command = create(namesRuleFile(args) ? withRuleFiles(tables) : tables);
      const examples = command.examples.filter((example) => example.startsWith(`--environment ${name}`));
      return name === DEFAULT_ENVIRONMENT ? command : { ...command, examples };
    },
  };
}

/** Returns the environment that the arguments name. It ignores errors, which the parser of the arguments reports. */
function findEnvironment(args: readonly string[]): EnvironmentName {
  const value = (flag: string) => valuesOf(flag, args)[0];
  const requested = ENVIRONMENT_NAMES.find((name) => name === value('environment'));
  const named = requested ?? PRESETS.find(({ name }) => name === value('preset'))?.environment;
  const runFile = value('resume');
  if (named || runFile === undefined) return named ?? DEFAULT_ENVIRONMENT;
  try {
    return loadRun(runFile).configuration.environment;
  } catch {
    return DEFAULT_ENVIRONMENT;
  }
}

type Entries = readonly (readonly [string, ParameterValue])[];

/**
 * Creates the flag `--set name=value,...`, any number of parameters of a table.
 * @param files true if rules can be files (`withRuleFiles`); values of unknown names are then checked with the file
 */
export function setFlag(table: ParameterTable, files = false): Flag<readonly Entries[]> {
  const help =
    'Parameters by name. Each parameter is also a flag below, which overrides --set. Parameters of a rule in a file ' +
    '(--rule ./my_rule.py) can only be set here.';
  return list('NAME=VALUE,...', help, (text) => readEntries(table, text, [], files));
}

/** Creates the flag `--at STEP:name=value,...`, scheduled changes of controls. */
export function atFlag({ controls, settings }: RunTables): Flag<readonly ScheduledChange[]> {
  const help =
    'Changes the rule or other controls before the update of a step, for example 60:rule=grpo-or,learningRate=3e-4. ' +
    'Everything except the world may change.';
  return list('STEP:NAME=VALUE,...', help, (text) => {
    const match = /^(\d{1,7}):(.+)$/s.exec(text);
    if (!match) throw new UsageError(`it must be STEP:NAME=VALUE,... with a whole number for the step`);
    return { step: Number(match[1]), changes: Object.fromEntries(readEntries(controls, match[2], settings)) };
  });
}

function presetList(environment: EnvironmentName): string {
  const names = presetsOf(environment).map(({ name, title }) => `${name} (${title})`);
  return `in ${environment} ${names.join(', ')}`;
}

/** Flag `--preset NAME`. Without `--environment`, the environment of the preset applies. */
export const PRESET: Flag<string> = choice(
  `Configuration to start from: ${ENVIRONMENT_NAMES.map(presetList).join('; ')}.`,
  PRESETS.map(({ name }) => name),
  'mt-grpo',
);

/**
 * Reads `NAME=VALUE,...`.
 * @param world parameters that cannot change here
 * @param allowsUnknown true if a value whose name is not in the table remains a text
 */
function readEntries(table: ParameterTable, text: string, world: ParameterTable = [], allowsUnknown = false): Entries {
  return text.split(',').map((part) => {
    const match = /^\s*(\w+)\s*=\s*(\S+)\s*$/.exec(part);
    if (!match) throw new UsageError(`"${part}" is not NAME=VALUE`);
    const [, name, value] = match;
    if (world.some((setting) => setting.name === name)) {
      throw new UsageError(`${name} is a setting of the world and cannot change during a run; use --${name}`);
    }
    const known = table.some((parameter) => parameter.name === name);
    return [name, allowsUnknown && !known ? value : parseParameter(table, name, value)] as const;
  });
}

/**
 * Replaces the paths of rule files on a command line by the names of their rules. Values of `--set` that are parameters
 * of the rule become part of its name. A value that matches neither the rule nor the tables is rejected.
 * @throws {UsageError | CustomRuleError | ParameterError}
 */
export async function resolveCustomRules<Flags extends Pick<ConfigurationFlags, 'set' | 'at'>>(
  flags: Flags,
  parameters: ParameterValues,
  { settings, controls }: RunTables,
): Promise<{ readonly flags: Flags; readonly parameters: ParameterValues }> {
  const { rule } = { ...Object.fromEntries((flags.set ?? []).flat()), ...parameters };
  const scheduledRules = (flags.at ?? []).map(({ changes }) => changes.rule);
  if (![rule, ...scheduledRules].some(isRuleFile)) return { flags, parameters };
  const { rule: _, ...given } = Object.fromEntries((flags.set ?? []).flat());
  const requested = [rule, ...scheduledRules].map((ruleName, index) => ({
    rule: String(ruleName ?? ''),
    given: index === 0 ? given : {},
  }));
  const [first, ...rest] = await findRules(requested);
  const unknown = Object.keys(first.rest).find(
    (name) => ![...settings, ...controls].some((parameter) => parameter.name === name),
  );
  if (unknown !== undefined) throw new UsageError(`--set: neither ${rule} nor a run has a parameter "${unknown}"`);
  const at = (flags.at ?? []).map(({ step, changes }, index) => {
    return { step, changes: 'rule' in changes ? { ...changes, rule: rest[index].rule } : changes };
  });
  const ruleParameter = rule === undefined ? {} : { rule: first.rule };
  return {
    flags: { ...flags, at, set: [Object.entries(first.rest)] },
    parameters: { ...parameters, ...ruleParameter },
  };
}

/** Flags that determine the configuration of a run. */
export interface ConfigurationFlags {
  readonly environment?: EnvironmentName;
  readonly world?: string | undefined;
  readonly preset?: string;
  readonly seed?: number;
  readonly set?: readonly Entries[];
  readonly at?: readonly ScheduledChange[];
}

/**
 * Returns the configuration of a command line. Each source overrides the sources before it: world, preset, `--set`, and
 * flags of single parameters.
 */
export function readConfiguration(flags: ConfigurationFlags, parameters: ParameterValues): RunConfiguration {
  const preset = PRESETS.find(({ name }) => name === flags.preset);
  const { environment = preset?.environment ?? DEFAULT_ENVIRONMENT } = flags;
  if (preset && preset.environment !== environment) {
    throw new UsageError(
      `--preset: ${preset.name} is for the environment ${preset.environment}, and --environment is ${environment}`,
    );
  }
  const named = flags.world ?? preset?.world;
  const standard =
    named === undefined ? openingRun(environment) : standardRun(environment, findWorld(environment, named));
  const base = preset ? applyPreset(preset, standard) : standard;
  const { settings, controls } = tablesOf(environment);
  const given = { ...Object.fromEntries((flags.set ?? []).flat()), ...parameters };
  return checkConfiguration({
    ...base,
    seed: flags.seed ?? base.seed,
    settings: { ...base.settings, ...pick(given, settings) },
    controls: { ...base.controls, ...pick(given, controls) },
    schedule: [...base.schedule, ...(flags.at ?? [])],
  });
}

/** Returns the values whose names are in a table. */
export function pick(values: ParameterValues, table: ParameterTable): ParameterValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => table.some((known) => known.name === name)));
}

const HELP =
  'to train and evaluate on instead of the shipped ones, as JSON Lines. The warm start does not change. A saved run does not ' +
  'contain them: repeat this flag with --resume.';

/** Creates the flag for a file of custom tasks. Returns no flag if the environment does not support custom tasks. */
export function createCustomTasksFlag(environment: EnvironmentName): FlagTable {
  const { customTasks } = ENVIRONMENTS[environment];
  return customTasks ? { [customTasks.flag]: text('FILE', `${customTasks.help} ${HELP}`) } : {};
}

/**
 * Reads the file of custom tasks, or returns undefined if no flag names a file.
 * @throws {UsageError} if the file cannot be read
 */
export function readCustomTasks(environment: EnvironmentName, flags: object): CustomTasks | undefined {
  for (const flag of Object.keys(createCustomTasksFlag(environment))) {
    const file = (flags as Readonly<Record<string, string | undefined>>)[flag];
    if (file === undefined) continue;
    if (!existsSync(file)) throw new UsageError(`--${flag}: there is no file ${file}`);
    return { file, text: readTextFile(flag, file) };
  }
  return undefined;
}
