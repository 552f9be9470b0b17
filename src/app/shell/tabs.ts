import { css, html } from 'lit';
import { tabStrings } from '../strings/shellStrings.ts';

/** Tabs below the first screen, in order. */
export const TABS = ['group', 'rewards', 'charts', 'compare', 'log', 'rule', 'runs', 'glossary'] as const;
export type Tab = (typeof TABS)[number];

const [FIRST] = TABS;

/** Styles of the list of tabs and of a tab panel. */
export const tabStyles = css`
  .tabs { display: flex; gap: 0.125rem; overflow-x: auto; border-bottom: 1px solid var(--line-2); scrollbar-width: thin; }
  .tabs button { flex: none; min-height: 2.25rem; border-color: transparent; border-radius: 6px 6px 0 0; background: none; color: var(--ink-2); }
  .tabs button[aria-selected='true'] { box-shadow: inset 0 -3px 0 var(--accent); color: var(--ink); font-weight: 620; }
  .tabs button:focus-visible { outline-offset: -3px; }
  [role='tabpanel'] { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.875rem; padding-top: 0.875rem; min-width: 0; }
  @media (forced-colors: active) { .tabs button[aria-selected='true'] { outline: 2px solid Highlight; outline-offset: -3px; } }
`;

/** Renders the list of tabs. The Tab key focuses the selected tab, and the arrow keys select its neighbours. */
export function tabList(selected: Tab | undefined, select: (tab: Tab) => void) {
  const move = (event: KeyboardEvent) => {
    const at = TABS.indexOf(selected ?? FIRST);
    const last = TABS.length - 1;
    const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[
      event.key
    ];
    const tab = to === undefined ? undefined : TABS[to];
    if (!tab) return;
    event.preventDefault();
    select(tab);
    (event.currentTarget as HTMLElement).querySelectorAll('button')[to ?? 0]?.focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${tabStrings.label} @keydown=${move}>
    ${TABS.map(
      (
        tab,
      ) => html`<button role="tab" id=${`tab-${tab}`} aria-selected=${tab === selected} aria-controls=${`panel-${tab}`}
        tabindex=${tab === (selected ?? FIRST) ? 0 : -1} @click=${() => select(tab)}>${tabStrings.names[tab]}</button>`,
    )}
  </div>`;
}
