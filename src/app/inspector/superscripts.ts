/** Unicode superscripts of the letters and signs that have one. */
const RAISED: Readonly<Record<string, string>> = {
  ...{ I: 'ᴵ', O: 'ᴼ', E: 'ᴱ', S: 'ˢ', T: 'ᵀ', K: 'ᴷ', i: 'ⁱ', k: 'ᵏ', l: 'ˡ', n: 'ⁿ', t: 'ᵗ' },
  ...{ '0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹' },
  ...{ '+': '⁺', '−': '⁻', '(': '⁽', ')': '⁾' },
};

/**
 * Replaces carets in a formula by Unicode superscripts: `A^O = R^O − 0.3` becomes `Aᴼ = Rᴼ − 0.3`. Rules use carets,
 * which all terminals and files support. A caret remains if its text has no superscript.
 */
export function withSuperscripts(formula: string): string {
  return formula.replace(/\^(?:\{([^}]*)\}|([A-Za-z]|\d+))/g, (match, inBraces?: string, bare?: string) => {
    const raised = [...(inBraces ?? bare ?? '')].map((letter) => RAISED[letter]);
    return raised.every((letter) => letter !== undefined) ? raised.join('') : match;
  });
}
