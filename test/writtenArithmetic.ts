/**
 * Computes the value of an expression in the notation of `src/credit/explanation/derivation.ts`: + − · / ^ ², √(...),
 * exp(...), max(...), parentheses.
 * @throws {Error} if the expression contains other notation
 */
export function evaluate(expression: string): number {
  const script = expression
    .replaceAll('−', '-')
    .replaceAll('·', '*')
    .replaceAll('²', '**2')
    .replaceAll('^', '**')
    .replaceAll('√', 'Math.sqrt')
    .replace(/\b(exp|max)\(/g, 'Math.$1(');
  const plain = script.replace(/Math\.(sqrt|exp|max)/g, '').replace(/\de[+-]?\d/g, '');
  if (!/^[-+*/().,\d\s]+$/.test(plain)) throw new Error(`"${expression}" cannot be read`);
  return Number(new Function(`return ${script}`)());
}
