import { withTotals } from '../credit/arithmetic/chains.ts';
import { findRule } from '../credit/rules.ts';
import { ForestError, type Group, type Turn } from '../rollouts/forest.ts';
import type { Diagnosis } from './diagnosis.ts';
import { type Finding, three } from './finding.ts';
import { loggedCredit } from './loggedCredit.ts';
import { masked } from './masking.ts';
import { lineChart } from './reportChart.ts';
import { LOGGED } from './ruleCredits.ts';
import type { StepRow } from './stepNumbers.ts';
import { TurnKinds } from './turnKinds.ts';

/** Limits that keep a report below 3 MB [characters or rows]. */
const TEXT_LIMIT = 1500;
const TRANSCRIPT_LIMIT = 1_500_000;
/** Estimated markup of a turn [characters]. */
const MARKUP = 100;
const ROLLOUT_LIMIT = 8;
const STEP_LIMIT = 400;

/** Parts of a report that the diagnosis does not contain. */
export interface ReportParts {
  readonly title: string;
  /** Groups whose transcripts the report contains. */
  readonly groups: readonly Group[];
  /** Lines of the import report. */
  readonly notes: readonly string[];
  /** Reload interval of the page [s]; absent for a page that does not reload. */
  readonly refresh?: number;
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#ccc, #555); --pay: light-dark(#0a6b38, #6fd19b); --blame: light-dark(#a32020, #ff9d94); }
body { font: 1rem/1.45 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: .875rem; } .scroll { overflow-x: auto; }
th, td { padding: .2rem .6rem; border-block-end: 1px solid var(--line); text-align: start; vertical-align: top; }
td.n { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
.pay { color: var(--pay); } .blame { color: var(--blame); }
article, details { border: 1px solid var(--line); border-radius: .4rem; padding: .6rem .9rem; margin: .7rem 0; }
h3 { margin: 0; } pre { white-space: pre-wrap; font-size: .8125rem; margin: .2rem 0; }
.answer { opacity: .75; border-inline-start: 3px solid var(--line); padding-inline-start: .6rem; }
svg { width: 100%; height: auto; max-width: 40rem; }
@media print { body { max-width: none; } details, article { break-inside: avoid; } }`;

/** Formats a diagnosis as a single HTML file without scripts. Keys and email addresses in texts are masked. */
export function reportHtml(diagnosis: Diagnosis, { title, groups, notes, refresh }: ReportParts): string {
  const { findings, ruleInUse, totals } = diagnosis;
  const budget = { left: TRANSCRIPT_LIMIT };
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
${refresh === undefined ? '' : `<meta http-equiv="refresh" content="${refresh}">`}
<title>${safe(title)}</title><style>${STYLE}</style></head><body>
<h1>${safe(title)}</h1>
<p>${totals.groups} groups, ${totals.rollouts} rollouts, ${totals.turns} turns. Credit: ${ruleInUse === LOGGED ? 'the advantages of the log' : safe(ruleInUse)}.</p>
<h2>Findings</h2>
${findings.length === 0 ? '<p>No finding.</p>' : findings.map(findingHtml).join('\n')}
<p>A finding describes the rollouts. It does not say how training with another rule continues. Entropy, KL and clipping are not in rollouts.</p>
<h2>Steps</h2>
${charts(diagnosis.steps)}
${stepTable(diagnosis.steps)}
<h2>Credit by kind of turn</h2>
${kindTable(diagnosis)}
<h2>Groups to read</h2>
${groups.map((group) => transcript(group, ruleInUse, budget)).join('\n')}
<h2>Import</h2>
<ul>${notes.map((note) => `<li>${safe(note)}</li>`).join('')}</ul>
</body></html>
`;
}

function findingHtml({ title, confidence, evidence, next, groups }: Finding): string {
  const read = groups.length > 0 ? `<p>Groups to read: ${safe(groups.join(', '))}</p>` : '';
  return `<article><h3>${safe(title)}</h3><p>Confidence: ${confidence}</p><ul>${evidence
    .map((line) => `<li>${safe(line)}</li>`)
    .join('')}</ul><p><strong>Next:</strong> ${safe(next)}</p>${read}</article>`;
}

function charts(steps: readonly StepRow[]): string {
  const rows = steps.filter(({ step }) => step !== null);
  if (rows.length < 2) return '';
  const at = rows.map(({ step }) => step ?? 0);
  return [
    lineChart('Reward and share of rollouts with a call', at, [
      { name: 'reward', values: rows.map(({ reward }) => reward) },
      { name: 'with a call', values: rows.map(({ calls }) => calls) },
    ]),
    lineChart('Credit with and without a call', at, [
      { name: 'with a call', values: rows.map(({ creditOfCall }) => creditOfCall) },
      { name: 'without', values: rows.map(({ creditOfAnswer }) => creditOfAnswer) },
    ]),
  ].join('\n');
}

function stepTable(steps: readonly StepRow[]): string {
  const head = ['step', 'groups', 'rollouts', 'turns', 'reward', 'with a call', 'credit with a call', 'credit without'];
  const rows = steps.slice(0, STEP_LIMIT).map((row) => [
    ...[row.step === null ? '–' : String(row.step), String(row.groups), String(row.rollouts), String(row.turns)],
    ...[three(row.reward), three(row.calls), three(row.creditOfCall), three(row.creditOfAnswer), three(row.truncated)],
    Object.entries(row.ties)
      .map(([reason, count]) => `${count} ${reason}`)
      .join(', ') || '0',
  ]);
  const rest = steps.length > STEP_LIMIT ? `<p>The first ${STEP_LIMIT} of ${steps.length} steps.</p>` : '';
  return `${table([...head, 'truncated', 'groups without signal'], rows)}${rest}`;
}

function kindTable({ kinds, rules, ruleInUse }: Diagnosis): string {
  const names = [...new Set([ruleInUse, ...rules.map(([name]) => name)])];
  const rows = kinds.map(({ kind, turns, credit }) => [
    ...[kind, String(turns)],
    ...names.map((name) => three(credit[name] ?? null, true)),
  ]);
  return table(['kind of turn', 'turns', ...names], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => `<td${/^[-+–\d]/.test(text) ? ' class="n"' : ''}>${safe(text)}</td>`;
  return `<div class="scroll"><table><tr>${head.map((name) => `<th scope="col">${safe(name)}</th>`).join('')}</tr>${rows
    .map((row) => `<tr>${row.map(cell).join('')}</tr>`)
    .join('')}</table></div>`;
}

function transcript(group: Group, rule: string, budget: { left: number }): string {
  const { paths } = new TurnKinds().of(group);
  const credit = creditOf(group, rule, paths);
  const rollouts = paths.slice(0, ROLLOUT_LIMIT).map((path, index) => {
    const { outcome } = group.turns[path[path.length - 1]];
    const turns = path
      .map((turn) => (budget.left > 0 ? turnHtml(group.turns[turn], credit?.[turn], budget) : ''))
      .join('');
    return `<h4>Rollout ${index + 1}: reward ${outcome ?? '–'}</h4>${turns}`;
  });
  const more = paths.length > ROLLOUT_LIMIT ? `<p>${paths.length - ROLLOUT_LIMIT} more rollouts</p>` : '';
  const prompt = group.prompt ?? group.question;
  const promptHtml = prompt === undefined ? '' : `<pre class="answer">${cut(textOf(prompt), budget)}</pre>`;
  return `<details open><summary>${safe(group.id)}</summary>${promptHtml}${rollouts.join('')}${more}</details>`;
}

function creditOf(group: Group, rule: string, paths: readonly (readonly number[])[]): Float64Array | undefined {
  if (rule === LOGGED) return loggedCredit(group, paths);
  try {
    const creditRule = findRule(rule);
    return creditRule.credit(withTotals(creditRule, group), {}).advantage;
  } catch (error) {
    if (error instanceof ForestError) return undefined;
    throw error;
  }
}

function turnHtml(turn: Turn, credit: number | undefined, budget: { left: number }): string {
  const sign = credit === undefined || credit === 0 ? '' : credit > 0 ? ' class="pay"' : ' class="blame"';
  const number = `<strong${sign}>${credit === undefined ? '–' : three(credit, true)}</strong>`;
  const calls = Array.isArray(turn.tool_calls) ? `\n${JSON.stringify(turn.tool_calls)}` : '';
  const text = `${typeof turn.text === 'string' ? turn.text : (turn.action ?? '')}${calls}`;
  const answer =
    turn.observation === undefined ? '' : `<pre class="answer">${cut(textOf(turn.observation), budget)}</pre>`;
  budget.left -= MARKUP;
  return `<div>${number}<pre>${cut(text, budget)}</pre>${answer}</div>`;
}

/** Returns the text of a string or of a list of messages. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return JSON.stringify(value);
  return value.map((message) => `${message?.role ?? ''}: ${contentOf(message?.content)}`).join('\n');
}

function contentOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}

/** Cuts a text to the remaining budget. The text is masked before the cut, so that no part of a key remains. */
function cut(text: string, budget: { left: number }): string {
  const limit = Math.min(TEXT_LIMIT, budget.left);
  const complete = masked(text.slice(0, 20 * TEXT_LIMIT));
  const part = complete.slice(0, limit);
  const html = escaped(part);
  budget.left -= html.length;
  return `${html}${part.length < complete.length || text.length > 20 * TEXT_LIMIT ? ' …' : ''}`;
}

function safe(text: string): string {
  return escaped(masked(text));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
