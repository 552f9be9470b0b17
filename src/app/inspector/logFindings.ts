import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Finding } from '../../diagnosis/diagnosis.ts';
import type { GroupSort } from '../../diagnosis/groupSignals.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';
import { inspectAddress } from './inspectAddress.ts';

/** Finding with the indices of its groups in the file. */
export interface LocatedFinding extends Finding {
  readonly at: readonly number[];
}

/** Returns findings with the indices of their groups in the file. Groups that are not in the file are removed. */
export function locatedFindings(findings: readonly Finding[], ids: readonly string[]): readonly LocatedFinding[] {
  const named = new Set(findings.flatMap(({ groups }) => groups));
  const positions = new Map<string, number>();
  ids.forEach((id, index) => {
    if (named.has(id) && !positions.has(id)) positions.set(id, index);
  });
  return findings.map((finding) => {
    const groups = finding.groups.filter((id) => positions.has(id));
    return { ...finding, groups, at: groups.flatMap((id) => positions.get(id) ?? []) };
  });
}

/** Request to show a group. `detail` is the index of the group in the file. */
export class GroupLinkEvent extends CustomEvent<number> {
  constructor(at: number) {
    super('group-link', { detail: at, bubbles: true, composed: true });
  }
}

/**
 * Findings of the log diagnosis about an open file, each with evidence, a next step and links to groups.
 * @fires group-link when a link to a group is followed (GroupLinkEvent)
 */
@customElement('tw-log-findings')
export class LogFindings extends LitElement {
  static override styles = [
    base,
    css`
      details { margin: 0.75rem 0; font-size: 0.875rem; }
      summary { font-weight: 620; }
      ol { list-style: none; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(26rem, 100%), 1fr));
        gap: 0.5rem; margin: 0.5rem 0 0; padding: 0; }
      li { min-width: 0; padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-inline-start: 4px solid var(--line-2);
        border-radius: 6px; overflow-wrap: anywhere; }
      li.high { border-inline-start-color: var(--bad); }
      li.medium { border-inline-start-color: var(--less); }
      h3 { margin-top: 0.125rem; }
      p { margin-top: 0.25rem; line-height: 1.4; }
      .level { font-size: 0.75rem; color: var(--ink-2); margin: 0; }
      .high .level { color: var(--bad); font-weight: 620; }
      .groups { display: flex; flex-wrap: wrap; gap: 0 0.75rem; }
      a { color: var(--accent); }
      @media (pointer: coarse) { a { display: inline-block; padding: 0.375rem 0; } }
    `,
  ];

  @property({ attribute: false }) findings: readonly LocatedFinding[] = [];
  /** Sort order of the groups, which the links include. */
  @property() sort: GroupSort = 'file';

  protected override render() {
    const texts = inspectorStrings.findings;
    const { findings } = this;
    if (findings.length === 0) return html`<p class="caption">${texts.none}</p>`;
    return html`<details open><summary>${texts.title(findings.length)}</summary>
      <ol>${findings.map((finding) => this.finding(finding))}</ol>
    </details>`;
  }

  private finding({ confidence, title, evidence, next, groups, at }: LocatedFinding) {
    const texts = inspectorStrings.findings;
    return html`<li class=${confidence}>
      <p class="level">${texts.levels[confidence]}</p>
      <h3>${title}</h3>
      ${evidence.map((line) => html`<p>${line}</p>`)}
      <p><b>${texts.next}</b> ${next}</p>
      ${
        at.length > 0
          ? html`<p class="groups"><b>${texts.groups}</b>${at.map((position, index) => this.link(position, groups[index]))}</p>`
          : nothing
      }
    </li>`;
  }

  private link(at: number, id: string) {
    const follow = (event: MouseEvent) => {
      // Modified clicks open the address in a new tab.
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.dispatchEvent(new GroupLinkEvent(at));
    };
    return html`<a href=${inspectAddress(this.sort, at)} @click=${follow}>${id}</a>`;
  }
}
