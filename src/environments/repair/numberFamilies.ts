import type { AddDraft } from './draft.ts';
import { hiddenSite } from './template.ts';

/** Adds problems about whole numbers. */
export function numberFamilies(add: AddDraft): void {
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
