import { EditorView } from '@codemirror/view';
import { css, html, LitElement, type PropertyValues } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { base } from '../look/styles.ts';
import { pythonStrings } from '../strings/pythonStrings.ts';
import { editorState } from './editorSetup.ts';

export class ProgramEvent extends CustomEvent<string> {
  constructor(program: string) {
    super('program-change', { detail: program, bubbles: true, composed: true });
  }
}

/**
 * Editor of a Python program.
 * @fires program-change when the user changes the text (ProgramEvent)
 */
@customElement('tw-python-editor')
export class PythonEditor extends LitElement {
  static override styles = [
    base,
    css`
      :host { min-width: 0; }
      .caption { margin-top: 0.375rem; }
    `,
  ];

  @property() program = '';
  /**
   * Name of the program. Another name starts a new undo history, so that undo cannot restore the previous program.
   */
  @property() name = '';
  /** Accessible label of the editor. */
  @property() label: string = pythonStrings.editor;
  private view: EditorView | undefined;

  protected override render() {
    const texts = pythonStrings;
    return html`<div class="editor"></div><p class="caption" id="leave">${texts.leave}</p>`;
  }

  protected override updated(changed: PropertyValues): void {
    if (!this.view) {
      const parent = this.renderRoot.querySelector('.editor') as HTMLElement;
      this.view = new EditorView({ state: this.fresh(), parent, root: this.renderRoot as ShadowRoot });
      return;
    }
    const doc = this.view.state.doc.toString();
    if (changed.has('name')) this.view.setState(this.fresh());
    else if (this.program !== doc) this.view.dispatch({ changes: { from: 0, to: doc.length, insert: this.program } });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.view?.destroy();
    this.view = undefined;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // If the element was moved within the page, the view is created again.
    if (this.hasUpdated) this.requestUpdate();
  }

  /** Selects a line, counted from 1, and focuses the editor. */
  goTo(line: number): void {
    const { view } = this;
    if (!view) return;
    const { from, to } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
    view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
    view.focus();
  }

  private fresh() {
    // The editor can be focused without a tabindex, but accessibility checkers require one.
    const attributes = { 'aria-label': this.label, 'aria-describedby': 'leave', tabindex: '0' };
    return editorState(this.program, attributes, (program) => {
      this.program = program;
      this.dispatchEvent(new ProgramEvent(program));
    });
  }
}
