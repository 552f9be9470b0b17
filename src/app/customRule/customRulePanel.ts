import { html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { CustomRuleSource } from '../../credit/rules/custom/customRule.ts';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { GroupView } from '../../training/data/protocol.ts';
import { writeViewAddress } from '../address/viewAddress.ts';
import { OpenedPanel } from '../look/openedPanel.ts';
import { customRuleStrings } from '../strings/customRuleStrings.ts';
import { hasLinkedRule, readFragment } from './ruleLink.ts';

/**
 * Panel of the user's custom rule. It loads the editor and the interpreter when it is opened. A link with a rule opens
 * the panel and shows the code of the rule, but does not run it.
 */
@customElement('tw-own-rule')
export class CustomRulePanel extends OpenedPanel {
  /** Present group of the run. */
  @property({ attribute: false }) live: GroupView | undefined;
  @property({ attribute: false }) controls: ParameterValues = {};
  @property() environment: EnvironmentName = 'search';
  /** Rule of a link, or rule of the run that needs the user's consent. */
  @state() private linkedRule: CustomRuleSource | undefined;
  @state() private unread = false;
  protected readonly texts = customRuleStrings;

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('hashchange', this.readLink);
    void this.readLink();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('hashchange', this.readLink);
  }

  /** Shows a rule that runs only after the user allows it. */
  review(rule: CustomRuleSource): void {
    // A new object triggers an update even if the same rule is opened twice.
    this.linkedRule = { ...rule };
    this.show();
  }

  protected override loadContent() {
    return import('./customRuleEditor.ts');
  }

  protected override content() {
    return html`<tw-own-rule-bench .live=${this.live} .controls=${this.controls} .environment=${this.environment}
      .linkedRule=${this.linkedRule}></tw-own-rule-bench>`;
  }

  protected override closed() {
    const { texts } = this;
    return html`<p class="caption">${texts.explanation} <a href=${writeViewAddress('challenge')}>${texts.challenge}</a></p>`;
  }

  protected override notice() {
    return this.unread ? html`<p class="caption" role="alert">${this.texts.badLink}</p>` : nothing;
  }

  private readLink = async (): Promise<void> => {
    const { hash } = location;
    if (!hasLinkedRule(hash)) return;
    const linkedRule = await readFragment(hash);
    this.unread = linkedRule === undefined;
    if (linkedRule) this.review(linkedRule);
  };
}
