import { type EnvironmentComparison, measuredColumn } from '../../environments/declaredComparison.ts';
import { ENVIRONMENT_LIST, type EnvironmentName, type RegisteredEnvironment } from '../../environments/registry.ts';
import { OFFERED } from '../../training/data/configurationTables.ts';
import { type ComparedEnvironment, columnOf, createStatisticsColumn } from './compared.ts';
import { MEASURINGS } from './measuring.ts';

/** Comparison of each environment. */
export const COMPARED = Object.fromEntries(
  await Promise.all(
    ENVIRONMENT_LIST.map(async (environment) => [environment.name, compared(environment, await declared(environment))]),
  ),
) as Readonly<Record<EnvironmentName, ComparedEnvironment>>;

async function declared(environment: RegisteredEnvironment): Promise<EnvironmentComparison> {
  return (await environment.comparison?.())?.comparison ?? comparisonOfFacts(environment);
}

/** Combines the comparison that an environment declares with the settings of its measurement. */
function compared(environment: RegisteredEnvironment, comparison: EnvironmentComparison): ComparedEnvironment {
  const { samples, columns, budget: budgetName, notes, ...declaredParts } = comparison;
  const { columns: more, before, after, ...measuring } = MEASURINGS[environment.measuredBy](environment, samples);
  const budget = columns.find((column) => column.name === budgetName);
  return {
    ...declaredParts,
    ...measuring,
    columns: (plan) => [...columns.map((column) => columnOf(column, plan)), ...more(plan)],
    ...(budget && budget.format !== 'points' ? { budget: createStatisticsColumn(budget) } : {}),
    notes: (plan) => [...before(plan), ...notes(plan.measuring), ...after],
  };
}

/**
 * Returns the default comparison of an environment that declares none. It reports the facts of the environment at the
 * end of training and in episodes of the trained policy. There are no claims about such an environment.
 */
function comparisonOfFacts({ name, facts }: RegisteredEnvironment): EnvironmentComparison {
  const arms = OFFERED[name].slice(0, 3);
  return {
    standard: { arms, seeds: 3, steps: 60 },
    seconds: 0.1,
    startSeconds: 10,
    columns: facts.flatMap(({ name: fact, label, format }) => [
      measuredColumn(fact, `${label}, measured`, format),
      { name: `${fact}:end`, title: `${label}, training`, format, of: { end: fact } },
    ]),
    drawing: {
      panels: facts
        .filter(({ format }) => format === 'share')
        .slice(0, 2)
        .map(({ name: metric, label: title, help: note }) => ({ metric, title, note })),
      window: 1,
      titles: true,
      styles: {},
    },
    notes: () => [],
    examples: [`--environment ${name} --rules ${arms.join()} --seeds 3 --steps 60`],
  };
}
