import { html, type PropertyValues } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { OpenedPanel } from '../look/openedPanel.ts';
import { pythonStrings } from '../strings/pythonStrings.ts';

/**
 * Python panel. It loads the editor and the interpreter when it is opened, and releases them when it is closed.
 */
@customElement('tw-python')
export class PythonPanel extends OpenedPanel {
  /** True if the panel opens automatically, because the link requested only this panel. */
  @property({ type: Boolean }) isSinglePanel = false;
  /** Time at which the panel was opened, on the clock of the page [ms]. */
  private since = 0;
  protected readonly texts = pythonStrings;

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('isSinglePanel') && this.isSinglePanel && !this.open) this.show();
  }

  override show(): void {
    this.since = performance.now();
    super.show();
  }

  protected override loadContent() {
    return import('./pythonEditor.ts');
  }

  protected override content() {
    return html`<tw-python-bench .since=${this.since}></tw-python-bench>`;
  }

  protected override closed() {
    return html`<p class="caption">${this.texts.explanation}</p>`;
  }
}
