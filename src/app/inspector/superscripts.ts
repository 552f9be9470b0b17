/** Letters and signs that there are as superscripts. */
const RAISED: Readonly<Record<string, string>> = {
  ...{ I: 'ᴵ', O: 'ᴼ', E: 'ᴱ', S: 'ˢ', T: 'ᵀ', K: 'ᴷ', i: 'ⁱ', k: 'ᵏ', l: 'ˡ', n: 'ⁿ', t: 'ᵗ' },
  ...{ '0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷', '8': '⁸', '9': '⁹' },
  ...{ '+': '⁺', '−': '⁻', '(': '⁽', ')': '⁾' },
};

/**
 * A formula with its superscripts as superscripts: `A^O = R^O − 0.3` as `Aᴼ = Rᴼ − 0.3`. Rules write a caret, which every
 * terminal and every file has; what has no superscript keeps it.
 */
export function withSuperscripts(formula: string): string {
  return formula.replace(/\^(?:\{([^}]*)\}|([A-Za-z]|\d+))/g, (match, inBraces?: string, bare?: string) => {
    const raised = [...(inBraces ?? bare ?? '')].map((letter) => RAISED[letter]);
    return raised.every((letter) => letter !== undefined) ? raised.join('') : match;
  });
}
