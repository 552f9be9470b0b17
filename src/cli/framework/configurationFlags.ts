import {
  type ParameterTable,
  type ParameterValue,
  type ParameterValues,
  parseParameter,
} from '../../parameters/parameters.ts';
import type { ScheduledChange } from '../../training/data/configuration.ts';
import {
  DEFAULT_ENVIRONMENT,
  ENVIRONMENT_NAMES,
  type EnvironmentName,
  type RunConfiguration,
} from '../../training/data/configuration.ts';
import { checkConfiguration, type RunTables, tablesOf } from '../../training/data/configurationTables.ts';
import { applyPreset, PRESETS, presetsOf } from '../../training/data/presets.ts';
import { findWorld, openingRun, standardRun, worldsOf } from '../../training/data/worlds.ts';
import type { Command, ParameterSection } from './command.ts';
import { findRules, isRuleFile, namesRuleFile, withRuleFiles } from './customRuleFiles.ts';
import { UsageError } from './errors.ts';
import { choice, type Flag, list } from './flags.ts';
import { loadRun } from './policyFiles.ts';

/** `--environment NAME`. */
export const ENVIRONMENT = choice(
  'Environment of the policy. Flags, rules and defaults depend on it; --help together with this flag lists them.',
  ENVIRONMENT_NAMES,
  DEFAULT_ENVIRONMENT,
);

/** Settings of the world, as flags. */
export function settingSections({ settings }: RunTables): readonly ParameterSection[] {
  return [{ title: 'The world and its warm start (fixed from the first step on)', table: settings }];
}

/** `--world NAME`; no flag where worlds have no names. */
export function worldFlag({ environment }: RunTables): { readonly world: Flag<string | undefined> } {
  const worlds = worldsOf(environment.name);
  const [standard] = worlds;
  // Without worlds the flag takes no value.
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
  return { world: { ...named, fallback: undefined } };
}

/** Controls apart from the rule, as flags. */
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
 * A command whose flags are those of the environment that it is given, by name or in a kept run (--resume).
 * @param create the command in an environment
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

/** Returns the environment that the arguments name. The code that reads the arguments in full reports their errors. */
function findEnvironment(args: readonly string[]): EnvironmentName {
  const value = (flag: string) => {
    const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
    return at < 0 ? undefined : args[at] === flag ? args[at + 1] : args[at].slice(flag.length + 1);
  };
  const requested = ENVIRONMENT_NAMES.find((name) => name === value('--environment'));
  const named = requested ?? PRESETS.find(({ name }) => name === value('--preset'))?.environment;
  const runFile = value('--resume');
  if (named || runFile === undefined) return named ?? DEFAULT_ENVIRONMENT;
  try {
    return loadRun(runFile).configuration.environment;
  } catch {
    return DEFAULT_ENVIRONMENT;
  }
}

type Entries = readonly (readonly [string, ParameterValue])[];

/**
 * `--set name=value,...`: any number of parameters of a table; and of rules in files, which are looked at when these are read.
 * @param files whether rules may be files (withRuleFiles)
 */
export function setFlag(table: ParameterTable, files = false): Flag<readonly Entries[]> {
  const help =
    'Parameters by name. Each parameter is also a flag below, which overrides --set. Parameters of a rule in a file ' +
    '(--rule ./my_rule.py) can only be set here.';
  return list('NAME=VALUE,...', help, (text) => readEntries(table, text, [], files));
}

/** `--at STEP:name=value,...`: changes that happen by themselves. */
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

/** `--preset NAME`. Its environment is the run's where none is named. */
export const PRESET: Flag<string> = choice(
  `Configuration to start from: ${ENVIRONMENT_NAMES.map(presetList).join('; ')}.`,
  PRESETS.map(({ name }) => name),
  'mt-grpo',
);

/** @param world parameters that may not be changed here @param allowsUnknown names that the table lacks are taken as they are */
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
 * Values of a command line, with the names of rules in place of the paths of their files. Values of `--set` that are
 * parameters of the rule become part of its name. A value that matches neither the rule nor the tables is refused.
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

/** Settings of a run on a command line. */
export interface ConfigurationFlags {
  readonly environment?: EnvironmentName;
  readonly world?: string | undefined;
  readonly preset?: string;
  readonly seed?: number;
  readonly set?: readonly Entries[];
  readonly at?: readonly ScheduledChange[];
}

/** The configuration of a command line: world, preset, then --set, then flags with the names of settings. */
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

/** The given values that belong to a table. */
export function pick(values: ParameterValues, table: ParameterTable): ParameterValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => table.some((known) => known.name === name)));
}
