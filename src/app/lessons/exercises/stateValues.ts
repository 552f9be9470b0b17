import { exactValues } from '../../../environments/bandit/payoutTable.ts';
import { ANY_GROUP, attemptsFor, type GroupCondition } from '../../../lessons/groupCondition.ts';
import type { GroupView } from '../../../training/data/protocol.ts';
import { plain, signed } from '../../drawing/numbers.ts';
import { exerciseStrings } from '../../strings/exerciseStrings.ts';
import { formulaStrings } from '../../strings/formulaStrings.ts';
import { type ExerciseBuilder, kinds, numberQuestion, questionText } from './exercise.ts';
import type { FormulaBuilder } from './formula.ts';

// Exercise and formula of the true advantages in the bandit. The policy has the frequencies of the actions in one group
// as probabilities. Only the outcome counts (src/environments/bandit/payoutTable.ts).

/** Minimum number of different pairs of actions in a suitable group. */
const LEAST = 3;

/** Actions of both turns of a bandit episode, and its outcome. */
interface Episode {
  readonly first: string;
  readonly second: string;
  readonly outcome: number;
}

/**
 * Creates an exercise on V of the start state and the true advantages of both turns of a bandit attempt. The questions
 * refer to the first kind of attempt that the condition of the lesson names, if the group allows it.
 */
export const trueAdvantages: ExerciseBuilder = (groups, { group: condition }) => {
  const texts = exerciseStrings.stateValue;
  const match = chooseGroup(groups, condition);
  const selected = match && chooseEpisode(match.episodes, match.named);
  if (!match || selected === undefined) return undefined;
  const { group, episodes } = match;
  const episode = episodes[selected] as Episode;
  const { value, before, first, second } = computeStateValues(episodes, episode);
  const matches = episodes.filter((candidate) => candidate.first === episode.first);
  const list = (some: readonly Episode[]) => some.map(({ outcome }) => plain(outcome)).join(' + ');
  const question = (label: string, answer: number, derivation: string, ...further: readonly string[]) =>
    numberQuestion(label, answer, [`${derivation} = ${signed(answer, 3)}`, ...further]);
  return {
    group,
    caption: texts.caption(group.step, questionText(group)),
    columns: [texts.rollout, texts.first, texts.second, texts.outcome],
    rows: episodes.map(({ outcome }, index) => ({
      cells: [String(index + 1), ...turnActions(group, index), plain(outcome)],
      isQuestion: index === selected,
    })),
    given: [texts.given(matches.length, episodes.length)],
    questions: [
      question(texts.questionStart, value, `(${list(episodes)}) / ${episodes.length}`),
      question(texts.questionFirst(selected + 1), first, `(${list(matches)}) / ${matches.length} − ${plain(value)}`),
      question(
        texts.questionSecond(selected + 1),
        second,
        `${plain(episode.outcome)} − ${plain(before)}`,
        texts.sum(signed(first), signed(second), plain(episode.outcome), plain(value)),
      ),
    ],
  };
};

/** Formula of the true advantages of both turns. */
export const trueAdvantageFormula: FormulaBuilder = (groups) => {
  const match = chooseGroup(groups, ANY_GROUP);
  if (!match) return undefined;
  const { group, episodes } = match;
  return {
    caption: formulaStrings.caption(group.step, episodes.length),
    rows: episodes.map((episode, index) => {
      const { value, before, first, second } = computeStateValues(episodes, episode);
      const [firstAction = '', secondAction = ''] = turnActions(group, index);
      return {
        name: String(index + 1),
        kin: episode.first,
        texts: {
          ...{ first: firstAction, second: secondAction, o: plain(episode.outcome) },
          ...{ V1: plain(value), V2: plain(before), A1: signed(first, 3), A2: signed(second, 3) },
        },
      };
    }),
  };
};

/**
 * Returns the group whose attempts differ most in both turns, and the first attempt that the condition selects. A group
 * in which the questions can refer to this attempt is preferred. Undefined if no group has enough different attempts.
 */
