import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { type Finding, GROUP_SORTS, type GroupSignals, type GroupSort } from '../../diagnosis/diagnosis.ts';
import { LOGGED } from '../../diagnosis/ruleCredits.ts';
import { ruleTitle } from '../address/pageTables.ts';
import { writeViewAddress } from '../address/viewAddress.ts';
import { pageEvent } from '../look/pageEvent.ts';
import { base } from '../look/styles.ts';
import { inspectorStrings } from '../strings/inspectorStrings.ts';

/** Group and sort order that a link to the Inspector selects. */
export interface InspectChoice {
  readonly sort?: GroupSort;
  /** Number of the group in the file, from 1. */
  readonly group?: number;
  /** Messages about invalid parts of the link. */
  readonly problems: readonly string[];
}

/** Parses the path of a link, for example `disagreement/17`. Invalid parts are ignored and reported in `problems`. */
export function readInspectPath([sortText, groupText]: readonly string[]): InspectChoice {
  const sort = GROUP_SORTS.find((name) => name === sortText);
  const isNumber = /^[1-9]\d{0,8}$/.test(groupText ?? '');
  const { unknownSort, noNumber } = inspectorStrings.link;
  return {
    ...(sort ? { sort } : {}),
    ...(isNumber ? { group: Number(groupText) } : {}),
    problems: [
      ...(sortText !== undefined && !sort ? [unknownSort(sortText, GROUP_SORTS.join(', '))] : []),
      ...(groupText !== undefined && !isNumber ? [noNumber(groupText)] : []),
    ],
  };
}

/** Returns the address of a group. @param at index of the group in the file */
export function inspectAddress(sort: GroupSort, at: number): string {
  return writeViewAddress('inspect', sort, String(at + 1));
}

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
export class GroupLinkEvent extends pageEvent<number>('group-link') {}

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

/**
 * Returns sentences about the signals of a group.
 * @param rank position of the group in the sort order, from 0
 * @param groups number of groups
 */
export function signalLines(
  { tie, opposed, rules, deviation }: GroupSignals,
  sort: GroupSort,
  rank: number,
  groups: number,
): readonly string[] {
  const texts = inspectorStrings.sort;
  const titles = rules.map((rule) => (rule === LOGGED ? texts.logged : ruleTitle(rule)));
  return [
    ...(sort === 'file' ? [] : [texts.rank(rank + 1, groups)]),
    ...(tie ? [texts.tie(tie)] : [texts.deviation(deviation.toFixed(2))]),
    ...(titles.length > 0 && !tie ? [texts.opposed(`${(100 * opposed).toFixed(0)} %`, titles)] : []),
  ];
}
