import { css, html, type LitElement } from 'lit';
import type { CustomRuleSource } from '../../credit/rules/custom/customRule.ts';
import type { View } from '../address/url.ts';
import { PANELS, type Panel, panelsAt, type Target, type ViewName } from '../address/viewAddress.ts';
import type { CustomRulePanel } from '../customRule/customRulePanel.ts';
import { tabStrings } from '../strings/shellStrings.ts';

/** Page that may have its panels in tabs. */
export interface TabbedPage extends Element {
  readonly renderRoot: ParentNode;
  /** Selects a tab, if the panels are in tabs. */
  select(tab: Tab | undefined): Promise<void>;
}

/** Tab of each panel that is below the first screen. */
const TAB_OF: Readonly<Partial<Record<Target, Tab>>> = {
  controls: 'rewards',
  group: 'group',
  rule: 'rule',
  log: 'log',
  runs: 'runs',
  share: 'runs',
  words: 'glossary',
};

/** Tag name of each target's element. */
const ELEMENTS: Readonly<Record<Target, string>> = {
  curves: 'tw-curves',
  controls: 'tw-controls',
  group: 'tw-group',
  rule: 'tw-own-rule',
  inspector: 'tw-inspector',
  truth: 'tw-truth',
  python: 'tw-python',
  log: 'tw-event-log',
  runs: 'tw-run-list',
  share: 'tw-share',
  words: 'tw-words',
};

/** Targets that an embedded page does not show. */
const NOT_EMBEDDED: readonly Target[] = ['share', 'words'];

/** Cache of the lists of targets. `targetsOf` runs at each frame, but its result changes only with the view. */
const known = new WeakMap<View, Map<string, readonly Target[]>>();

/**
 * Returns the targets of a section of the page, in order. The same arguments return the same list object.
 * @param isIsolated true if the page has no links to other sections
 */
export function targetsOf(view: View, section: ViewName = 'play', isIsolated = false): readonly Target[] {
  const lists = known.get(view) ?? new Map<string, readonly Target[]>();
  known.set(view, lists);
  const key = `${section} ${isIsolated}`;
  const targets = lists.get(key) ?? findTargets(view, section, isIsolated);
  lists.set(key, targets);
  return targets;
}

function findTargets({ panels, embed }: View, section: ViewName, isIsolated: boolean): readonly Target[] {
  const visible = new Set<Target>(
    panelsAt(section, panels, isIsolated).map((panel) => (panel === 'chart' ? 'curves' : panel)),
  );
  const all = Object.keys(ELEMENTS) as Target[];
  return all.filter((target) => visible.has(target) || (!embed && NOT_EMBEDDED.includes(target)));
}

/** Opens the tab of a panel, scrolls to the panel and moves the focus to its heading. */
export async function goTo(page: TabbedPage, target: Target): Promise<void> {
  await page.select(TAB_OF[target]);
  const element = page.renderRoot.querySelector<HTMLElement>(ELEMENTS[target]);
  const heading = element?.shadowRoot?.querySelector<HTMLElement>('h2') ?? element;
  if (!element || !heading) return;
  heading.tabIndex = -1;
  element.scrollIntoView({ block: 'start' });
  heading.focus({ preventScroll: true });
}

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

/**
 * Opens the panel for custom rules and scrolls to it. Waits for the code of the panel, and adds the panel if the link
 * does not include it.
 * @param chosen panels of the link; empty for the default panels
 * @param choose shows other panels
 * @param rule rule that needs the user's consent, if there is one
 */
export async function showCustomRule(
  page: LitElement & TabbedPage,
  chosen: readonly Panel[],
  choose: (panels: readonly Panel[]) => void,
  rule?: CustomRuleSource,
): Promise<void> {
  await customElements.whenDefined('tw-own-rule');
  if (chosen.length > 0 && !chosen.includes('rule'))
    choose(PANELS.filter((panel) => panel === 'rule' || chosen.includes(panel)));
  await page.select('rule');
  await page.updateComplete;
  const panel = page.renderRoot.querySelector<CustomRulePanel>('tw-own-rule');
  if (rule) panel?.review(rule);
  else panel?.show();
  await panel?.updateComplete;
  await goTo(page, 'rule');
}
