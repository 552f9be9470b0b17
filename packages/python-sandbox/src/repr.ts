import { isList } from './compare.ts';
import type { Value } from './types.ts';

const LONGEST = 500;

/** Formats a value as Python's repr does, up to 500 characters. The elements of a set are sorted by their repr. */
export function repr(value: Value): string {
  const text = formatValue(value, { left: 4 * LONGEST });
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}

function formatValue(value: Value, budget: { left: number }): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number' || typeof value === 'bigint') return consume(String(value), budget);
  if (typeof value === 'string')
    return consume(quoted(value.length > LONGEST ? value.slice(0, LONGEST) : value), budget);
  const show = (item: Value) => formatValue(item, budget);
  const items = (values: readonly Value[]) => formatAll(values, budget, show);
  if (isList<Value>(value)) return `[${items(value).join(', ')}]`;
  if ('float' in value) return consume(floatRepr(value.float), budget);
  if ('tuple' in value) return `(${items(value.tuple).join(', ')}${value.tuple.length === 1 ? ',' : ''})`;
  if ('set' in value) return value.set.length === 0 ? 'set()' : `{${items(value.set).sort().join(', ')}}`;
  if ('dict' in value) {
    const parts = formatAll(value.dict, budget, ([key, item]) => `${show(key)}: ${show(item)}`);
    return `{${parts.join(', ')}}`;
  }
  return `<${value.typeName}>`;
}

/** Formats values until the budget of characters is used. */
function formatAll<T>(values: readonly T[], budget: { left: number }, show: (value: T) => string): string[] {
  const parts: string[] = [];
  for (const value of values) {
    if (budget.left <= 0) break;
    parts.push(show(value));
    budget.left -= 2;
  }
  return parts;
}

function consume(text: string, budget: { left: number }): string {
  budget.left -= text.length;
  return text;
}

/** Formats a float with the shortest exact digits. Outside 1e-4 to 1e16, it has an exponent of at least two digits. */
function floatRepr(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  if (value === 0) return '0.0';
  const [digits, power] = value.toExponential().split('e');
  if (Number(power) < -4 || Number(power) >= 16) return `${digits}e${power[0]}${power.slice(1).padStart(2, '0')}`;
  const plain = String(value);
  return plain.includes('.') ? plain : `${plain}.0`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };
/** Other characters that Python's repr escapes. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let inside = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (ESCAPES[character]) inside += ESCAPES[character];
    else if (character === quote) inside += `\\${quote}`;
    else if (UNPRINTABLE.test(character))
      inside += code < 256 ? `\\x${hex(code, 2)}` : code < 65536 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
    else inside += character;
  }
  return quote + inside + quote;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
