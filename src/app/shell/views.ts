import { panelsAt, type Target } from '../address/panels.ts';
import type { View } from '../address/url.ts';
import type { ViewName } from '../address/viewAddress.ts';
import type { Tab } from './tabs.ts';

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
