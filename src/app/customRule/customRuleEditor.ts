import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import {
  type CustomRuleSource,
  decodeCustomRule,
  encodeCustomRule,
  isCustomRuleName,
} from '../../credit/rules/custom/customRule.ts';
import { RULES } from '../../credit/rules.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import { utf8Text } from '../../rollouts/jsonLines.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { GroupView } from '../../training/data/protocol.ts';
import { download } from '../look/download.ts';
import { ParameterChangeEvent, pageEvent } from '../look/pageEvent.ts';
import { base } from '../look/styles.ts';
import type { ProgramEvent, PythonEditor } from '../python/editor.ts';
import { customRuleStrings as texts } from '../strings/customRuleStrings.ts';
import { CustomRuleController, type Further, ruleText } from './customRuleController.ts';
import type { MeasuredAdvantage } from './customRuleCredit.ts';
import { LongLinkError, MAX_LINK_BYTES, ruleFragment } from './ruleLink.ts';
import { allowRule, findForeign, storedRules, storeRule } from './savedRules.ts';
import './customRuleCredit.ts';
import '../python/editor.ts';

/** Time without typing before the rule is evaluated [ms]. */
const PAUSE = 20;
const CUSTOM_FILE = 'my_rule.py';

/** Event with the new rule in the editor. The rule is undefined if the user has not allowed it to run. */
export class RuleTextEvent extends pageEvent<CustomRuleSource | undefined>('rule-text') {}

/**
 * Editor of the user's custom rule, with the rule's credit on the shown group.
 * @fires rule-text when the text in the editor changes (RuleTextEvent)
 * @fires parameter-change when the user trains the run with the rule (ParameterChangeEvent)
 */
@customElement('tw-own-rule-bench')
export class CustomRuleEditor extends LitElement {
  static override styles = [
    base,
    css`
      .bar { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: center; margin: 0.75rem 0; font-size: 0.875rem; }
      .bar label { display: inline-flex; gap: 0.375rem; align-items: center; }
      .bar input[type='text'] { width: 10rem; }
      .file { position: relative; }
      .file input { position: absolute; inset: 0; width: 100%; opacity: 0; cursor: pointer; }
      .file:focus-within { outline: 2px solid var(--focus); outline-offset: 2px; }
      .file span { display: grid; place-items: center; min-height: 1.75rem; padding: 0 0.625rem; border: 1px solid var(--line-2);
        border-radius: 6px; }
      .sides { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1rem; align-items: start; }
      .notice { padding: 0.625rem 0.75rem; border: 1px solid var(--line-2); border-inline-start: 5px solid var(--accent);
        border-radius: 6px; margin: 0.75rem 0; font-size: 0.875rem; overflow-wrap: anywhere; }
      .notice button { margin-top: 0.5rem; }
      @media (max-width: 900px) { .sides { grid-template-columns: minmax(0, 1fr); } }
    `,
  ];

