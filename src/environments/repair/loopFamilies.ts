import type { CounterRandom } from '../../random/counter.ts';
import { type AddDraft, emptyValue, hiddenSite } from './template.ts';

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

/** Adds problems that iterate over one list, or over two lists in parallel. */
export function loopFamilies(add: AddDraft): void {
  running(add);
  add('dedupe', 'unique elements', 'a', 't = []\nfor x in a:\n    if x {not in|in} t:\n        t.append(x)\nreturn t');
  add('dedupe', 'unique elements sorted', 'a', 'return {sorted|list}(set(a))');
  add('dedupe', 'count unique elements', 'a', 'return len({set(a)|a})');
  neighbours(add);
  pairs(add);
  frequencies(add);
  comparisons(add);
}

function running(add: AddDraft): void {
  for (const [name, below, above] of [
    ['maximum', '<', '>'],
    ['minimum', '>', '<'],
  ]) {
    add(
      'running_ext',
      `running ${name}`,
      'a',
      `t = []\nfor x in a:\n    if t and x {${below}|${above}} t[-1]:\n        x = t[-1]\n    t.append(x)\nreturn t`,
    );
  }
  for (let k = 0; k < 6; k++) {
    const start = `m = {${k}|${k === 0 ? 1 : 0}}`;
    const body = `t = []\n${start}\nfor x in a:\n    m {+=|=} x\n    t.append({m|x})\nreturn t`;
    add('running_sum', `running sum${k > 0 ? ` from ${k}` : ''}`, 'a', body);
  }
}

/** Adds problems that compare members with the previous member. */
function neighbours(add: AddDraft): void {
  for (const absolute of [false, true]) {
    for (const k of [1, 2, 3]) {
      const difference = `a[i] {-|+} a[i - {${k}|${k < 3 ? k + 1 : 1}}]`;
      const value = absolute ? `abs(${difference})` : difference;
      add(
        'diffs',
        `${absolute ? 'absolute ' : ''}differences${k > 1 ? ` ${k}` : ''}`,
        'a',
        `t = []\nfor i in range({${k}|0}, len(a)):\n    t.append(${value})\nreturn t`,
      );
    }
  }
  for (const [term, operator] of [
    ['rises', '>'],
    ['falls', '<'],
  ]) {
    const count = (comparison: string) =>
      `t = {0|1}\nfor i in range({1|0}, len(a)):\n    if a[i] ${comparison} a[i - 1]:\n        t += 1\nreturn t`;
    for (const right of [0, 1]) {
      add('rises', `count ${term}`, 'a', count(hiddenSite([operator, `${operator}=`], right)));
    }
    add('rises', `count strictly ${term}`, 'a', count(`{${operator}|${operator}=}`));
  }
  for (const [term, operator] of [
    ['ascending', '<'],
    ['descending', '>'],
  ]) {
    const check = (comparison: string) =>
      `for i in range({1|0}, len(a)):\n    if a[i] ${comparison} a[i - 1]:\n        return {False|True}\nreturn {True|False}`;
    for (const right of [0, 1]) {
      add('is_sorted', `is sorted ${term}`, 'a', check(hiddenSite([operator, `${operator}=`], right)));
    }
    add('is_sorted', `is strictly sorted ${term}`, 'a', check(`{${operator}=|${operator}}`));
  }
}

function pairs(add: AddDraft): void {
  for (const [name, value] of [
    ['product', 'x {*|+} y'],
    ['sum', 'x {+|*} y'],
    ['maximum', '{max|min}(x, y)'],
    ['minimum', '{min|max}(x, y)'],
    ['differences', 'x {-|+} y'],
  ]) {
    const loop = (start: string, body: string) => `t = ${start}\nfor x, y in zip(a, {b|a}):\n    ${body}\nreturn t`;
    add('pairwise', `pairwise ${name}`, 'ab', loop('[]', `t.append(${value})`));
    if (name !== 'sum') add('dot', `total pairwise ${name}`, 'ab', loop('{0|1}', `t {+=|=} ${value}`));
  }
}

function frequencies(add: AddDraft): void {
  add('freq', 'largest frequency', 'a', 't = {0|1}\nfor x in a:\n    t = {max|min}(t, a.count({x|t}))\nreturn t');
  for (const k of [2, 3, 4]) {
    add(
      'freq',
      `count frequency at least ${k}`,
      'a',
      `t = 0\nfor x in {set(a)|a}:\n    if a.count(x) {>=|>} ${k}:\n        t += {1|x}\nreturn t`,
    );
  }
}

/** Adds problems that compare members with the parameter k. */
function comparisons(add: AddDraft): void {
  for (const [term, operator] of [
    ['greater', '>'],
    ['less', '<'],
  ]) {
    const loop = (start: string, body: string) =>
      `t = ${start}\nfor x in a:\n    if x {${operator}|${operator}=} k:\n        ${body}\nreturn t`;
    add('cmp_k', `count ${term} than value`, 'ak', loop('{0|1}', 't += {1|x}'));
    add('cmp_k', `sum ${term} than value`, 'ak', loop('{0|k}', 't += {x|1}'));
    add('cmp_k', `keep ${term} than value`, 'ak', loop('[]', 't.append({x|k})'));
  }
  add('cmp_k', 'count equal value', 'ak', 'return a.count({k|a})');
  add('cmp_k', 'drop equal value', 'ak', 't = []\nfor x in a:\n    if x {!=|==} k:\n        t.append({x|k})\nreturn t');
}
