import type { CounterRandom } from '../../random/counter.ts';
import { emptyValue } from './conventions.ts';
import type { AddDraft } from './draft.ts';
import { hiddenSite } from './template.ts';

/** Condition on x: its words and its text with choice sites. */
interface Predicate {
  readonly phrase: string;
  readonly text: string;
}

function predicates(): Predicate[] {
  const all: Predicate[] = [
    { phrase: 'even', text: 'x % 2 {==|!=} 0' },
    { phrase: 'odd', text: 'x % 2 {==|!=} 1' },
    { phrase: 'positive', text: 'x {>|>=|<} 0' },
    { phrase: 'negative', text: 'x {<|<=|>} 0' },
    { phrase: 'nonzero', text: 'x {!=|>|==} 0' },
  ];
  for (let k = 1; k < 10; k++) {
    all.push(
      { phrase: `greater than ${k}`, text: `x {>|>=|<} ${k}` },
      { phrase: `less than ${k}`, text: `x {<|<=|>} ${k}` },
      { phrase: `at least ${k}`, text: `x {>=|>|==} ${k}` },
      { phrase: `at most ${k}`, text: `x {<=|<|==} ${k}` },
    );
    // "Above k" can include k or not, and only feedback shows the right reading.
    for (const right of [0, 1]) {
      all.push(
        { phrase: `above ${k}`, text: `x ${hiddenSite(['>', '>='], right)} ${k}` },
        { phrase: `below ${k}`, text: `x ${hiddenSite(['<', '<='], right)} ${k}` },
      );
    }
    if (k >= 3 && k <= 5) all.push({ phrase: `multiple of ${k}`, text: `x % ${k} {==|!=|>} 0` });
  }
  return all;
}

/**
 * Draws about `count` predicates. Predicates with the same words are drawn together, so that a hidden convention has
 * both readings.
 */
function some(random: CounterRandom, count: number): Predicate[] {
  const all = predicates();
  const phrase = [...new Set(all.map((predicate) => predicate.phrase))];
  const picked: Predicate[] = [];
  for (const index of random.permutation(phrase.length)) {
    if (picked.length >= count) break;
    picked.push(...all.filter((predicate) => predicate.phrase === phrase[index]));
  }
  return picked;
}

const MANY = 30;
const SMALL = 18;

/** Adds problems that aggregate the members of a list that satisfy a predicate. */
export function predicateFamilies(add: AddDraft, random: CounterRandom): void {
  const each = (family: string, name: string, count: number, template: (text: string) => string) => {
    for (const { phrase, text } of some(random, count)) add(family, `${name} ${phrase}`, 'a', template(text));
  };
  /**
   * Adds problems with a value for a list without such a member. Its three conventions alternate, stated and hidden.
   */
  const orElse = (family: string, name: string, template: (text: string, empty: string) => string) => {
    for (const [index, { phrase, text }] of some(random, MANY).entries()) {
      const empty = emptyValue(index % 3, index % 2 === 1);
      add(family, `${name} ${phrase}${empty.phrase}`, 'a', template(text, empty.site));
    }
  };
  const loop = (start: string, condition: string, body: string, result = 't') =>
    `t = ${start}\nfor x in a:\n    if ${condition}:\n        ${body}\nreturn ${result}`;

  each('sum_pred', 'sum of', MANY, (text) => loop('{0|1}', text, 't {+=|=|-=} x'));
  each('count_pred', 'count of', MANY, (text) => loop('{0|1}', text, 't += {1|x}'));
  each('keep_pred', 'keep', MANY, (text) => loop('[]', text, 't.append({x|1})'));
  each('drop_pred', 'drop', MANY, (text) => loop('[]', `{not|} (${text})`, 't.append(x)'));
  orElse('first_pred', 'first', (text, empty) => `for x in a:\n    if ${text}:\n        return {x|a}\nreturn ${empty}`);
  orElse('last_pred', 'last', (text, empty) => loop(empty, text, '{t = x|return x}'));
  each(
    'any_pred',
    'any',
    SMALL,
    (text) => `for x in a:\n    if ${text}:\n        return {True|False}\nreturn {False|True}`,
  );
  each(
    'all_pred',
    'all',
    SMALL,
    (text) => `for x in a:\n    if {not|} (${text}):\n        return {False|True}\nreturn {True|False}`,
  );
  orElse(
    'index_pred',
    'index of first',
    (text, empty) =>
      `for i in range(len(a)):\n    x = a[i]\n    if ${text}:\n        return {i|x|i + 1}\nreturn ${empty}`,
  );
  each('sumsq_pred', 'sum squares of', MANY, (text) => loop('{0|1}', text, 't {+=|=} x {*|+} x'));
  each('dbl_pred', 'double of', MANY, (text) => loop('[]', text, 't.append(x {*|+} 2)'));
  for (const [term, right, wrong] of [
    ['largest', 'max', 'min'],
    ['smallest', 'min', 'max'],
  ]) {
    orElse(
      `${term}_pred`,
      term,
      (text, empty) =>
        `b = [x for x in a if ${text}]\nif {not b|len(b) < 2}:\n    return ${empty}\nreturn {${right}|${wrong}}(b)`,
    );
  }
  each('prod_pred', 'product of', SMALL, (text) => loop('{1|0}', text, 't {*=|+=} x'));
}