  @property({ attribute: false }) live: Pick<GroupView, 'forest'> | undefined;
  @property({ attribute: false }) controls: ParameterValues = {};
  @property() environment: EnvironmentName = 'search';
  /** A rule from a link. The rule is shown, and runs only after the user allows it. */
  @property({ attribute: false }) linkedRule: CustomRuleSource | undefined;
  /** Computes the rule's credit on further groups. */
  @property({ attribute: false }) further: Further | undefined;
  /** Measured values of the turns of the shown group, if there are measurements. */
  @property({ attribute: false }) measured: readonly MeasuredAdvantage[] | undefined;
  /** True if there is no run that could train with the rule. */
  @property({ type: Boolean }) isSinglePanel = false;
  @state() private customRule: CustomRuleSource = { file: CUSTOM_FILE, values: {}, source: '' };
  /** True if the rule is from a link or a file and the user has not allowed it to run. */
  @state() private foreign = false;
  @state() private message = '';
  /** Name of the stored rule that the next press of Save replaces; otherwise undefined. */
  private replacing: string | undefined;
  /** Number of texts opened in the editor. Each text has a separate undo history. */
  @state() private opened = 0;
  /**
   * Number of texts that were requested, opened or typed. Only the last text is used, even if an earlier text loads
   * later.
   */
  private given = 0;
  @query('tw-python-editor') private editor!: PythonEditor;
  private readonly rules = new CustomRuleController(this);
  private timer: ReturnType<typeof setTimeout> | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.customRule.source === '' && !this.linkedRule) void this.begin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('linkedRule') && this.linkedRule) this.put(this.linkedRule, true);
    if (changed.has('live') && this.live?.forest !== changed.get('live')?.forest) this.scheduleEvaluation();
  }

  protected override render() {
    const { evaluated } = this.rules;
    return html`
      ${this.bar()}
      ${this.foreign ? this.warning() : nothing}
      <div class="sides">
        ${
          this.opened === 0
            ? html`<p class="caption" role="status">${texts.opening}</p>`
            : html`<tw-python-editor .label=${texts.editor} .name=${String(this.opened)} .program=${this.customRule.source}
                @program-change=${this.type}></tw-python-editor>`
        }
        <tw-own-rule-credit .evaluated=${this.foreign ? undefined : evaluated} ?working=${this.rules.working}
          ?loading=${!this.rules.ready && this.rules.working} .measured=${this.measured} .values=${this.customRule.values} .environment=${this.environment}
          @parameter-change=${this.turn} @line-choice=${this.goTo}></tw-own-rule-credit>
      </div>
      ${this.isSinglePanel ? html`<p class="caption" role="status">${this.message}</p>` : this.training()}
    `;
  }

  private training() {
    const { evaluated } = this.rules;
    return html`<div class="bar">
      <button class="primary" ?disabled=${!this.trainable} @click=${this.train}>${texts.train}</button>
      ${this.controls.rule === evaluated?.name && evaluated ? html`<span>${texts.inForce}</span>` : nothing}
      <span role="status">${this.message}</span>
    </div>`;
  }

  private bar() {
    const saved = Object.keys(storedRules());
    return html`<div class="bar">
      <label>${texts.startFrom}
        <select @change=${this.startFrom}><option value="">${texts.choose}</option>
          ${RULES.map(({ name, title }) => html`<option value=${name}>${title}</option>`)}</select></label>
      ${
        saved.length > 0
          ? html`<label>${texts.savedRules}<select @change=${this.openSaved}><option value="">${texts.chooseSavedRule}</option>
              ${saved.map((name) => html`<option value=${name}>${name}</option>`)}</select></label>`
          : nothing
      }
      <label>${texts.name}<input type="text" maxlength="80" .value=${this.customRule.file} @change=${this.rename} /></label>
      <button class="small" @click=${this.saveRule}>${texts.store}</button>
      <label class="file"><span>${texts.import}</span><input type="file" accept=".py,text/x-python" @change=${this.import} /></label>
      <button class="small" @click=${this.export}>${texts.export}</button>
      <button class="small" @click=${this.link}>${texts.link}</button>
    </div>`;
  }

  private warning() {
    return html`<div class="notice" role="alert">${texts.foreign(this.customRule.file)}<br />
      <button class="primary" @click=${this.trust}>${texts.run}</button></div>`;
  }

  private get trainable(): boolean {
    const { evaluated } = this.rules;
    const known =
      evaluated !== undefined &&
      evaluated.problem === undefined &&
      evaluated.name === encodeCustomRule(this.customRule);
    return known && !this.foreign;
  }

  /** Opens the active rule: the source of a custom rule, or the Python file of a built-in rule. */
  private async begin(): Promise<void> {
    const rule = String(this.controls.rule ?? '');
    if (isCustomRuleName(rule)) this.put(decodeCustomRule(rule), findForeign([rule]) !== undefined);
    else await this.open(rule);
  }

  private open(name: string): Promise<void> {
    const known = RULES.some((rule) => rule.name === name) ? name : RULES[0].name;
    return this.read(CUSTOM_FILE, () => ruleText(known), texts.notOpened);
  }

  /** Opens a text in the editor when it has loaded, or shows an error. A more recent text stays. */
  private async read(
    file: string,
    text: () => Promise<string>,
    formatProblem: (problem: string) => string,
    foreign = false,
  ): Promise<void> {
    this.given += 1;
    const { given } = this;
    try {
      const source = await text();
      if (given === this.given) this.put({ file, values: {}, source }, foreign);
    } catch (error) {
      if (given !== this.given) return;
      this.message = formatProblem((error as Error).message);
      // Without a first text, the editor opens empty.
      this.opened ||= 1;
    }
  }

  private put(customRule: CustomRuleSource, foreign = false): void {
    this.given += 1;
    this.customRule = customRule;
    this.foreign = foreign;
    this.opened++;
    this.message = '';
    this.replacing = undefined;
    this.scheduleEvaluation();
  }

  /** Evaluates the rule after a short pause in typing. */
  private scheduleEvaluation(): void {
    clearTimeout(this.timer);
    this.dispatchEvent(new RuleTextEvent(this.foreign ? undefined : this.customRule));
    if (this.foreign || this.customRule.source === '') return;
    this.timer = setTimeout(() => void this.rules.evaluate(this.customRule, this.live?.forest, this.further), PAUSE);
  }

  private type(event: ProgramEvent): void {
    event.stopPropagation();
    this.given += 1;
    this.customRule = { ...this.customRule, source: event.detail };
    this.message = '';
    this.scheduleEvaluation();
  }

  private turn(event: ParameterChangeEvent): void {
    event.stopPropagation();
    this.customRule = { ...this.customRule, values: { ...this.customRule.values, ...event.detail } };
    this.scheduleEvaluation();
  }

  private trust(): void {
    this.foreign = false;
    allowRule(encodeCustomRule(this.customRule));
    const { file, source } = this.customRule;
    const stored = storedRules()[file];
    if (stored?.isForeign && stored.source === source) storeRule(file, { source, isForeign: false });
    this.scheduleEvaluation();
  }

  private goTo(event: CustomEvent<number>): void {
    this.editor.goTo(event.detail);
  }

  private rename(event: Event): void {
    const file = (event.target as HTMLInputElement).value.trim() || CUSTOM_FILE;
    this.customRule = { ...this.customRule, file };
    this.scheduleEvaluation();
  }

  private startFrom(event: Event): void {
    const list = event.target as HTMLSelectElement;
    const { value } = list;
    list.value = '';
    if (value !== '') void this.open(value);
  }

  private openSaved(event: Event): void {
    const list = event.target as HTMLSelectElement;
    const stored = storedRules()[list.value];
    if (stored) this.put({ file: list.value, values: {}, source: stored.source }, stored.isForeign);
    list.value = '';
  }

  private saveRule(): void {
    const { file, source } = this.customRule;
    const stored = storedRules()[file];
    if (stored && stored.source !== source && this.replacing !== file) {
      this.replacing = file;
      this.message = texts.replaces(file);
      return;
    }
    this.replacing = undefined;
    this.message = storeRule(file, { source, isForeign: this.foreign }) ? texts.savedAs(file) : texts.notSaved;
  }

  private async import(event: Event): Promise<void> {
    const field = event.target as HTMLInputElement;
    const [file] = field.files ?? [];
    field.value = '';
    if (!file) return;
    const text = async () => utf8Text(new Uint8Array(await file.arrayBuffer()));
    await this.read(file.name, text, (problem) => `${file.name}: ${problem}`, true);
  }

  private export(): void {
    const { file, source } = this.customRule;
    download(file.endsWith('.py') ? file : `${file}.py`, 'text/x-python', source);
  }

  private async link(): Promise<void> {
    try {
      const { origin, pathname, search } = location;
      await navigator.clipboard.writeText(`${origin}${pathname}${search}${await ruleFragment(this.customRule)}`);
      this.message = texts.linked;
    } catch (error) {
      const long = error instanceof LongLinkError ? texts.tooLong(error.bytes, MAX_LINK_BYTES) : texts.notCopied;
      this.message = texts.linkFailed(long);
    }
  }

  private train(): void {
    const { evaluated } = this.rules;
    if (!evaluated || !this.trainable) return;
    this.dispatchEvent(new ParameterChangeEvent({ rule: evaluated.name }));
    this.message = texts.training;
  }
}
