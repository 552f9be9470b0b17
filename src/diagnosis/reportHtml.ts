import { withTotals } from '../credit/arithmetic/chains.ts';
import { findRule } from '../credit/rules.ts';
import { ForestError, type Group, type Turn } from '../rollouts/forest.ts';
import { type Diagnosis, type Finding, type StepRow, three } from './diagnosis.ts';
import { LOGGED, loggedCredit } from './ruleCredits.ts';
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

/** Line of a chart. A null value leaves a gap. */
interface Line {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

const WIDTH = 640;
const HEIGHT = 220;
const MARGIN = { left: 48, right: 12, top: 28, bottom: 28 };
/** Line colours with a contrast above 3 on white and on black. The second line is also dashed. */
const STROKES = ['stroke="#2f7ed8"', 'stroke="#c76a15" stroke-dasharray="6 4"'];

/** Draws lines over steps as an SVG figure with a title, axes and a legend. Returns '' if no line has values. */
function lineChart(title: string, steps: readonly number[], lines: readonly Line[]): string {
  const numbers = lines.flatMap(({ values }) => values.filter((value) => value !== null));
  if (numbers.length === 0) return '';
  const [low, high] = [Math.min(0, ...numbers), Math.max(...numbers)];
  const range = high - low || 1;
  const [first, last] = [steps[0], steps[steps.length - 1]];
  const x = (step: number) =>
    MARGIN.left + ((step - first) / (last - first || 1)) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (value: number) => HEIGHT - MARGIN.bottom - ((value - low) / range) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const paths = lines.map(({ values }, at) => {
    let pen = 'M';
    const points = values.map((value, index) => {
      if (value === null) {
        pen = 'M';
        return '';
      }
      const point = `${pen}${x(steps[index]).toFixed(1)} ${y(value).toFixed(1)}`;
      pen = 'L';
      return point;
    });
    return `<path d="${points.join('')}" fill="none" stroke-width="2" ${STROKES[at % STROKES.length]}/>`;
  });
  const legend = lines.map(
    ({ name }, at) =>
      `<line x1="${MARGIN.left + 180 * at}" x2="${MARGIN.left + 30 + 180 * at}" y1="12" y2="12" stroke-width="2" ${STROKES[at % STROKES.length]}/>` +
      `<text x="${MARGIN.left + 36 + 180 * at}" y="16">${name}</text>`,
  );
  const label = (value: number) => `<text x="4" y="${(y(value) + 4).toFixed(1)}">${value.toFixed(2)}</text>`;
  return (
    `<figure><figcaption>${title}</figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}" ` +
    `font-size="12" fill="currentColor"><line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(0).toFixed(1)}" ` +
    `y2="${y(0).toFixed(1)}" stroke="currentColor" opacity=".4"/>${label(low)}${high === low ? '' : label(high)}` +
    `<text x="${MARGIN.left}" y="${HEIGHT - 8}">step ${first}</text>` +
    `<text x="${WIDTH - MARGIN.right}" y="${HEIGHT - 8}" text-anchor="end">step ${last}</text>` +
    `${legend.join('')}${paths.join('')}</svg></figure>`
  );
}

/**
 * Patterns of secrets and addresses: keys of common services, bearer tokens, private keys, named assignments, email
 * addresses.
 */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, '[key]'],
  [/\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}/g, '[key]'],
  [/\b(?:ghp|gho|ghu|ghs|ghr|github_pat|glpat|hf|xox[abprs]|npm|pypi)[-_][A-Za-z0-9_-]{10,}/g, '[key]'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, '[key]'],
  [/\bAIza[A-Za-z0-9_-]{30,}/g, '[key]'],
  [/\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*/g, '[key]'],
  [/\b(Bearer\s+)[A-Za-z0-9._~+/=-]{12,}/gi, '$1[key]'],
  [/((?:api[_-]?key|secret|token|passw(?:or)?d)["']?\s*[:=]\s*["']?)[^\s"',;&]{6,}/gi, '$1[key]'],
  [/[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/g, '[mail]'],
];

/** Replaces keys in a text by `[key]` and email addresses by `[mail]`. */
export function masked(text: string): string {
  return PATTERNS.reduce((result, [pattern, mask]) => result.replace(pattern, mask), text);
}
