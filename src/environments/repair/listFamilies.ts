import { emptyValue } from './conventions.ts';
import type { AddDraft } from './draft.ts';
import { hiddenSite, site } from './template.ts';

/** Adds problems about a list that need no loop: members, slices, order and clamping. */
export function listFamilies(add: AddDraft): void {
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
