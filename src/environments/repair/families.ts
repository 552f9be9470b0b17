import { CounterRandom } from '../../random/counter.ts';
import { loopFamilies, predicateFamilies } from './loopFamilies.ts';
import { type AddDraft, type Draft, emptyValue, hiddenSite, site } from './template.ts';

/** Adds problems about a list that need no loop: members, slices, order and clamping. */
function listFamilies(add: AddDraft): void {
  for (const isStated of [false, true]) {
    for (const right of [0, 1, 2]) ofMembers(add, right, isStated);
  }
  for (let low = 0; low < 4; low++) {
    for (let high = 5; high < 10; high++) {
      add(
        'clamp_list',
        `clamp all ${low} to ${high}`,
        'a',
        `t = []\nfor x in a:\n    t.append({max|min}(${low}, {min|max}(${high}, x)))\nreturn t`,
      );
      if ((low + high) % 2 === 0) continue;
      add(
        'clamp_num',
        `clamp number ${low} to ${high}`,
        'n',
        `if n {<|>} ${low}:\n    return {${low}|${high}}\nif n > ${high}:\n    return {${high}|${low}}\nreturn n`,
      );
    }
  }
  slices(add);
  for (const [term, slice] of [
    ['ascending', '{|[::-1]}'],
    ['descending', '{[::-1]|}'],
  ]) {
    add('sort', `order ${term}`, 'a', `return sorted(a)${slice}`);
    add('sort', `order unique ${term}`, 'a', `return sorted({set(a)|a})${slice}`);
  }
  for (let k = 1; k < 10; k++) {
    add('add_k', `add ${k}`, 'a', `return [x {+|-|*} ${k} for x in a]`);
    add('scale_k', `scale ${k}`, 'a', `return [x {*|+} ${k} for x in a]`);
    add('scale_k', `scale ${k} negate`, 'a', `return [{-x|x} {*|+} ${k} for x in a]`);
  }
}

/** Adds problems about members and statistics for which a list can be too short. */
function ofMembers(add: AddDraft, right: number, isStated: boolean): void {
  const { phrase, site: empty } = emptyValue(right, isStated);
  const tooShort = (length: string) => `if len(b) < ${length}:\n    return ${empty}\n`;
  const guard = `if {not a|len(a) < 2}:\n    return ${empty}\n`;
  add('spread', `spread${phrase}`, 'a', `${guard}return {max|sum}(a) {-|+} min(a)`);
  add('mean', `mean${phrase}`, 'a', `if not a:\n    return ${empty}\nreturn sum(a) {//|%|-} {len|max}(a)`);
  for (const [term, index, wrong] of [
    ['largest', '-2', '-1'],
    ['smallest', '1', '0'],
  ]) {
    // The second largest member may or may not count a tie with the largest. The prompt states it, or it is a hidden
    // convention.
    for (const reading of [0, 1]) {
      const options = ['sorted(set(a))', 'sorted(a)'];
      const order = isStated ? site(options[reading], options[1 - reading]) : hiddenSite(options, reading);
      const unique = isStated && reading === 0 ? ' unique' : '';
      const body = `b = ${order}\n${tooShort('{2|1}')}return b[{${index}|${wrong}}]`;
      add('second', `second ${term}${phrase}${unique}`, 'a', body);
    }
  }
  for (const k of [2, 3, 4, 5]) {
    const body = `b = sorted(a)\n${tooShort(site(String(k), String(k - 1)))}return b[{${k - 1}|${k}}]`;
    add('kth', `kth ${k} smallest${phrase}`, 'a', body);
  }
  add('end', `first of list${phrase}`, 'a', `${guard}return a[{0|1}]`);
  add('end', `last of list${phrase}`, 'a', `${guard}return a[{-1|-2}]`);
  add('middle', `middle of list${phrase}`, 'a', `if not a:\n    return ${empty}\nreturn a[{len(a) // 2|len(a) - 2|2}]`);
  add(
    'find',
    `index of value${phrase}`,
    'ak',
    `for i in range({len(a)|k}):\n    if a[i] {==|>=} k:\n        return {i|i + 1}\nreturn ${empty}`,
  );
}

