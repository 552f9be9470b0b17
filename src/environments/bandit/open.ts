import type { ParameterValues } from '../../parameters/parameters.ts';
import { uniform } from '../../random/counter.ts';
import type { CountedTurn, Environment, EnvironmentModule, Episode, StepResult } from '../environment.ts';
import { BANDIT_CONTROLS, type BanditSettings, banditRewards, banditSettings } from './banditSettings.ts';
import {
  ACTIONS,
  actionName,
  actionOf,
  BANDIT_VOCABULARY,
  computeTableRewards,
  EFFECTS,
  type Effect,
  FIRST_EFFECT,
  FIRST_TABLE,
  type PayoutTable,
  payoutTables,
  TABLE,
  type TableRewards,
  TURN_END,
} from './payoutTable.ts';
import { createProcessEnvironment } from './processEnvironment.ts';

/** Task of the bandit: a payout table and the random draws of its outcomes. */
export interface BanditTask {
  readonly table: PayoutTable;
  /** Keys of the draws that decide if an outcome is given. */
  readonly drawnIntegers: readonly [number, number];
}

const DESCRIPTIONS: Readonly<Record<Effect, string>> = {
  spoiled: 'the bait: an immediate reward, the prize is lost',
  enabled: 'the key: the prize is possible',
  nothing: 'nothing happened',
};

/**
 * Episode of two turns with one token each. The reply to the first turn is its effect. The second turn ends the
 * episode.
 *
 * Facts of a step result: `bait`, `key` (first turn) and `right` (second turn) are 1 if the action was the named one.
 * `solved` is 1 if the prize was given. `return` is the reward of the turn, so that its sum over the turns is the
 * return of the episode.
 *
 * The state of a turn is the information that the policy has before it: `t0`, then `t0 | enabled`.
 */
export class BanditEpisode implements Episode {
  /** Action of the first turn; undefined before that turn. */
  private first: number | undefined;
  private over = false;

  constructor(
    private readonly task: BanditTask,
    private readonly rewards: TableRewards,
  ) {}

  /**
   * Returns the step result of a turn.
   * @throws {Error} if the episode is over
   */
  act(tokens: readonly number[]): StepResult {
    if (this.over) throw new Error('the episode is over: start another with begin()');
    const action = actionOf(tokens[0]);
    if (this.first !== undefined) return this.second(this.first, action);
    this.first = action;
    const effect = this.effect(action);
    const reward = this.rewards.reward[action];
    return {
      reward,
      components: { bait: effect === 'spoiled' ? reward : 0, key: effect === 'enabled' ? reward : 0 },
      reply: [FIRST_EFFECT + EFFECTS.indexOf(effect), TURN_END],
      state: `t${this.task.table.index}`,
      action: actionName(action),
      facts: { bait: effect === 'spoiled' ? 1 : 0, key: effect === 'enabled' ? 1 : 0, return: reward },
      summary: `${actionName(action)}: ${DESCRIPTIONS[effect]}`,
    };
  }

  /** Returns another episode in the same state. */
  fork(): BanditEpisode {
    const fork = new BanditEpisode(this.task, this.rewards);
    fork.first = this.first;
    fork.over = this.over;
    return fork;
  }

  private second(first: number, action: number): StepResult {
    this.over = true;
    const { table } = this.task;
    const effect = this.effect(first);
    const outcomeReward = this.rewards.outcome[first][action];
    const outcome = this.isRewarded(first, action) ? outcomeReward : 0;
    const isRight = action === table.right;
    const label = isRight ? 'the right door' : 'a wrong door';
    const note = outcome === outcomeReward ? '' : ', but no luck';
    const solved = isRight && effect === 'enabled' && outcome === outcomeReward;
    return {
      reward: 0,
      components: { prize: effect === 'enabled' ? outcome : 0, crumb: effect === 'nothing' ? outcome : 0 },
      outcome,
      solved,
      state: `t${table.index} | ${effect}`,
      action: actionName(action),
      facts: { right: isRight ? 1 : 0, solved: solved ? 1 : 0, return: outcome },
      summary: `${actionName(action)}: ${label}${note}`,
    };
  }

