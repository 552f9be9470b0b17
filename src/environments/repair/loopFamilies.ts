import type { AddDraft } from './draft.ts';
import { hiddenSite } from './template.ts';

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
