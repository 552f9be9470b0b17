const nested = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => ' '.repeat(i + 1) + line(i)).join('\n');
const elifs = Array.from({ length: 50 }, (_, i) => `  elif n == ${i + 100}: return ${i}\n`).join('');

/** Deeply nested Python programs by construct and depth. The call `f(2)` of each returns 5. */
export const DEEP_SOURCE: Readonly<Record<string, string>> = {
  '50 elif branches': `def f(n):\n  if n == 1: return 0\n${elifs}  else: return 5\n`,
  'a sum of 200 terms': `def f(n): return ${'n + '.repeat(200)}5 - ${2 * 200}`,
  '100 chained method calls': `def f(n): return 5 + len(""${'.strip()'.repeat(100)})`,
  '40 nested if statements': `def f(n):\n${nested(40, () => 'if n:')}\n${' '.repeat(41)}return 5`,
  '15 nested loops': `def f(n):\n${nested(15, (i) => `for x${i} in [1]:`)}\n${' '.repeat(16)}return 5`,
  '100 nested lists': `def f(n): return 4 + len(${'['.repeat(100)}${']'.repeat(100)})`,
  '150 chained conditional expressions': `def f(n): return ${'1 if n == 7 else '.repeat(150)}5`,
  '50 nested functions': `${Array.from({ length: 50 }, (_, i) => `${' '.repeat(i)}def f(n):`).join('\n')}\n${' '.repeat(50)}return 5\nf = (lambda g: lambda n: 5)(f)`,
};
