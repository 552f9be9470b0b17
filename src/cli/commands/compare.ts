import { ruleLabel } from '../../credit/ruleFacts.ts';
import {
  type Arm,
  ArmError,
  armSettings,
  EXPERT_ARM,
  entryOf,
  isExpert,
  readArm as read,
  removeArmSettings,
  supportsExpertIteration,
  switchedArms,
  updatesLeft,
} from '../../experiments/compare/arms.ts';
import type { ComparedEnvironment } from '../../experiments/compare/compared.ts';
import { COMPARED } from '../../experiments/compare/comparedEnvironments.ts';
import { runComparison } from '../../experiments/compare/comparison.ts';
import {
  type ComparisonPlan,
  type Findings,
  missingRuns,
  runConfiguration,
} from '../../experiments/compare/findings.ts';
import { parseParameters } from '../../parameters/parameters.ts';
import { CONFIGURATION_VERSION, DEFAULT_ENVIRONMENT } from '../../training/data/configuration.ts';
import { checkTogether, type RunTables } from '../../training/data/configurationTables.ts';
import { type ComparisonFile, comparisonJson, readComparison, standardFile } from '../compare/comparisonFile.ts';
import { comparisonSvg } from '../compare/comparisonSvg.ts';
import { comparisonMarkdown, comparisonText } from '../compare/comparisonText.ts';
import { sharedStart, startsOf, worldsWithModels } from '../compare/starts.ts';
import { type Command, defineCommand } from '../framework/command.ts';
import {
  controlSections,
  ENVIRONMENT,
  perEnvironment,
  readConfiguration,
  setFlag,
  settingSections,
  worldFlag,
} from '../framework/configurationFlags.ts';
import { findRules, isRuleFile, type ResolvedRule } from '../framework/customRuleFiles.ts';
import { ENGINE, type EngineChoice, withDevice } from '../framework/device.ts';
import { EXIT, UsageError } from '../framework/errors.ts';
import { type Flag, integerFlag, integerListFlag, named, text, toggle } from '../framework/flags.ts';
import { codeOf, version } from '../framework/installation.ts';
import { filesRead, show } from '../framework/policyFiles.ts';
import { Progress, type Terminal } from '../framework/terminal.ts';
import { progressNote } from '../framework/worldRuns.ts';
import { type Output, withOutputs } from '../output/outputs.ts';

const FRESH = {
  freshWarmStart: toggle(
    'Make a separate warm start for every seed (warmSeed = seed) instead of sharing the shipped warm start.',
  ),
  worlds: integerFlag(
    'Number of worlds, to which the seeds are assigned cyclically (worldSeed = warmSeed = 0, 1, ...). Each world has a ' +
      'separate warm start, which is made if it is not shipped.',
    { min: 1, max: 100, default: 1 },
  ),
};

/** Command that trains several arms over several seeds, in any environment. */
export const compareCommand = perEnvironment(compareIn);

/**
 * Creates `compare` for one environment. It trains every arm at every seed from the same policy and reports the
 * findings.
 */
