import type { GroupView } from '../../../training/data/protocol.ts';
import { plain, signed } from '../../drawing/numbers.ts';
import { formulaStrings } from '../../strings/formulaStrings.ts';
import { chooseMeeting, type RtmcValues, solvedShare } from '../sheets/meetingSheet.ts';
import { chooseStateValueGroup, computeStateValues, turnActions } from '../sheets/stateValueSheet.ts';
import { actionText, scoredByRtmc } from '../sheets/visits.ts';
import { type BoundFormula, type BoundRow, symbol } from './formula.ts';

/** Indices of the columns that are highlighted in related rows. */
const RETURN = 1;
const OUTCOME = 2;

/** Creates the formula of RTMC: the mean return of an action minus the value of its state (Wang, Zheng, Xu 2026). */
export function meeting(groups: readonly GroupView[], { kappa, bonus }: RtmcValues): BoundFormula | undefined {
  const texts = formulaStrings;
  const match = chooseMeeting(groups);
  const credit = match && scoredByRtmc(match.group, kappa, bonus);
  if (!match || !credit) return undefined;
  const { group, visits } = match;
  const at = (name: string, turn: number) => Number(credit.intermediate[name]?.[turn] ?? Number.NaN);
  const all = visits.reduce((sum, { turn }) => sum + at('return', turn), 0);
  return {
    caption: texts.met(group.step, visits.length),
    symbols: texts.meeting,
    lines: [
      [symbol('A'), ' = ', symbol('Q'), ' − ', symbol('V')],
      [symbol('Q'), ' = ', { over: [symbol('W')], under: [symbol('N')] }],
      [
        ...[symbol('V'), ' = '],
        { over: [symbol('WW'), ' + ', symbol('k'), ' · ', symbol('p')], under: [symbol('NN'), ' + ', symbol('k')] },
      ],
    ],
    columns: [texts.rollout, texts.action, texts.rest, texts.advantage],
    ofKin: { W: RETURN, N: 0, Q: RETURN },
    rows: visits.map((visit): BoundRow => {
      const { rollout, turn, action } = visit;
      const same = visits.filter((candidate) => candidate.action === action);
      const advantage = signed(credit.advantage[turn] ?? Number.NaN, 3);
      return {
        name: String(rollout + 1),
        kin: action,
        cells: [
          { text: actionText(group, visit), symbols: ['NN'] },
          { text: signed(at('return', turn), 3), symbols: ['WW', 'V'] },
          { text: advantage, rowSymbols: ['A'] },
        ],
        values: {
          ...{ A: advantage, Q: plain(at('q', turn)), V: plain(at('v', turn)) },
          ...{
            W: plain(same.reduce((sum, candidate) => sum + at('return', candidate.turn), 0)),
            N: String(same.length),
          },
          ...{ WW: plain(all), NN: String(visits.length), k: plain(kappa), p: plain(solvedShare(group)) },
        },
      };
    }),
  };
}

/**
 * Creates the formula of the true advantages of both turns, under the policy whose probabilities are the frequencies of
 * the actions in the group.
 */
export function trueAdvantageFormula(groups: readonly GroupView[]): BoundFormula | undefined {
  const texts = formulaStrings;
  const match = chooseStateValueGroup(groups);
  if (!match) return undefined;
  const { group, episodes } = match;
  return {
    caption: texts.caption(group.step, episodes.length),
    symbols: texts.worth,
    lines: [
      [symbol('A1'), ' = ', symbol('V2'), ' − ', symbol('V1')],
      [symbol('A2'), ' = ', symbol('o'), ' − ', symbol('V2')],
      [symbol('A1'), ' + ', symbol('A2'), ' = ', symbol('o'), ' − ', symbol('V1')],
    ],
    columns: [texts.rollout, texts.first, texts.second, texts.outcomeHead],
    ofKin: { V2: OUTCOME },
    rows: episodes.map((episode, index): BoundRow => {
      const { value, before, first, second } = computeStateValues(episodes, episode);
      const [firstAction = '', secondAction = ''] = turnActions(group, index);
      return {
        name: String(index + 1),
        kin: episode.first,
        cells: [
          { text: firstAction, rowSymbols: ['A1'] },
          { text: secondAction, rowSymbols: ['A2'] },
          { text: plain(episode.outcome), symbols: ['V1'], rowSymbols: ['o'] },
        ],
        values: {
          ...{ V1: plain(value), V2: plain(before), o: plain(episode.outcome) },
          ...{ A1: signed(first, 3), A2: signed(second, 3) },
        },
      };
    }),
  };
}
