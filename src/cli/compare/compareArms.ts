import {
  type Arm,
  type ArmFindings,
  type ArmPlan,
  compareArms,
  missingRuns,
  type ProgramEnvironment,
} from '../../experiments/compare/armComparison.ts';
import { CONFIGURATION_VERSION } from '../../training/data/configuration.ts';
import type { RunTables } from '../../training/data/configurationTables.ts';
import { progressNote } from '../commands/train.ts';
import { type Command, defineCommand } from '../framework/command.ts';
import {
  controlSections,
  ENVIRONMENT,
  readConfiguration,
  setFlag,
  settingSections,
} from '../framework/configurationFlags.ts';
import { withGpu } from '../framework/device.ts';
import { EXIT } from '../framework/errors.ts';
import { text, whole } from '../framework/flags.ts';
import { openWorld } from '../framework/openWorld.ts';
import { filesRead, type LoadedPolicy, loadStart, show } from '../framework/policyFiles.ts';
import { Progress, type Terminal } from '../framework/terminal.ts';
import { type Output, withOutputs } from '../output/outputs.ts';
import { armsFlag, readArm } from './armsFlag.ts';
import { type ArmsFile, armsFile, armsJson, readArms } from './compareArmsFile.ts';
import { armsMarkdown, armsSvg, armsText } from './compareArmsText.ts';

/** What a comparison asks for, unless told otherwise. */
const STANDARD = {
  repair: { arms: ['grpo-mt', 'murphy-mars', 'murphy-mers', 'verpo'], steps: 50, samples: 4 },
  repo: { arms: ['grpo-or', 'grpo-step', 'rtmc', 'rtmc:kappa=0'], steps: 80, samples: 8 },
} as const;

/** `compare` in an environment that runs programs: trains every arm at every seed and measures it on held-out problems. */
export function compareArmsCommand(tables: RunTables): Command {
  const environment = tables.environment.name as ProgramEnvironment;
  const standard = STANDARD[environment];
  return defineCommand({
    name: 'compare',
    summary: 'train several credit rules over several seeds and put the claims to the test',
    description:
      'Trains each arm, a rule with parameters of its own or none, with each seed, from one policy. Prints means and ' +
      'deviations over the seeds beside the policy that all start from, whether the arms generated alike, and which of the ' +
      "papers' claims appear. Everything is written as JSON after every run; with that file a stopped comparison goes on " +
      'where it was, and a finished one is printed at once.',
    flags: {
      environment: ENVIRONMENT,
      rules: armsFlag(tables, standard.arms),
      seeds: whole('Seeds an arm: 1, 2, ... up to this number.', { min: 1, max: 100, default: 3 }),
      steps: whole('Updates a run.', { min: 1, max: 100_000, default: standard.steps }),
      samples: whole('Episodes of each held-out problem.', { min: 1, max: 1_000, default: standard.samples }),
      problems: whole('Held-out problems, the first ones; 0 for all.', { min: 0, max: 10_000, default: 0 }),
      checkpoint: text(
        'FILE',
        'Start all runs from this checkpoint or kept run instead of the warm start of the world.',
      ),
      json: text('FILE', 'Keep everything here, after every run.', armsFile(environment)),
      svg: text('FILE', 'Draw the curves: every seed thin, the mean bold.'),
      markdown: text('FILE', 'Write the table and the verdicts as Markdown.'),
      set: setFlag([...tables.settings, ...tables.controls.filter((control) => control !== tables.rule)]),
    },
    parameters: [...controlSections(tables), ...settingSections(tables)],
    examples: [
      `--environment ${environment} --rules ${standard.arms.join()} --seeds 3 --steps ${standard.steps}`,
      environment === 'repair'
        ? '--environment repair --rules murphy-mars,murphy-mars:inter=2,verpo:norm=std --json pruning.json'
        : '--environment repo --rules rtmc,rtmc:kappa=0:granularity=coarse --learningRate 3e-4 --svg curves.svg',
    ],
    async run({ flags, parameters }, terminal) {
      const arms = flags.rules.map((name) => readArm(tables, name));
      const { settings, controls } = readConfiguration({ environment, set: flags.set }, parameters);
      const { rule: _, ...shared } = controls;
      const { temperature, topP, topK } = { ...shared, ...tables.environment.evaluation } as Record<string, number>;
      const plan: ArmPlan = {
        configurationVersion: CONFIGURATION_VERSION,
        environment,
        steps: flags.steps,
        settings,
        controls: shared,
        samples: flags.samples,
        problems: flags.problems,
        sampling: { temperature, topP, topK },
      };
      const options = { inputs: filesRead(flags, settings, environment), readAgain: ['json'] } as const;
      const files = { json: flags.json, svg: flags.svg, markdown: flags.markdown };
      return withOutputs(terminal, files, options, async ({ json, svg, markdown }) => {
        const seeds = Array.from({ length: flags.seeds }, (_, index) => index + 1);
        const before = readArms(flags.json, plan);
        const asked: Asked = { arms, seeds, json };
        const done = missingRuns(before, arms, seeds).length === 0;
        const file = done ? before : await train(before, asked, flags, terminal);
        if (terminal.signal.aborted) return interrupted(file, asked, terminal);
        const runs = file.runs.filter((run) => seeds.includes(run.seed) && flags.rules.includes(run.arm.name));
        const base = file.base.filter(({ seed }) => seeds.includes(seed));
        const result: ArmsFile = { ...file, arms, runs, base };
        terminal.out(armsText(result));
        terminal.err(`everything measured is in ${show(flags.json)}\n`);
        await svg?.write(armsSvg(result));
        await markdown?.write(armsMarkdown(result));
        return EXIT.done;
      });
    },
  });
}

/** What the command line asks for. */
interface Asked {
  readonly arms: readonly Arm[];
  readonly seeds: readonly number[];
  readonly json: Output;
}

/** Does the runs that are missing, and keeps the findings after each. */
async function train(
  before: ArmsFile,
  { arms, seeds, json }: Asked,
  { checkpoint }: { readonly checkpoint: string | undefined },
  terminal: Terminal,
): Promise<ArmsFile> {
  // Read before the device is opened: a missing file is said at once.
  const start = await startOf(before.plan, checkpoint);
  return withGpu(terminal, async (gpu) => {
    const progress = new Progress(terminal, missingRuns(before, arms, seeds).length * before.plan.steps);
    const file = (found: ArmFindings): ArmsFile => ({ ...found, arms, device: gpu.name });
    let label = '';
    try {
      const found = await compareArms(gpu, before, arms, seeds, {
        start,
        open: (configuration) => openWorld(configuration),
        started: (arm, seed) => {
          label = `${arm.name} seed ${seed}`;
        },
        metrics: (metrics) => progress.advance(`${label}, update ${metrics.step + 1};`, progressNote(metrics)),
        finished: (findings) => json.write(armsJson(file(findings))),
        signal: terminal.signal,
      });
      return file(found);
    } finally {
      progress.close();
    }
  });
}

async function startOf({ environment, settings }: ArmPlan, checkpoint: string | undefined): Promise<LoadedPolicy> {
  const opened = await openWorld({ environment, settings });
  try {
    return loadStart(opened.world, checkpoint);
  } finally {
    opened.close();
  }
}

function interrupted(file: ArmsFile, { arms, seeds, json }: Asked, terminal: Terminal): number {
  const left = missingRuns(file, arms, seeds).length;
  const kept = file.runs.length === 0 ? 'none is finished' : `the finished ones are in ${show(json.file)}`;
  terminal.err(`interrupted with ${left} runs to go; ${kept}\n`);
  return EXIT.interrupted;
}