function compareIn(tables: RunTables): Command {
  const environment = tables.environment.name;
  const compared = COMPARED[environment];
  const { standard, measuring } = compared;
  const additional = Object.values(COMPARED).flatMap((comparison) =>
    comparison === compared ? [] : comparison.examples.slice(0, 1),
  );
  return defineCommand({
    name: 'compare',
    summary: 'train several credit rules over several seeds and test the claims of the papers',
    description:
      'Trains each arm with each seed. An arm is a credit rule, with or without changed parameters. The arms of a seed ' +
      'start from the same policy and get the same tasks; they differ only in the parameters that their names list. ' +
      'Prints a table, notes on how to read it and a conclusion on each claim of the papers. Writes all results as JSON ' +
      'after every run; with this file, a stopped comparison continues and a finished comparison is printed at once.',
    flags: {
      environment: ENVIRONMENT,
      engine: ENGINE,
      ...worldFlag(tables),
      rules: armsFlag(tables, standard.arms),
      seeds: integerFlag('Seeds per arm: 1, 2, ... up to this number.', { min: 1, max: 100, default: standard.seeds }),
      steps: integerFlag('Updates per run; with --switch, updates after the switch.', {
        min: 1,
        max: 100_000,
        default: standard.steps,
      }),
      switch: integerListFlag(
        'Switch each arm to each other arm after these numbers of updates, and report the values after the switch. ' +
          'Updates that several runs share are trained once.',
        { min: 1, max: 100_000 },
      ),
      habit: integerFlag(
        'With --switch: every run begins with this number of updates under the first arm of --rules, continues under ' +
          'another arm, and then switches back to the first. --switch counts updates from the end of these first updates.',
        { min: 0, max: 100_000, default: 0 },
      ),
      ...(compared.freshWarmStart ? FRESH : ({} as Partial<typeof FRESH>)),
      checkpoint: text(
        'FILE',
        'Start all runs from this checkpoint or saved run instead of the warm start of the world.',
      ),
      ...measuringFlags(compared),
      json: text(
        'FILE',
        'Write all results to this file after every run. The same command continues a stopped comparison.',
        standardFile(environment),
      ),
      svg: text('FILE', 'Draw the curves to this file: every seed thin, the mean bold.'),
      markdown: text('FILE', 'Write the table and the conclusions to this file as Markdown.'),
      set: setFlag([...tables.settings, ...tables.controls.filter((control) => control !== tables.rule)]),
    },
    parameters: [...controlSections(tables), ...settingSections(tables)],
    // The help of the default environment also shows one example of each other environment.
    examples: environment === DEFAULT_ENVIRONMENT ? [...compared.examples, ...additional] : compared.examples,
    async run({ flags, parameters }, terminal) {
      checkStarts(flags);
      const read = await readArms(flags.switch.length > 0 ? removeArmSettings(tables) : tables, flags.rules);
      const arms = armsOf(read, flags.switch, flags.habit);
      const seeds = Array.from({ length: flags.seeds }, (_, index) => index + 1);
      const { settings, controls } = readConfiguration({ environment, world: flags.world, set: flags.set }, parameters);
      const { rule: _, ...shared } = controls;
      const { temperature, topP, topK } = { ...shared, ...tables.environment.evaluation } as Record<string, number>;
      const amounts = Object.keys(measuring).map((name) => [name, (flags as Record<string, unknown>)[name] as number]);
      const plan: ComparisonPlan = {
        ...{ configurationVersion: CONFIGURATION_VERSION, environment, steps: flags.steps, settings, controls: shared },
        freshWarmStart: flags.freshWarmStart ?? false,
        worlds: flags.worlds ?? 1,
        measuring: {
          ...Object.fromEntries(amounts),
          ...(compared.separateSampling ? { temperature, topP, topK } : {}),
        },
      };
      const options = { inputs: filesRead(flags, settings, environment), rereadOutputs: ['json'] } as const;
      const files = { json: flags.json, svg: flags.svg, markdown: flags.markdown };
      return withOutputs(terminal, files, options, async ({ json, svg, markdown }) => {
        const before = readComparison(flags.json, plan);
        const request: ComparisonRequest = { arms, seeds, json, checkpoint: flags.checkpoint, engine: flags.engine };
        const done = missingRuns(before, arms, seeds).length === 0;
        const file = done ? before : await train(before, request, terminal);
        if (terminal.signal.aborted) return interrupted(file, request, terminal);
        const result = selectRequested(file, request);
        terminal.out(comparisonText(result));
        terminal.err(`all results are in ${show(flags.json)}\n`);
        await svg?.write(comparisonSvg(result));
        await markdown?.write(comparisonMarkdown(result));
        return EXIT.done;
      });
    },
  });
}

/**
 * Returns the arms unchanged, or the arms that switch from one rule to another.
 * @throws {UsageError} if an arm has no other arm to switch to
 */
