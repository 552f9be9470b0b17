/** Python as people and programs write it whose parts lie deep in each other, with how deep; called as `f(2)`, each gives 5. */
const nested = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => ' '.repeat(i + 1) + line(i)).join('\n');
const elifs = Array.from({ length: 50 }, (_, i) => `  elif n == ${i + 100}: return ${i}\n`).join('');

export const DEEP_SOURCE: Readonly<Record<string, string>> = {
  '50 elif': `def f(n):\n  if n == 1: return 0\n${elifs}  else: return 5\n`,
  '200 sums': `def f(n): return ${'n + '.repeat(200)}5 - ${2 * 200}`,
  '100 methods': `def f(n): return 5 + len(""${'.strip()'.repeat(100)})`,
  '40 times if': `def f(n):\n${nested(40, () => 'if n:')}\n${' '.repeat(41)}return 5`,
  '15 loops': `def f(n):\n${nested(15, (i) => `for x${i} in [1]:`)}\n${' '.repeat(16)}return 5`,
  '100 lists': `def f(n): return 4 + len(${'['.repeat(100)}${']'.repeat(100)})`,
  '150 choices': `def f(n): return ${'1 if n == 7 else '.repeat(150)}5`,
  '50 functions': `${Array.from({ length: 50 }, (_, i) => `${' '.repeat(i)}def f(n):`).join('\n')}\n${' '.repeat(50)}return 5\nf = (lambda g: lambda n: 5)(f)`,
};
