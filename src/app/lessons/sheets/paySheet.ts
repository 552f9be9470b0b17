import { rewardWeights, SEARCH_CONTROLS, total, turnComponents } from '../../../environments/search/rewards.ts';
import type { Goal } from '../../../lessons/sheets.ts';
import type { GroupView, RolloutView } from '../../../training/data/protocol.ts';
import { plain, signed } from '../../group/groupNumbers.ts';
import { sheetStrings } from '../../strings/sheetStrings.ts';
import type { PayCheck, Sheet } from './sheet.ts';

/** A search of a try. */
interface Search {
  readonly rollout: number;
  /** Which search of its try, from 1. */
  readonly count: number;
  /** Its document holds the answer. */
  readonly retrieved: boolean;
}

/** What `once` may ask for at most: the first search that finds the answer has to be worth something. */
const EXAMPLES: Readonly<Record<Goal, Readonly<Record<string, number>>>> = {
  further: { rewardRetrieved: 0.3, rewardFormat: 0.1, searchCost: 0 },
  once: { rewardRetrieved: 0.3, rewardFormat: 0.1, searchCost: 0.25 },
};

/**
 * The searches of a group where several are allowed, and amounts to be chosen: so that every further search of a try earns
 * more than nothing, or so that none does while the first one that finds the answer still does. Each search is paid as the
 * environment pays it (src/environments/search/rewards.ts).
 * @returns undefined where no group has a try that searched twice
 */
export function paySheet(
  groups: readonly GroupView[],
  goal: Goal,
  begin: Readonly<Record<string, number>>,
): Sheet | undefined {
  const texts = sheetStrings.pay;
  const found = groups
    .map((group) => ({ group, searches: group.rollouts.flatMap(searchesOf) }))
    .filter(
      ({ searches }) => searches.some(isFurther) && searches.some(({ count, retrieved }) => count === 1 && retrieved),
    )
    .sort((a, b) => b.searches.length - a.searches.length || b.group.step - a.group.step)[0];
  if (!found) return undefined;
  const { group, searches } = found;
  const names = Object.keys(begin);
  const table = SEARCH_CONTROLS.filter(({ name }) => names.includes(name));
  const check = (values: Readonly<Record<string, number>>) => judge(searches, goal, { ...begin, ...values });
  const example = Object.fromEntries(names.map((name) => [name, EXAMPLES[goal][name] ?? begin[name] ?? 0]));
  return {
    caption: texts.caption(group.step, group.rollouts.length),
    columns: [texts.rollout, texts.searches, texts.found, texts.outcome],
    rows: group.rollouts.map((rollout, index) => {
      const own = searchesOf(rollout, index);
      const hits = own.filter(({ retrieved }) => retrieved).length;
      return {
        cells: [String(index + 1), String(own.length), String(hits), plain(rollout.outcome)],
        asked: own.length > 1,
      };
    }),
    given: texts.parts(searches.filter(isFurther).length),
    asks: [
      {
        kind: 'pay',
        label: texts.ask[goal],
        table,
        begin,
        check,
        worked: [
          texts.example(table.map(({ name, label }) => texts.amount(label, plain(example[name] ?? 0)))),
          ...check(example).told,
        ],
      },
    ],
  };
}

/** The searches of a try in their order: every executed one was well-formed. */
function searchesOf({ turns }: RolloutView, rollout: number): readonly Search[] {
  const executed = turns.filter(({ components }) => (components.format ?? 0) > 0);
  return executed.map(({ components }, index) => ({
    ...{ rollout, count: index + 1, retrieved: (components.retrieved ?? 0) > 0 },
  }));
}

const isFurther = ({ count }: Search) => count > 1;

function judge(searches: readonly Search[], goal: Goal, values: Readonly<Record<string, number>>): PayCheck {
  const texts = sheetStrings.pay;
  const weights = rewardWeights(values);
  const paid = ({ count, retrieved }: Search) =>
    total(turnComponents(weights, { executed: true, retrieved, searches: count, several: true }));
  const further = searches.filter(isFurther).map(paid);
  const firsts = searches.filter(({ count, retrieved }) => count === 1 && retrieved).map(paid);
  const [least, most] = [Math.min(...further), Math.max(...further)];
  const first = Math.min(...firsts);
  // A search that earns a hundred-thousandth is rounding.
  const met = goal === 'further' ? least > 1e-5 : most < -1e-5 && first > 1e-5;
  return { met, told: [texts.first(signed(first)), texts.further(signed(least), signed(most))] };
}
