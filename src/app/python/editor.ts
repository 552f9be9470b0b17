import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { python } from '@codemirror/lang-python';
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { css, html, LitElement, type PropertyValues } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { pageEvent } from '../look/pageEvent.ts';
import { base } from '../look/styles.ts';
import { pythonStrings } from '../strings/pythonStrings.ts';

/** Time after Esc during which Tab leaves the editor [ms]. Any other key ends this time. */
const LEAVING = 20_000;

/** Syntax colours of the page, light and dark. Each has enough contrast for text. */
const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword], color: 'var(--series-1)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--series-3)' },
  { tag: [tags.number, tags.bool, tags.null, tags.self], color: 'var(--series-2)' },
  { tag: tags.comment, color: 'var(--ink-2)', fontStyle: 'italic' },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)], fontWeight: '600' },
]);

const EDITOR_THEME = EditorView.theme({
  '&': {
    color: 'var(--ink)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-2)',
    borderRadius: '6px',
    fontSize: '0.8125rem',
    overflow: 'hidden',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '2px' },
  '.cm-scroller': {
    fontFamily: "ui-monospace, 'SF Mono', Menlo, Consolas, monospace",
    lineHeight: '1.5',
    maxHeight: '28rem',
    overflow: 'auto',
  },
  // Both have the minimum height, so that the line between them reaches the bottom of a short program.
  '.cm-content, .cm-gutter': { minHeight: '14rem' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.5rem 0' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--ink-2)', borderInlineEnd: '1px solid var(--line)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--hover)',
    outline: '1px solid var(--ink-3)',
  },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': {
    color: 'var(--bad)',
    backgroundColor: 'transparent',
  },
  '.cm-specialChar': { color: 'var(--bad)' },
});

/**
 * Creates the state of a Python editor.
 * @param attributes HTML attributes of the editable element, such as its label and description
 * @param change callback for a change of the document
 */
function editorState(
  doc: string,
  attributes: Readonly<Record<string, string>>,
  change: (doc: string) => void,
): EditorState {
  const extensions: Extension[] = [
    lineNumbers(),
    highlightSpecialChars(),
    history(),
    indentUnit.of('    '),
    indentOnInput(),
    bracketMatching(),
    python(),
    syntaxHighlighting(COLOURS),
    EDITOR_THEME,
    EditorState.tabSize.of(4),
    EditorView.contentAttributes.of(attributes),
    keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab, { key: 'Escape', run: leave }]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) change(update.state.doc.toString());
    }),
  ];
  return EditorState.create({ doc, extensions });
}

/**
 * Lets the Tab key leave the editor, for keyboard users. The default of CodeMirror, 2 s, is too short for slow users.
 */
function leave(view: EditorView): boolean {
  view.setTabFocusMode(LEAVING);
  return true;
}

export class ProgramEvent extends pageEvent<string>('program-change') {}

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