function armsOf(arms: readonly Arm[], steps: readonly number[], habit: number): readonly Arm[] {
  if (steps.length === 0 && habit > 0) throw new UsageError('--habit: needs --switch; name the steps of the switch');
  if (steps.length === 0) return arms;
  const expert = arms.find(isExpert);
  if (expert) throw new UsageError(`--switch: ${expert.name} cannot switch (no updates); leave it out of --rules`);
  if (arms.length < 2) throw new UsageError(`--switch: --rules has one arm, ${arms[0].name}; name two arms or more`);
  return switchedArms(arms, steps, habit);
}

/**
 * Checks that the flags specify at most one source of the warm start.
 * @throws {UsageError} if two flags contradict each other
 */
function checkStarts({ worlds = 1, ...rest }: Readonly<Partial<Record<'worlds', number>>>): void {
  if (worlds === 1) return;
  const given = rest as Readonly<Record<string, unknown>>;
  const second = ['freshWarmStart', 'checkpoint'].find((name) => given[name]);
  if (second) throw new UsageError(`--worlds ${worlds}: each world has its own warm start; leave out --${second}`);
}

/** Returns the flags for the settings of the measurement of policies. */
function measuringFlags({ measuring }: ComparedEnvironment) {
  return Object.fromEntries(
    Object.entries(measuring).map(([name, amount]) => [name, integerFlag(amount.help, amount)]),
  );
}

/** Parsed values of the command line. */
interface ComparisonRequest {
  readonly arms: readonly Arm[];
  readonly seeds: readonly number[];
  readonly json: Output;
  readonly checkpoint: string | undefined;
  readonly engine: EngineChoice | undefined;
}

/** Executes the missing runs, and saves the findings after each run. */
async function train(
  before: ComparisonFile,
  { arms, seeds, json, checkpoint, engine }: ComparisonRequest,
  terminal: Terminal,
): Promise<ComparisonFile> {
  const { plan } = before;
  for (const arm of arms) {
    const { settings, controls, environment } = runConfiguration(plan, arm, seeds[0]);
    checkTogether({ environment, settings }, controls);
  }
  // The policy is read before the device is opened, so that a missing file is reported immediately.
  const shared = plan.freshWarmStart || plan.worlds > 1 ? undefined : await sharedStart(plan, checkpoint);
  const code = codeOf(plan.environment);
  return withDevice(terminal, engine, async (device) => {
    const progress = new Progress(terminal, updatesLeft(plan, missingRuns(before, arms, seeds)));
    const file = (findings: Findings): ComparisonFile => ({ ...findings, arms, device: device.name });
    const starts = startsOf(device, plan, terminal);
    const start = shared ? async () => shared : starts;
    let label = '';
    try {
      const result = await runComparison(device, before, arms, seeds, {
        start,
        provenance: { version: version(), device: device.name, code },
        open: worldsWithModels(device, plan, terminal, start),
        started: (arm, seed) => {
          label = `${arm.name} seed ${seed}`;
        },
        metrics: (metrics) => progress.advance(`${label}, update ${metrics.step + 1};`, progressNote(metrics)),
        onUpdate: () => progress.advance(`${label};`, 'expert iteration'),
        finished: (findings) => json.write(comparisonJson(file(findings))),
        signal: terminal.signal,
      });
      return file(result);
    } finally {
      progress.close();
    }
  });
}

/** Selects the requested arms and seeds. A file can have more of them. */
function selectRequested(file: ComparisonFile, { arms, seeds }: ComparisonRequest): ComparisonFile {
  const names = arms.map(({ name }) => name);
  const runs = file.runs.filter(({ arm, seed }) => seeds.includes(seed) && names.includes(arm.name));
  return { ...file, arms, runs, base: file.base.filter(({ seed }) => seeds.includes(seed)) };
}

function interrupted(file: ComparisonFile, { arms, seeds, json }: ComparisonRequest, terminal: Terminal): number {
  const left = missingRuns(file, arms, seeds).length;
  const saved = file.runs.length === 0 ? 'no run is finished' : `finished runs are in ${show(json.file)}`;
  terminal.err(`interrupted: ${left} runs are missing; ${saved}\n`);
  return EXIT.interrupted;
}