  private effect(first: number): Effect {
    return this.task.table.effects[first];
  }

  /**
   * Returns true if the outcome of two actions is given. The keys of the task and the actions determine the draw, so
   * the result is equal in all episodes of a task.
   */
  private isRewarded(first: number, second: number): boolean {
    const [seed, step] = this.task.drawnIntegers;
    return uniform(seed, step, first * ACTIONS + second, 0) < this.rewards.chance;
  }
}

/** Bandit environment with its settings and payout tables. */
export interface BanditEnvironment extends Environment<BanditTask> {
  readonly settings: BanditSettings;
  readonly tables: readonly PayoutTable[];
}

/** Maximum number of tokens of an episode (6), rounded up: `<table> t0`, action, effect and `</turn>`, action. */
const CONTEXT = 8;

/**
 * Creates the bandit, in which an episode has two turns. The first action has an immediate reward or enables the prize,
 * and the second action can collect the prize. All values have a closed form (exactValues).
 *
 * @param values values of BANDIT_SETTINGS; missing ones take their default
 * @throws {ParameterError} for a setting that the table does not allow
 * @example
 * const environment = createBanditEnvironment({ tables: 1 });
 * const [task] = environment.sampleTasks(new CounterRandom(0, STREAMS.tasks), 1, 'train');
 * const episode = environment.begin(task, defaults(environment.controls));
 * const { reply } = episode.act([0]);
 */
export function createBanditEnvironment(values: ParameterValues = {}): BanditEnvironment {
  const settings = banditSettings(values);
  const tables = payoutTables(settings.tables, settings.worldSeed);
  const begin = (task: BanditTask, controls: ParameterValues) =>
    new BanditEpisode(task, computeTableRewards(task.table, banditRewards(controls), settings.chance));
  const prompt = ({ table }: BanditTask) => [TABLE, FIRST_TABLE + table.index];
  return {
    name: 'bandit',
    vocabulary: BANDIT_VOCABULARY,
    context: CONTEXT,
    maxTurns: 2,
    stopTokens: [],
    controls: BANDIT_CONTROLS,
    warmStart: [],
    settings,
    tables,
    turnLimit: () => 1,
    // No table is held out: both splits have the same tables.
    sampleTasks: (random, count) =>
      Array.from({ length: count }, () => ({
        table: tables[random.integer(tables.length)],
        drawnIntegers: [random.integer(2 ** 24), random.integer(2 ** 24)] as const,
      })),
    describe: ({ table }) => `payout table ${table.index + 1}`,
    outcomeRange(controls) {
      const { outcomePrize, outcomeCrumb } = banditRewards(controls);
      const outcomes = [0, outcomePrize, outcomeCrumb];
      return { bestOutcome: Math.max(...outcomes), worstOutcome: Math.min(...outcomes) };
    },
    prompt,
    counted: (task, controls) => countedTurn(begin(task, controls), prompt(task)),
    begin,
  };
}

/**
 * Returns a turn with its results. Each action of a task has exactly one result, because the random draws belong to the
 * task.
 */
function countedTurn(episode: Required<Episode>, tokens: readonly number[]): CountedTurn {
  return {
    tokens,
    idle: false,
    results(token) {
      const after = episode.fork() as Required<Episode>;
      const { reward, outcome, reply } = after.act([token]);
      return [
        {
          probability: 1,
          reward: outcome ?? reward,
          ...(reply ? { next: countedTurn(after, [...tokens, token, ...reply]) } : {}),
        },
      ];
    },
  };
}

/** Module that constructs the bandit from its settings. It loads no data. */
export const environmentModule: EnvironmentModule<undefined> = {
  load: async () => undefined,
  create: (settings) =>
    settings.process === 'two-turns' ? createBanditEnvironment(settings) : createProcessEnvironment(settings),
};