function chooseGroup(groups: readonly GroupView[], condition: GroupCondition) {
  return groups
    .map((group) => {
      const episodes = episodesOf(group);
      const [named] = attemptsFor(group.forest, condition);
      return { group, episodes, named, isFirstChoice: named !== undefined && chooseEpisode(episodes, named) === named };
    })
    .filter(({ episodes }) => variety(episodes) >= LEAST)
    .sort(
      (a, b) =>
        Number(b.isFirstChoice) - Number(a.isFirstChoice) ||
        countOutcomes(b.episodes) - countOutcomes(a.episodes) ||
        variety(b.episodes) - variety(a.episodes) ||
        b.group.step - a.group.step,
    )[0];
}

/** Returns the environment's summaries of the two turns of a rollout. */
function turnActions({ rollouts }: GroupView, rollout: number): readonly string[] {
  return [0, 1].map((turn) => rollouts[rollout]?.turns[turn]?.summary ?? '');
}

function episodesOf({ forest, rollouts }: GroupView): readonly Episode[] {
  return rollouts.map(({ turns, outcome }) => {
    const [first = '', second = ''] = turns.map(({ forestTurn }) => forest.turns[forestTurn]?.action);
    return { first, second, outcome };
  });
}

const countOutcomes = (episodes: readonly Episode[]) => kinds(episodes.map(({ outcome }) => outcome));

/**
 * Returns the number of different pairs of actions. It is 0 if all first actions are equal, or if no first action led
 * to different outcomes.
 */
function variety(episodes: readonly Episode[]): number {
  const hasChoice = kinds(episodes.map(({ first }) => first)) > 1 && chooseEpisode(episodes) !== undefined;
  return hasChoice ? kinds(episodes.map(({ first, second }) => `${first} ${second}`)) : 0;
}

/** Returns an attempt whose first action led to different outcomes: `named` if possible, or else the best attempt. */
function chooseEpisode(episodes: readonly Episode[], named?: number): number | undefined {
  const candidates = episodes.flatMap(({ first, outcome }, index) => {
    const matches = episodes.filter((candidate) => candidate.first === first);
    return countOutcomes(matches) > 1 ? [{ index, outcome }] : [];
  });
  const best = candidates.sort((a, b) => b.outcome - a.outcome)[0]?.index;
  return candidates.some(({ index }) => index === named) ? named : best;
}

/**
 * Computes the exact values of an episode, for the outcome only, under a policy whose probabilities are the frequencies
 * of the actions in the group.
 */
export function computeStateValues(episodes: readonly Episode[], { first, second }: Episode) {
  const firsts = [...new Set(episodes.map((episode) => episode.first))];
  const seconds = [...new Set(episodes.map((episode) => episode.second))];
  const shareOf = (some: readonly Episode[], holds: (episode: Episode) => boolean) =>
    some.length === 0 ? 1 / seconds.length : some.filter(holds).length / some.length;
  const filterByFirst = (a: string) => episodes.filter((episode) => episode.first === a);
  const findOutcome = (a: string, b: string) => filterByFirst(a).find((episode) => episode.second === b)?.outcome ?? 0;
  const exact = exactValues(
    { reward: firsts.map(() => 0), outcome: firsts.map((a) => seconds.map((b) => findOutcome(a, b))), chance: 1 },
    {
      first: firsts.map((a) => shareOf(episodes, (episode) => episode.first === a)),
      second: firsts.map((a) => seconds.map((b) => shareOf(filterByFirst(a), (episode) => episode.second === b))),
    },
    { rewards: false },
  );
  const [a, b] = [firsts.indexOf(first), seconds.indexOf(second)];
  return {
    value: exact.value,
    before: exact.secondValue[a] ?? Number.NaN,
    first: exact.firstAdvantage[a] ?? Number.NaN,
    second: exact.secondAdvantage[a]?.[b] ?? Number.NaN,
  };
}
