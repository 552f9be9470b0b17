import type { LitElement } from 'lit';
import type { CustomRuleSource } from '../../credit/rules/custom/customSource.ts';
import { PANELS, type Panel } from '../address/panels.ts';
import type { CustomRulePanel } from '../customRule/customRulePanel.ts';
import { goTo, type TabbedPage } from './views.ts';

/**
 * Opens the panel and scrolls to it when the user wants to write a rule. The panel's code may still be loading, and a
 * link may have left the panel out.
 * @param chosen panels of the link; none for no choice @param choose shows these instead @param rule a rule that needs
 *   consent
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
