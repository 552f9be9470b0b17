import { type PicturedGroup, picturedGroup } from '../src/app/picture/lanes.ts';
import { ENVIRONMENTS, type EnvironmentName } from '../src/environments/registry.ts';
import { variedGroup } from '../src/rollouts/flatGroups.ts';
import type { Turn } from '../src/rollouts/forest.ts';
import { openingRun } from '../src/training/data/worlds.ts';
import { groupView } from '../src/training/worker/groupViews.ts';
import { startedRun } from './startedRun.ts';

/** Fields of a turn that the rules of the toggles read. */
const FIELDS = ['parent', 'reward', 'outcome', 'solved', 'passed', 'state', 'action', 'validates', 'tokens'];

function readTurn(turn: Turn): Turn {
  return Object.fromEntries(Object.entries(turn).filter(([name]) => FIELDS.includes(name))) as unknown as Turn;
}

/** Samples the first batch of an environment with the warm start, and returns the group that the page shows first. */
export async function sampledOpening(name: EnvironmentName): Promise<PicturedGroup> {
  const run = await startedRun(openingRun(name));
  const update = await run.update();
  const view = groupView(
    { ...update, credit: await update.credit },
    variedGroup(update.batch.groups),
    run.trainer.environment,
  );
  run.destroy();
  const { forest, lanes, recorded, ...rest } = picturedGroup(view, ENVIRONMENTS[name]);
  const rounded = recorded.advantage.map((advantage) => Number(advantage.toFixed(4)));
  return {
    ...rest,
    forest: { id: 'opening', turns: forest.turns.map(readTurn) },
    lanes,
    recorded: { ...recorded, advantage: rounded },
  };
}
