import type { ParameterValues } from '../../parameters/parameters.ts';
import type { CountedTurn, Environment, Episode } from '../environment.ts';
import { BANDIT_CONTROLS, type BanditSettings, banditRewards, banditSettings } from './banditSettings.ts';
import { BanditEpisode, type BanditTask } from './episode.ts';
import { computeTableRewards, type PayoutTable, payoutTables } from './payoutTable.ts';
import { BANDIT_VOCABULARY, FIRST_TABLE, TABLE } from './vocabulary.ts';

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
