import type { TurnCase } from '../environments/watchedTurns.ts';
import type { AdvantageSummary, DecidedSpan, MarkedSpan, TurnKindAdvantages, WhySpan } from './why.ts';

/** Share of turns in tied groups from which the text mentions them [0 to 1]. */
const TIED_THRESHOLD = 0.5;

/** Maximum number of cases named in which two rules give advantages of opposite sign. */
const MAX_CONTRASTS = 2;

/** Display names of the two rules. */
export interface RuleTitles {
  /** Name of the active rule. */
  readonly active: string;
  /** Name of the rule that the active rule is compared with. */
  readonly compared: string;
}

/** Returns the name of a kind as it appears inside a sentence. */
export const inSentence = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

/** Rounds to the number of digits that the text shows. */
const rounded = (value: number) => Math.round(100 * value) / 100;
const signed = (value: number) => `${rounded(value) < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
const HAD = 'had a mean advantage of';
const listed = (parts: readonly string[]) => new Intl.ListFormat('en').format(parts);
const share = (value: number) => `${Math.round(100 * value)} %`;

/**
 * Describes a span in a few sentences.
 * @param counted unit in which its turns are counted, for example "rollouts"
 */
export function whySentences(span: WhySpan, counted: string, titles: RuleTitles): string[] {
  const { decided, from, to } = span;
  const under = `${from === to ? `Update ${from}` : `Updates ${from} to ${to}`} under ${titles.active}: `;
  return decided ? decidedSentences(span, decided, under) : kindSentences(span, counted, under, titles);
}

/** Numbers the updates of a span from 1, as the page does. Steps in files begin at 0. */
export const asUpdateNumbers = (span: WhySpan): WhySpan => ({ ...span, from: span.from + 1, to: span.to + 1 });

function decidedSentences({ kinds, count, tied }: WhySpan, decided: DecidedSpan, under: string): string[] {
  const { action, probability, push, pushNoise, moved } = decided;
  const means = kinds
    .filter((kind) => kind.count > 0)
    .map((kind, index) => `${inSentence(kind.title)} ${index === 0 ? `${HAD} ` : ''}${signed(kind.meanAdvantage)}`);
  const missing = kinds.filter((kind) => kind.count === 0).map(({ title }) => `no ${inSentence(title)}`);
  const lost = Math.abs(push) <= pushNoise;
  const effect = lost ? `had no clear effect on ${action}` : `made ${action} ${push > 0 ? 'more' : 'less'} likely`;
  const [p, last] = probability;
  const change = last - p;
  const against = !lost && change * push < 0 && change * moved > 0;
  const main = largestPart(kinds, p, push);
  return [
    `${under}${listed(means)}${missing.length > 0 ? `; there were ${listed(missing)}` : ''}.`,
    `The updates ${effect}; its probability went from ${p.toFixed(2)} to ${last.toFixed(2)}.`,
    ...(against ? ['The momentum of AdamW still carried earlier updates.'] : []),
    ...(main && !lost
      ? [
          `The largest part came from ${share(main.count / count)} of the rollouts, where ${main.label}: mean advantage ${signed(main.meanAdvantage)}.`,
        ]
      : []),
    ...(tied >= TIED_THRESHOLD ? [tiedSentence(tied, 'rollouts')] : []),
  ];
}

function tiedSentence(tied: number, counted: string): string {
  return `${share(tied)} of the ${counted} were in groups with identical rewards, so they gave no gradient.`;
}

/**
 * Returns the case that contributes most to the push, in the direction of the push.
 * @param p probability of the action
 */
function largestPart(kinds: WhySpan['kinds'], p: number, push: number): (TurnCase & AdvantageSummary) | undefined {
  const weighed = kinds.flatMap(({ starts, cases }) =>
    cases.map((turnCase) => ({
      singular: turnCase,
      weight:
        turnCase.count === 0 ? 0 : turnCase.count * turnCase.meanAdvantage * (starts ? 1 - p : -p) * Math.sign(push),
    })),
  );
  const best = weighed.reduce((largest, next) => (next.weight > largest.weight ? next : largest));
  return best.weight > 0 ? best.singular : undefined;
}

function kindSentences(
  { kinds, count, tied, marked }: WhySpan,
  counted: string,
  under: string,
  titles: RuleTitles,
): string[] {
  const describeKind = ({ title, count: kindCount, meanAdvantage: mean, cases }: TurnKindAdvantages) => {
    if (kindCount === 0) return `there were no ${inSentence(title)}.`;
    const parts = cases
      .filter((turnCase) => turnCase.count > 0)
      .map((turnCase) => `${signed(turnCase.meanAdvantage)} where ${turnCase.label}`);
    return `${inSentence(title)} ${HAD} ${signed(mean)}: ${parts.join('; ')}.`;
  };
  const [first, ...more] = kinds.map(describeKind);
  const contrary = contrasts(kinds).map(
    (turnCase) =>
      `${signed(turnCase.compared)} instead of ${signed(turnCase.meanAdvantage)} where ${turnCase.label}, in ${share(turnCase.count / count)} of the ${counted}`,
  );
  return [
    `${under}${first}`,
    ...more.map((sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1)),
    ...(contrary.length > 0 ? [`${titles.compared} gives the opposite sign: ${contrary.join('; ')}.`] : []),
    ...(marked && marked.share > 0 && marked.share < 1 ? [markedSentence(marked, counted, titles)] : []),
    ...(tied >= TIED_THRESHOLD ? [tiedSentence(tied, counted)] : []),
  ];
}

function markedSentence(
  { label, share: of, meanSizes, comparedMeans: other }: MarkedSpan,
  counted: string,
  { active, compared }: RuleTitles,
): string {
  const sizes = (rule: string, [marked, unmarked]: MarkedSpan['meanSizes']) =>
    `${rule} gave ±${marked.toFixed(2)} there and ±${unmarked.toFixed(2)} elsewhere`;
  return `In ${share(of)} of the ${counted} ${label}: ${sizes(active, meanSizes)}, ${sizes(compared, other)}.`;
}

/** Returns the most frequent cases whose displayed advantages have opposite signs under the two rules. */
function contrasts(kinds: WhySpan['kinds']): (TurnCase & AdvantageSummary)[] {
  return kinds
    .flatMap(({ cases }) => cases)
    .filter(({ meanAdvantage, compared }) => rounded(meanAdvantage) * rounded(compared) < 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_CONTRASTS);
}

/** Returns the content of a one-line summary of a span: names with mean advantages, NaN if there were no such turns. */
export function whyBrief({ kinds }: WhySpan): readonly { readonly name: string; readonly meanAdvantage: number }[] {
  const brief = kinds
    .flatMap(({ cases }) => cases)
    .flatMap(({ brief: name, meanAdvantage }) => (name ? [{ name, meanAdvantage }] : []));
  if (brief.length > 0) return brief;
  return kinds.map(({ title, meanAdvantage }, index) => ({
    name: index === 0 ? title : inSentence(title),
    meanAdvantage,
  }));
}
