import type { RunConfiguration } from '../../training/data/configuration.ts';
import { panelsAt } from '../address/panels.ts';
import { DEFAULT_VIEW, type View, writeUrl } from '../address/url.ts';

type Runs = readonly RunConfiguration[];

/** Returns the query of an embedded page with a run, additional runs and the chosen panels. */
export function frameQuery(configuration: RunConfiguration, view: View, additional: Runs = []): string {
  const panels = panelsAt('play', view.panels);
  return writeUrl(configuration, { ...view, panels, embed: true }, additional);
}

/** Returns the query of the full page with the same runs, for users of an embedded page. */
export function writePageQuery(configuration: RunConfiguration, additional: Runs = []): string {
  return writeUrl(configuration, DEFAULT_VIEW, additional);
}

/** Returns an HTML iframe element that embeds a page. */
export function frameCode(address: string, title: string): string {
  const source = escapeAttribute(address);
  return `<iframe src="${source}" title="${escapeAttribute(title)}" width="100%" height="720" style="border: 0" loading="lazy"></iframe>`;
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
