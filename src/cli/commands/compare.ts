import {
  type ComparisonPlan,
  type Findings,
  missingArms,
  runComparison,
  settingsOf,
  type WarmStart,
} from '../../experiments/compare/comparison.ts';
import type { Gpu } from '../../gpu/device.ts';
import type { PolicyState } from '../../policy/policy.ts';
import { CONFIGURATION_VERSION } from '../../training/data/configuration.ts';
import { CONTROLS, RULE, type RunTables, SETTINGS, tablesOf } from '../../training/data/configurationTables.ts';
import { compareArmsCommand } from '../compare/compareArms.ts';
import { type ComparisonFile, comparisonJson, DEFAULT_FILE, readComparison } from '../compare/compareFile.ts';
import { comparisonSvg } from '../compare/compareSvg.ts';
import { comparisonMarkdown, comparisonText } from '../compare/compareText.ts';
import { type Command, defineCommand } from '../framework/command.ts';
import {
  controlSections,
  ENVIRONMENT,
  perEnvironment,
  readConfiguration,
  setFlag,
  settingSections,
} from '../framework/configurationFlags.ts';
import { withGpu } from '../framework/device.ts';
import { EXIT, UsageError } from '../framework/errors.ts';
import { text, toggle, whole, words } from '../framework/flags.ts';
import { openWorld } from '../framework/openWorld.ts';
import { filesRead, loadPolicy, show } from '../framework/policyFiles.ts';
import { Progress, type Terminal } from '../framework/terminal.ts';
import { withOutputs } from '../output/outputs.ts';
import { progressNote } from './train.ts';
import { makeWarmStart } from './warmStart.ts';

/** The claims are about runs of the search environment. */
const TABLES = tablesOf('search');

const FLAGS = {
  environment: ENVIRONMENT,
  rules: words('Credit rules to compare.', RULE.options, ['grpo-or', 'grpo-mr', 'mt-grpo']),
  seeds: whole('Seeds a rule: 1, 2, ... up to this number.', { min: 1, max: 100, default: 5 }),
  steps: whole('Updates an arm.', { min: 1, max: 100_000, default: 120 }),
  freshWarmStart: toggle(
    'Make a warm start of its own for every seed (warmSeed = seed) instead of sharing the shipped one.',
  ),
  checkpoint: text('FILE', 'Start all arms from this checkpoint or kept run instead of the warm start of the world.'),
  heldOut: whole('Held-out questions to ask each trained policy.', { min: 1, max: 100_000, default: 512 }),
  base: whole('Training questions to ask each warm start.', { min: 1, max: 100_000, default: 1024 }),
  json: text(
    'FILE',
    'Keep everything here, after every arm; the same command goes on where it was stopped.',
    DEFAULT_FILE,
  ),
  svg: text('FILE', 'Draw the curves: every seed thin, the mean bold.'),
  markdown: text('FILE', 'Write the table and the verdicts as Markdown.'),
  set: setFlag([...SETTINGS, ...CONTROLS.filter((control) => control !== RULE)]),
} as const;

/** In the search environment: trains every rule at every seed from the same policy, and says what was found. */
const searchCommand: Command = defineCommand({
  name: 'compare',
  summary: 'train several credit rules over several seeds and put the claims to the test',
  description:
    'Trains each rule with each seed. The arms of a seed start from the same policy and meet the same questions; they ' +
    'differ in the credit rule alone. Prints the table of tool use and answers and whether the collapse and the rescue ' +
    'were reproduced, and writes everything as JSON. With that file a stopped comparison goes on where it was, and a ' +
    'finished one is printed at once.',
  flags: FLAGS,
  parameters: [...controlSections(TABLES), ...settingSections(TABLES)],
  examples: [
    '--rules grpo-or,grpo-mr,mt-grpo --seeds 5 --steps 120',
    '--seeds 2 --steps 60 --json found.json --svg curves.svg --markdown table.md',
    '--environment repair --rules grpo-mt,murphy-mars:inter=2,verpo --seeds 3',
    '--environment repo --seeds 3 --steps 80',
  ],
  async run({ flags, parameters }, terminal) {
    const { settings, controls } = readConfiguration({ set: flags.set }, parameters);
    const { rule: _, ...shared } = controls;
    const plan: ComparisonPlan = {
      configurationVersion: CONFIGURATION_VERSION,
      steps: flags.steps,
      settings,
      controls: shared,
      freshWarmStart: flags.freshWarmStart,
      baseEpisodes: flags.base,
      heldOutEpisodes: flags.heldOut,
    };
    const inputs = filesRead(flags, settings, 'search');
    const options = { inputs, readAgain: ['json'] } as const;
    const { json: kept, svg: drawn, markdown: told } = flags;
    return withOutputs(
      terminal,
      { json: kept, svg: drawn, markdown: told },
      options,
      async ({ json, svg, markdown }) => {
        const seeds = Array.from({ length: flags.seeds }, (_, index) => index + 1);
        const before = readComparison(flags.json, plan);
        const missing = missingArms(before, flags.rules, seeds);
        let device = before.device;
        let findings: Findings = before;
        if (missing.length > 0) {
          // Read before the device is opened: a missing file is said at once.
          const start = flags.freshWarmStart ? undefined : loadPolicy(settings, flags.checkpoint);
          findings = await withGpu(terminal, async (gpu) => {
            device = gpu.name;
            const keep = (found: Findings) => json.write(comparisonJson(file(found, flags.rules, device)));
            const warmStart = (seed: number) =>
              start ? Promise.resolve(start) : freshWarmStart(gpu, plan, seed, terminal);
            return train(gpu, before, flags.rules, seeds, terminal, warmStart, keep);
          });
        }
        if (terminal.signal.aborted) return interrupted(findings, flags.rules, seeds, flags.json, terminal);
        const result = file(onlyAskedFor(findings, flags.rules, seeds), flags.rules, device);
        terminal.out(comparisonText(result));
        terminal.err(`everything measured is in ${show(flags.json)}\n`);
        await svg?.write(comparisonSvg(result));
        await markdown?.write(comparisonMarkdown(result));
        return EXIT.done;
      },
    );
  },
});