function slices(add: AddDraft): void {
  for (const k of [2, 3, 4, 5]) {
    for (const right of [0, 1]) {
      add('every', `every ${k}`, 'a', `return a[${hiddenSite(['0', String(k - 1)], right)}::${k}]`);
      const from = right === 0 ? 'first' : 'second';
      add('every', `every ${k} from ${from}`, 'a', `return a[{${right}|${1 - right}}::{${k}|${k - 1}}]`);
    }
    add('take', `take first ${k}`, 'a', `return a[{:${k}|${k}:}]`);
    add('skip', `skip first ${k}`, 'a', `return a[{${k}:|:${k}}]`);
    add('take', `take last ${k}`, 'a', `return a[{-${k}:|:-${k}|${k}:}]`);
    add('skip', `skip last ${k}`, 'a', `return a[{:-${k}|-${k}:|:${k}}]`);
    for (const [direction, sign] of [
      ['left', ''],
      ['right', '-'],
    ]) {
      add(
        'rotate',
        `rotate ${direction} ${k}`,
        'a',
        `if {not a|len(a) < 2}:\n    return {a|0}\ni = ${sign}${k} % len(a)\nreturn a[{i:|:i}] + a[{:i|i:}]`,
      );
    }
  }
}

/** Adds problems about whole numbers. */
function numberFamilies(add: AddDraft): void {
  digits(add);
  add('gcd', 'gcd', 'nk', 'while {k|n}:\n    n, k = k, n {%|//|-} k\nreturn {n|k}');
  add(
    'prime',
    'is prime',
    'n',
    'if n < {2|1}:\n    return {False|True}\nfor i in range({2|1}, n):\n    if n % i == 0:\n        return False\nreturn True',
  );
  for (let k = 0; k < 6; k++) {
    add(
      'factorial',
      `product from ${k + 1} up to number`,
      'n',
      `t = {1|0}\nfor i in range({${k + 1}|${k}}, {n + 1|n}):\n    t *= i\nreturn t`,
    );
    add(
      'sum_to',
      `sum from ${k} up to number`,
      'n',
      `t = {0|1}\nfor i in range({${k}|${k + 1}}, {n + 1|n}):\n    t {+=|=} i\nreturn t`,
    );
  }
  divisors(add);
  add('fib', 'fibonacci', 'n', 'x = {0|1}\ny = 1\nfor i in range({n|n + 1}):\n    x, y = y, x {+|*} y\nreturn {x|y}');
  add(
    'collatz',
    'collatz steps',
    'n',
    't = {0|1}\nwhile n {> 1|> 2}:\n    if n % 2 == 0:\n        n {//=|-=} 2\n    else:\n        n = n * 3 + 1\n    t += 1\nreturn t',
  );
  add('power', 'power', 'nk', 't = {1|0}\nfor i in range({k|n}):\n    t *= {n|k}\nreturn t');
}

function digits(add: AddDraft): void {
  const loop = (start: string, body: string) =>
    `n = {abs(n)|n}\nt = ${start}\nwhile n {> 0|> 9}:\n    ${body}\n    n //= 10\nreturn t`;
  add('digits', 'sum digits', 'n', loop('{0|1}', 't += n % {10|9}'));
  add('digits', 'product digits', 'n', loop('{1|0}', 't {*=|+=} n % 10'));
  add('digits', 'count digits', 'n', loop('{0|1}', 't += {1|n % 10}'));
  add('digits', 'largest digits', 'n', loop('{0|9}', 't = {max|min}(t, n % 10)'));
  for (let k = 1; k < 10; k++) {
    add('digits', `count digits ${k}`, 'n', loop('{0|1}', `if n % 10 {==|>=} ${k}:\n        t += 1`));
  }
}

