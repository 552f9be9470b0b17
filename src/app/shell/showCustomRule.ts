import type { LitElement } from 'lit';
import type { CustomRuleSource } from '../../credit/rules/custom/customRule.ts';
import { PANELS, type Panel } from '../address/panels.ts';
import type { CustomRulePanel } from '../customRule/customRulePanel.ts';
import { goTo, type TabbedPage } from './views.ts';

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
