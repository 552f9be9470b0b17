import { normalize, PROFILES } from '../../credit/arithmetic/normalize.ts';
import { mean } from '../../credit/arithmetic/statistics.ts';
import { type Group, type Turn, trajectories } from '../../rollouts/forest.ts';
import { callsOf } from '../../rollouts/import/toolCalls.ts';
import { alignedTable } from '../framework/text.ts';

/** Numbers of a training step. Means over nothing are null. */
export interface StepSummary {
  readonly step: number | null;
  readonly groups: number;
  readonly rollouts: number;
  readonly turns: number;
  readonly reward: number | null;
  /** Share of rollouts that call a tool. */
  readonly calls: number | null;
  /** Mean GRPO-OR advantage of the rollouts that call a tool, and of those that do not. */
  readonly creditOfCall: number | null;
  readonly creditOfAnswer: number | null;
}

/** A loss of tool use in a run. */
export interface ToolLoss {
  readonly firstBelow: number | null;
  readonly lastCall: number | null;
  readonly rewards: readonly [first: number | null, last: number | null];
  /** Groups to read. */
  readonly groups: readonly string[];
}

interface Rollout {
  readonly group: string;
  readonly turns: number;
  readonly reward: number;
  readonly calls: boolean;
  readonly advantage: number;
}

/** A tool counts as given up if the share of rollouts that call it falls to this fraction of the share in the first step. */
const LOW_SHARE = 0.25;

/** Numbers of logs, step by step. */
export class LogSummary {
  private readonly bySteps = new Map<number | null, { groups: number; rollouts: Rollout[] }>();

  see(group: Group): void {
    const step = typeof group.step === 'number' ? group.step : null;
    const numbers = this.bySteps.get(step) ?? { groups: 0, rollouts: [] };
    this.bySteps.set(step, numbers);
    numbers.groups++;
    const paths = trajectories(group);
    const rewards = paths.map((path) => group.turns[path[path.length - 1]].outcome ?? 0);
    const { advantage } = normalize(rewards, PROFILES.turnwise);
    paths.forEach((path, index) => {
      numbers.rollouts.push({
        ...{ group: group.id, turns: path.length, reward: rewards[index], advantage: advantage[index] },
        calls: path.some((turn) => callsTool(group.turns[turn])),
      });
    });
  }

  /** Steps in order; groups without a step first. */
  steps(): readonly StepSummary[] {
    return [...this.bySteps]
      .sort(([a], [b]) => (a ?? -1) - (b ?? -1))
      .map(([step, { groups, rollouts }]) => {
        const calling = rollouts.filter(({ calls }) => calls);
        const answering = rollouts.filter(({ calls }) => !calls);
        return {
          ...{ step, groups, rollouts: rollouts.length },
          turns: rollouts.reduce((sum, { turns }) => sum + turns, 0),
          reward: meanOf(rollouts.map(({ reward }) => reward)),
          calls: rollouts.length === 0 ? null : calling.length / rollouts.length,
          creditOfCall: meanOf(calling.map(({ advantage }) => advantage)),
          creditOfAnswer: meanOf(answering.map(({ advantage }) => advantage)),
        };
      });
  }

  /** The loss of tool use; undefined if there is none. */
  toolLoss(): ToolLoss | undefined {
    const steps = this.steps().filter(({ step }) => step !== null);
    const [first, last] = [steps[0], steps.at(-1)];
    if (steps.length < 2 || !first?.calls || (last?.calls ?? 1) > LOW_SHARE * first.calls) return undefined;
    const below = steps.find(
      ({ creditOfCall, creditOfAnswer }) =>
        creditOfCall !== null && creditOfAnswer !== null && creditOfCall < creditOfAnswer,
    );
    const lastCall = steps.findLast(({ calls }) => (calls ?? 0) > 0)?.step ?? null;
    const groups = [below?.step ?? null, lastCall].flatMap((step) => this.bySteps.get(step)?.rollouts[0]?.group ?? []);
    return {
      ...{ firstBelow: below?.step ?? null, lastCall, groups: [...new Set(groups)] },
      rewards: [first.reward, last?.reward ?? null],
    };
  }
}

function callsTool(turn: Turn): boolean {
  return callsOf({ text: typeof turn.text === 'string' ? turn.text : '', fields: turn }).length > 0;
}

function meanOf(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : mean(numbers);
}

/** The steps as a table. */
export function stepTable(steps: readonly StepSummary[]): string {
  const head = ['step', 'groups', 'rollouts', 'turns', 'reward', 'with a call', 'credit with a call', 'credit without'];
  const three = (value: number | null) => (value === null ? '–' : (Math.round(value * 1000) / 1000 + 0).toFixed(3));
  const rows = steps.map(({ step, groups, rollouts, turns, reward, calls, creditOfCall, creditOfAnswer }) => [
    ...[step === null ? '–' : String(step), String(groups), String(rollouts), String(turns)],
    ...[reward, calls, creditOfCall, creditOfAnswer].map(three),
  ]);
  return alignedTable(head, rows);
}

/** The loss of tool use as a sentence. */
export function toolLossText({ firstBelow, lastCall, rewards: [first, last], groups }: ToolLoss): string {
  const below =
    firstBelow === null
      ? 'no step has less credit with a call than without'
      : `rollouts with a call get less credit than those without, first in step ${firstBelow}`;
  const rewards =
    first !== null && last !== null ? ` The mean reward changes from ${first.toFixed(3)} to ${last.toFixed(3)}.` : '';
  return `finding: the tool is given up: ${below}; the last call is in step ${lastCall}.${rewards} Groups to read: ${groups.join(', ')}`;
}
