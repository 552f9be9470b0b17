import { loadStart } from '../../../src/cli/framework/policyFiles.ts';
import { openWorld } from '../../../src/cli/framework/worldRuns.ts';
import type { LessonRun } from '../../../src/lessons/lesson.ts';
import { lessonRun } from '../../../src/lessons/lesson.ts';
import { variedGroup } from '../../../src/rollouts/flatGroups.ts';
import type { RunConfiguration } from '../../../src/training/data/configuration.ts';
import type { GroupView } from '../../../src/training/data/protocol.ts';
import { Run } from '../../../src/training/run/run.ts';
import { groupView } from '../../../src/training/worker/groupViews.ts';
import { testDevice } from '../runs/runDevice.ts';

/** Controls for small updates. A formula or an exercise reads only one group per update. */
const SMALL = { questions: 2, programs: 24, minibatches: 1, heldOutMode: 'off' };
const UPDATES = 8;

/** Groups of the first updates of a run, in the form that the page receives. */
interface TrainedGroups {
  readonly groups: readonly GroupView[];
  readonly configuration: RunConfiguration;
}

const trained = new Map<string, Promise<TrainedGroups>>();

/** Trains the first updates of a lesson's run on the exact engine, with small batches. Returns one group per update. */
export function lessonGroups(run: Pick<LessonRun, 'preset' | 'controls' | 'schedule'>): Promise<TrainedGroups> {
  const lesson = lessonRun(run);
  const sizes = Object.entries(SMALL).filter(([name]) => name in lesson.controls);
  const configuration = { ...lesson, controls: { ...lesson.controls, ...Object.fromEntries(sizes) } };
  const key = JSON.stringify(configuration);
  const groups = trained.get(key) ?? train(configuration);
  trained.set(key, groups);
  return groups;
}

async function train(configuration: RunConfiguration): Promise<TrainedGroups> {
  const opened = await openWorld(configuration);
  const run = await Run.create(await testDevice(), configuration, () => {}, opened);
  run.beginWith(loadStart(opened.world, undefined).state);
  const groups: GroupView[] = [];
  while (run.step < UPDATES) {
    const { batch, controls, exact, credit } = await run.update();
    const updateBatch = { batch, controls, exact, credit: await credit };
    groups.push(groupView(updateBatch, variedGroup(batch.groups), run.trainer.environment));
  }
  run.destroy();
  return { groups, configuration };
}
