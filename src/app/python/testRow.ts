import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { LIMITS, type LimitKind, type UnitTestResult } from '../../sandbox/types.ts';
import { base } from '../look/styles.ts';
import { pythonStrings } from '../strings/pythonStrings.ts';
import type { TestResult } from './draft.ts';
import { violationText } from './violationText.ts';

export class LineEvent extends CustomEvent<number> {
  constructor(line: number) {
    super('line', { detail: line, bubbles: true, composed: true });
  }
}

/**
 * Test with its result.
 * @fires line when the user requests the line of an error (LineEvent)
 */
@customElement('tw-python-test')
export class PythonTest extends LitElement {
  static override styles = [
    base,
    css`
      :host { min-width: 0; padding: 0.625rem 0; border-top: 1px solid var(--line); }
      code, pre { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: 0.8125rem; overflow-wrap: anywhere; }
      .result { margin-top: 0.375rem; font-size: 0.875rem; overflow-wrap: anywhere; }
      .result strong::before { content: attr(data-mark) / ''; margin-inline-end: 0.375em; }
      .passed strong { color: var(--series-3); }
      .failed strong, .error strong, .limit strong, .violation strong { color: var(--bad); }
      .result button { text-decoration: underline; color: var(--accent); padding-inline: 0; }
      .fuel { color: var(--ink-2); font-size: 0.8125rem; }
      pre { margin: 0.25rem 0 0; padding: 0.375rem 0.5rem; max-height: 9rem; overflow: auto; background: var(--hover);
        border-radius: 4px; white-space: pre-wrap; overflow-wrap: anywhere; }
      .printed { margin-top: 0.375rem; }
    `,
  ];

  @property({ attribute: false }) result!: TestResult;
  /** Number of the test, from 1. */
  @property({ type: Number }) number = 1;

  protected override render() {
    const texts = pythonStrings;
    const { text, testResult } = this.result;
    const mark = testResult.status === 'passed' ? '✓' : '✗';
    return html`
      <code>${text}</code>
      <p class="result ${testResult.status}">
        <strong data-mark=${mark}>${texts.results[testResult.status]}</strong>${this.explain(testResult)}
        <span class="fuel">${texts.fuel(testResult.fuel)}</span>
      </p>
      ${testResult.output === '' ? nothing : this.printed(testResult.output)}
    `;
  }

  /** Renders the reason why a test did not pass. */
  private explain({ status, error }: UnitTestResult) {
    const texts = pythonStrings;
    if (!error) return '.';
    if (status === 'failed') {
      const hint = error.message === `${texts.returned}None` ? ` ${texts.none}` : '';
      return error.message === '' ? '.' : html`: ${error.message}.${hint}`;
    }
    const { type, message, line } = error;
    if (status === 'limit') return html`: ${limitText(type, message)}`;
    if (status === 'violation') return html`: ${violationText(message)}.`;
    const cell =
      line === undefined
        ? '.'
        : html`, <button class="plain" aria-label=${texts.goToLong(line)}
            @click=${() => this.dispatchEvent(new LineEvent(line))}>${texts.goTo(line)}</button>.`;
    return html`: ${texts.exception(type, message)}${cell}`;
  }

  private printed(output: string) {
    const texts = pythonStrings;
    const cut = output.length >= LIMITS.output;
    return html`<div class="printed"><span class="caption">${texts.printed}</span>
      <pre tabindex=${isLong(output) ? '0' : nothing} role="group" aria-label=${texts.printedBy(this.number)}>${output}</pre>
      ${cut ? html`<p class="caption">${texts.cut(LIMITS.output)}</p>` : nothing}</div>`;
  }
}

/** Returns true if printed text may need to scroll. The text must then be focusable with the Tab key. */
function isLong(output: string): boolean {
  return output.length > 200 || output.split('\n').length > 6;
}

/** Describes an exceeded limit. @param type type of the error in the test result, for example "fuel limit" */
function limitText(type: string, message: string): string {
  const kind = type.replace(/ limit$/, '') as LimitKind;
  const { limits } = pythonStrings;
  if (!Object.hasOwn(limits, kind)) return message;
  return limits[kind](kind === 'stack' ? 0 : LIMITS[kind]);
}
