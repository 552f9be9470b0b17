/**
 * Parses JSON of Python's `json.dumps`, which writes NaN, Infinity and -Infinity without quotes. JSON forbids them.
 * They are read as null, as pandas, pyarrow and pydantic write them.
 * Source: https://docs.python.org/3/library/json.html#json.dumps, `allow_nan`.
 * @returns the value, and the number of NaN and infinite values in it
 * @throws {SyntaxError} if the text is not JSON of this form
 */
export function parsePythonJson(text: string): { readonly value: unknown; readonly notNumbers: number } {
  try {
    return { value: JSON.parse(text), notNumbers: 0 };
  } catch (error) {
    const { json, notNumbers } = withoutNaN(text);
    if (notNumbers === 0) throw error;
    return { value: JSON.parse(json), notNumbers };
  }
}

/** Replaces NaN and infinities outside strings by null. Strings, which can be large, are copied without a search. */
function withoutNaN(text: string): { json: string; notNumbers: number } {
  const parts: string[] = [];
  let notNumbers = 0;
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const outside = text.slice(at, quote < 0 ? text.length : quote);
    parts.push(
      outside.replace(/-?\bInfinity\b|\bNaN\b/g, () => {
        notNumbers++;
        return 'null';
      }),
    );
    if (quote < 0) break;
    const end = endOfString(text, quote);
    parts.push(text.slice(quote, end));
    at = end;
  }
  return { json: parts.join(''), notNumbers };
}

/** Returns the index after the closing quote of the string that starts at `quote`. */
function endOfString(text: string, quote: number): number {
  for (let close = text.indexOf('"', quote + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let escapes = 0;
    while (text[close - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return close + 1;
  }
  return text.length;
}
