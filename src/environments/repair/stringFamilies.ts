import type { AddDraft } from './draft.ts';

/** Adds problems about strings of a few letters. */
export function stringFamilies(add: AddDraft): void {
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