/**
 * Creates the flag `--rules RULE:NAME=VALUE:NAME=VALUE,RULE,...`, the arms of a comparison. A name is a parameter of
 * the rule (`norm`) or a control (`verpoNorm`, `learningRate`). The value of the flag is the list of names of the arms,
 * which `readArm` accepts.
 */
function armsFlag(tables: RunTables, standard: readonly string[]): Flag<readonly string[]> {
  const { options } = tables.rule;
  const settingNames = armSettings(tables)
    .map(({ name }) => name)
    .join(', ');
  return {
    kind: 'value',
    placeholder: 'RULE:NAME=VALUE:...,...',
    help:
      'Arms, separated by commas. An arm is a credit rule, followed after colons by the controls of this arm only, for ' +
      'example murphy-mars:inter=2 or verpo:norm=std:learningRate=2e-4. Slashes separate the values of a list: inter=2/1. ' +
      'A parameter has its name in the rule (docs/reference/rules) or the name of its flag' +
      (settingNames === '' ? '' : `; these settings of the world are allowed too: ${settingNames}`) +
      '. A Python file is a rule: ./my_rule.py:alpha=0.5.' +
      (supportsExpertIteration(tables)
        ? ` ${EXPERT_ARM} is expert iteration, with the parameters of that command: ${EXPERT_ARM}:samples=4.`
        : ''),
    allowed: `rules from ${options.join(', ')}${supportsExpertIteration(tables) ? `, ${EXPERT_ARM}` : ''}`,
    fallback: standard,
    add: (_, given, name) =>
      named(name, () => {
        const names = given.split(',').map((text) => armName(tables, text.trim()));
        const twice = names.find((candidate, index) => names.indexOf(candidate) < index);
        if (twice !== undefined) throw new UsageError(`"${given}" names ${twice} twice`);
        return names;
      }),
  };
}

/** Returns the name of an arm. A rule file is not read here, so its arm keeps the given text. */
function armName(tables: RunTables, text: string): string {
  return isRuleFile(text.split(':')[0]) ? text : readArm(tables, text).name;
}

/**
 * Reads the arms of a comparison. The name of an arm from a file consists of the file, the values, and a mark that
 * distinguishes two texts of one file.
 * @throws {UsageError | ParameterError | CustomRuleError} with the part of the arm that is wrong
 */
export async function readArms(tables: RunTables, texts: readonly string[]): Promise<readonly Arm[]> {
  const requested = texts.map((text) => {
    const [rule, ...parts] = text.split(':');
    return {
      rule,
      given: isRuleFile(rule) ? asUsage(() => Object.fromEntries(parts.map((part) => entryOf(part, text)))) : {},
    };
  });
  const matches = await findRules(requested);
  return texts.map((text, index) =>
    isRuleFile(requested[index].rule)
      ? createCustomArm(tables, matches[index], requested[index].rule)
      : readArm(tables, text),
  );
}

/** Creates an arm of a rule file. Values that are not parameters of the rule are controls. */
function createCustomArm(tables: RunTables, { rule, rest }: ResolvedRule, path: string): Arm {
  const controls = [...tables.rewards, ...tables.training];
  const unknown = Object.keys(rest).find((name) => !controls.some((control) => control.name === name));
  if (unknown !== undefined) throw new UsageError(`neither ${path} nor a run has a parameter "${unknown}"`);
  const changes = parseParameters(controls, rest);
  const suffixes = Object.entries(changes).map(([control, value]) => `:${control}=${value}`);
  return { name: `${ruleLabel(rule)}${suffixes.sort().join('')}`, rule, changes };
}

/**
 * Reads an arm from a text of `--rules`.
 * @param tables without `armSettings` if all arms must be in one world
 * @throws {UsageError | ParameterError} with the part of the arm that is wrong
 */
export function readArm(tables: RunTables, text: string): Arm {
  return asUsage(() => read(tables, text));
}

function asUsage<Value>(reading: () => Value): Value {
  try {
    return reading();
  } catch (error) {
    throw error instanceof ArmError ? new UsageError(error.message) : error;
  }
}
