import type { LitElement, TemplateResult } from 'lit';

const isTemplate = (value: object): value is TemplateResult => 'strings' in value;
const isDirective = (value: object): value is { readonly values: readonly unknown[] } => '_$litDirective$' in value;

function markupOf(value: unknown): string {
  if (value === undefined || value === null || typeof value === 'symbol') return '';
  if (typeof value !== 'object') return String(value);
  if (isTemplate(value)) return value.strings.reduce((text, part, at) => text + markupOf(value.values[at - 1]) + part);
  if (isDirective(value)) return value.values.map(markupOf).join('');
  return Symbol.iterator in value ? [...(value as Iterable<unknown>)].map(markupOf).join('') : '';
}

/**
 * Returns the markup of an element with these properties, without a document. Event handlers and other functions appear
 * as their source.
 */
export function renderedMarkup<E extends LitElement>(element: E, properties: Partial<E>): string {
  Object.assign(element, properties);
  const { willUpdate, render } = element as unknown as Record<string, (changed?: unknown) => unknown>;
  willUpdate?.call(element, new Map(Object.keys(properties).map((name) => [name, undefined])));
  return markupOf(render?.call(element));
}