function divisors(add: AddDraft): void {
  for (const [name, value] of [
    ['count', '{1|i}'],
    ['sum', '{i|1}'],
  ]) {
    const loop = (start: string, end: string, divisor: string, test: string) =>
      `t = {0|1}\nfor i in range(${start}, ${end}):\n    if ${divisor} {==|!=} 0:\n        t += ${test}\nreturn t`;
    add('divisors', `${name} divisors`, 'n', loop('{1|2}', '{n + 1|n}', 'n % i', value));
    for (let k = 2; k < 8; k++) {
      for (const right of [0, 1]) {
        const end = hiddenSite(['n + 1', 'n'], right);
        add('mult_to', `${name} multiple of ${k} up to number`, 'n', loop('1', end, `i % ${k}`, value));
      }
      const text = `${name} multiple of ${k} strictly below number`;
      add('mult_to', text, 'n', loop('1', '{n|n + 1}', `i % ${k}`, value));
    }
  }
}

/** Adds problems about strings of a few letters. */
function stringFamilies(add: AddDraft): void {
  for (const letter of 'abcde') ofLetter(add, letter);
  add('vowels', 'count vowels', 's', 't = {0|1}\nfor x in s:\n    if x {in|not in} "aeiou":\n        t += 1\nreturn t');
  add('vowels', 'remove vowels', 's', 't = ""\nfor x in s:\n    if x {not in|in} "aeiou":\n        t += x\nreturn t');
  add('s_rev', 'reverse string', 's', 'return s[::{-1|2}]');
  add('s_pal', 'is palindrome', 's', 'return s {==|!=} s[::{-1|2}]');
  for (const k of [2, 3, 4]) {
    add('s_rep', `repeat letter ${k}`, 's', `t = {""|s}\nfor x in s:\n    t {+=|=} x * ${k}\nreturn t`);
    add('s_take', `string first ${k}`, 's', `return s[{:${k}|${k}:}]`);
    add('s_take', `string last ${k}`, 's', `return s[{-${k}:|:-${k}}]`);
  }
}

function ofLetter(add: AddDraft, letter: string): void {
  const quoted = `"${letter}"`;
  const alternative = letter === 'a' ? '"b"' : '"a"';
  const loop = (start: string, comparison: string, body: string) =>
    `t = ${start}\nfor x in s:\n    if x ${comparison} ${quoted}:\n        ${body}`;
  add('s_count', `count char ${quoted}`, 's', `${loop('{0|1}', '{==|!=}', 't += 1')}\nreturn t`);
  add('s_remove', `remove char ${quoted}`, 's', `${loop('{""|s}', '{!=|==}', 't += x')}\nreturn t`);
  for (const replacement of 'abcde') {
    if (replacement === letter) continue;
    const wrong = alternative === `"${replacement}"` ? quoted : alternative;
    add(
      's_replace',
      `replace char ${quoted} with "${replacement}"`,
      's',
      `${loop('""', '{==|!=}', `x = {"${replacement}"|${wrong}}`)}\n    t {+=|=} x\nreturn t`,
    );
  }
  add(
    's_index',
    `index of char ${quoted} else neg 1`,
    's',
    `for i in range({len(s)|1}):\n    if s[i] == ${quoted}:\n        return {i|i + 1}\nreturn {-1|0|None}`,
  );
}

/** Key of the draws that select the predicates of a family. */
const FAMILY_SEED = 7;

/** Returns all problems of all families in a fixed order. Each pair of prompt and template occurs once. */
export function allDrafts(): readonly Draft[] {
  const drafts: Draft[] = [];
  const visited = new Set<string>();
  const add: AddDraft = (family, phrase, signature, template) => {
    const key = `${phrase} ${signature} ${template}`;
    if (visited.has(key)) return;
    visited.add(key);
    drafts.push({ family, promptTerms: phrase.split(' '), signature, template });
  };
  predicateFamilies(add, new CounterRandom(FAMILY_SEED, 0));
  listFamilies(add);
  loopFamilies(add);
  numberFamilies(add);
  stringFamilies(add);
  return drafts;
}
