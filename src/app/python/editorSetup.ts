import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { python } from '@codemirror/lang-python';
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

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
export function editorState(
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