/** Trains several rules over several seeds, in any environment. */
export const compareCommand = perEnvironment((tables) => {
  const { measuredBy } = tables.environment;
  if (measuredBy === 'facts') return refusal(tables);
  return measuredBy === 'rates' ? searchCommand : compareArmsCommand(tables);
});

/** The command in an environment that nothing is claimed of: it says so, and how its rules are set side by side. */
function refusal({ environment: { name, title } }: RunTables): Command {
  return {
    ...searchCommand,
    run: async () => {
      throw new UsageError(
        `--environment ${name}: no paper claims anything of ${title} that could be put to the test; \`train\` each rule with ` +
          '--seed 1, 2, ... and --out, and compare the files',
      );
    },
  };
}

async function train(
  gpu: Gpu,
  before: Findings,
  rules: readonly string[],
  seeds: readonly number[],
  terminal: Terminal,
  warmStart: (warmSeed: number) => Promise<WarmStart>,
  keep: (findings: Findings) => Promise<void>,
): Promise<Findings> {
  const missing = missingArms(before, rules, seeds);
  const progress = new Progress(terminal, missing.length * before.plan.steps);
  let label = '';
  try {
    return await runComparison(gpu, before, rules, seeds, {
      warmStart,
      started: ({ rule, seed }) => {
        label = `${rule} seed ${seed}`;
      },
      metrics: (metrics) => progress.advance(`${label}, update ${metrics.step + 1};`, progressNote(metrics)),
      finished: keep,
      signal: terminal.signal,
    });
  } finally {
    progress.close();
  }
}

async function freshWarmStart(gpu: Gpu, plan: ComparisonPlan, seed: number, terminal: Terminal): Promise<WarmStart> {
  const settings = settingsOf(plan, seed);
  const { environment } = await openWorld({ environment: 'search', settings });
  const trainer = await makeWarmStart(gpu, { environment: 'search', settings }, environment, terminal);
  const state: PolicyState = await trainer.policy.readState();
  trainer.destroy();
  return { state, digest: await digestOf(state.parameters) };
}

async function digestOf(values: Float32Array): Promise<string> {
  const hash = await crypto.subtle.digest(
    'SHA-256',
    new Uint8Array(values.buffer as ArrayBuffer, values.byteOffset, values.byteLength),
  );
  return Buffer.from(hash).toString('hex');
}

/** A file may hold more rules and seeds than this command asked for. */
function onlyAskedFor(findings: Findings, rules: readonly string[], seeds: readonly number[]): Findings {
  const arms = findings.arms.filter(({ rule, seed }) => rules.includes(rule) && seeds.includes(seed));
  return { ...findings, arms };
}

function file(findings: Findings, rules: readonly string[], device: string): ComparisonFile {
  return { ...findings, rules, device };
}

function interrupted(
  findings: Findings,
  rules: readonly string[],
  seeds: readonly number[],
  json: string,
  terminal: Terminal,
): number {
  const left = missingArms(findings, rules, seeds).length;
  const kept = findings.arms.length === 0 ? 'none is finished' : `the finished ones are in ${show(json)}`;
  terminal.err(`interrupted with ${left} arms to go; ${kept}\n`);
  return EXIT.interrupted;
}
