import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { LIMITS, type LimitKind, type TestVerdict } from '../../sandbox/types.ts';
import { base } from '../look/styles.ts';
import { pythonStrings } from '../strings/pythonStrings.ts';
import type { ShownVerdict } from './draft.ts';
import type { TestDraft } from './pythonJob.ts';
import { violationText } from './violationText.ts';

export class TestChangeEvent extends CustomEvent<Partial<Pick<TestDraft, 'args' | 'expected'>>> {
  constructor(changes: Partial<Pick<TestDraft, 'args' | 'expected'>>) {
    super('test-change', { detail: changes, bubbles: true, composed: true });
  }
}

export class LineEvent extends CustomEvent<number> {
  constructor(line: number) {
    super('line', { detail: line, bubbles: true, composed: true });
  }
}

/**
 * One test: what is given, what is wanted, and what came of it.
 * @fires test-change when a field is changed (TestChangeEvent)
 * @fires line when the line of an error is wanted (LineEvent)
 * @fires remove when the test shall go
 */
@customElement('tw-python-test')
export class PythonTest extends LitElement {
  static override styles = [
    base,
    css`
      :host { min-width: 0; padding: 0.625rem 0; border-top: 1px solid var(--line); }
      code, input, pre { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: 0.8125rem; }
      .fields { display: flex; flex-wrap: wrap; gap: 0.375rem 0.5rem; align-items: center; }
      .call { flex: 3 1 13rem; } .wanted { flex: 2 1 9rem; }
      .call, .wanted { display: flex; align-items: center; gap: 0.25rem; min-width: 0; }
      .call code { flex: 0 1 auto; max-width: 45%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
      .wanted span { font-size: 0.8125rem; color: var(--ink-2); white-space: nowrap; }
      input[type='text'] { flex: 1 1 4rem; min-width: 0; width: 100%; }
      input[aria-invalid='true'] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
      .wrong { color: var(--bad); font-size: 0.8125rem; margin-top: 0.25rem; overflow-wrap: anywhere; }
      .verdict { margin-top: 0.375rem; font-size: 0.875rem; overflow-wrap: anywhere; }
      .verdict strong::before { content: attr(data-mark) / ''; margin-inline-end: 0.375em; }
      .passed strong { color: var(--series-3); }
      .failed strong, .error strong, .limit strong, .violation strong { color: var(--bad); }
      .verdict button { text-decoration: underline; color: var(--accent); padding-inline: 0; }
      .fuel { color: var(--ink-2); font-size: 0.8125rem; }
      pre { margin: 0.25rem 0 0; padding: 0.375rem 0.5rem; max-height: 9rem; overflow: auto; background: var(--hover);
        border-radius: 4px; white-space: pre-wrap; overflow-wrap: anywhere; }
      .printed { margin-top: 0.375rem; }
    `,
  ];

  @property({ attribute: false }) test!: TestDraft;
  @property({ type: Number }) number = 1;
  @property() entry = '';
  @property({ attribute: false }) shown: ShownVerdict | undefined;
  /** What is wrong with the fields. */
  @property() badArgs: string | undefined;
  @property() badExpected: string | undefined;
  @property({ type: Boolean }) alone = false;

  protected override render() {
    const texts = pythonStrings;
    return html`
      <div class="fields" role="group" aria-label=${texts.test(this.number)}>
        <span class="call"><code title=${this.entry}>${this.entry}(</code>
          ${this.field('args', texts.arguments(this.number), this.badArgs)}<code>)</code></span>
        <span class="wanted"><span aria-hidden="true">${texts.gives}</span>
          ${this.field('expected', texts.expected(this.number), this.badExpected)}</span>
        ${
          this.alone
            ? nothing
            : html`<button class="small" aria-label=${texts.removeTest(this.number)}
                @click=${() => this.dispatchEvent(new CustomEvent('remove'))}>${texts.remove}</button>`
        }
      </div>
      ${this.wrong('args', this.badArgs)} ${this.wrong('expected', this.badExpected)}
      ${this.shown ? this.result(this.shown) : nothing}
    `;
  }

  /** Puts the focus on the first field that cannot be read, or on the first field. */
  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('input[aria-invalid="true"], input')?.focus();
  }

  private field(name: 'args' | 'expected', label: string, wrong: string | undefined) {
    return html`<input type="text" id=${name} aria-label=${label} autocomplete="off" autocapitalize="off" spellcheck="false"
      aria-invalid=${wrong === undefined ? 'false' : 'true'} aria-describedby=${wrong === undefined ? nothing : `${name}-wrong`}
      .value=${this.test[name]} @input=${this.type} />`;
  }

  private wrong(name: 'args' | 'expected', text: string | undefined) {
    const texts = pythonStrings;
    const which = name === 'args' ? texts.arguments(this.number) : texts.expected(this.number);
    return text === undefined ? nothing : html`<p class="wrong" id="${name}-wrong">${texts.wrong(which, text)}</p>`;
  }

  private type(event: Event): void {
    const { id, value } = event.target as HTMLInputElement;
    this.dispatchEvent(new TestChangeEvent({ [id]: value }));
  }

  private result({ verdict, expected, stale }: ShownVerdict) {
    const texts = pythonStrings;
    const mark = verdict.status === 'passed' ? '✓' : '✗';
    return html`
      <p class="verdict ${verdict.status}">
        <strong data-mark=${mark}>${texts.verdicts[verdict.status]}</strong>${this.explain(verdict, expected)}
        <span class="fuel">${texts.fuel(verdict.fuel)}</span>
      </p>
      ${stale ? html`<p class="caption">${texts.stale}</p>` : nothing}
      ${verdict.output === '' ? nothing : this.printed(verdict.output)}
    `;
  }

  /** Why a test did not pass. */
  private explain({ status, actual = '', error }: TestVerdict, expected: string) {
    const texts = pythonStrings;
    if (status === 'failed') {
      const hint = actual === 'None' ? ` ${texts.none}` : '';
      return html`: ${texts.came(actual, expected)}.${hint}`;
    }
    if (!error) return '.';
    const { type, message, line } = error;
    if (status === 'limit') return html`: ${limitText(type, message)}`;
    if (status === 'violation') return html`: ${violationText(message)}.`;
    const place =
      line === undefined
        ? '.'
        : html`, <button class="plain" aria-label=${texts.goToLong(line)}
            @click=${() => this.dispatchEvent(new LineEvent(line))}>${texts.goTo(line)}</button>.`;
    return html`: ${texts.exception(type, message)}${place}`;
  }

  private printed(output: string) {
    const texts = pythonStrings;
    const cut = output.length >= LIMITS.output;
    return html`<div class="printed"><span class="caption">${texts.printed}</span>
      <pre tabindex=${isLong(output) ? '0' : nothing} role="group" aria-label=${texts.printedBy(this.number)}>${output}</pre>
      ${cut ? html`<p class="caption">${texts.cut(LIMITS.output)}</p>` : nothing}</div>`;
  }
}

/** Whether printed text may need scrolling, and with it a stop of the Tab key. */
function isLong(output: string): boolean {
  return output.length > 200 || output.split('\n').length > 6;
}

/** A limit in words. @param type as the verdict names it, "fuel limit" */
function limitText(type: string, message: string): string {
  const kind = type.replace(/ limit$/, '') as LimitKind;
  const { limits } = pythonStrings;
  if (!Object.hasOwn(limits, kind)) return message;
  return limits[kind](kind === 'stack' ? 0 : LIMITS[kind]);
}
