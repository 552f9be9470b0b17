import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { type CustomRuleSource, encodeCustomRule } from '../../credit/rules/custom/customRule.ts';
import { type ChallengeTask, loadTask, TASK_NAMES, type TaskName } from '../../experiments/challenge/challengeTask.ts';
import { computeCustomRule, judgeRule, judgeTruth, type ScoreResult } from '../../experiments/challenge/judgeRule.ts';
import { writeViewAddress } from '../address/viewAddress.ts';
import type { Further } from '../customRule/customRuleController.ts';
import type { RuleTextEvent } from '../customRule/customRuleEditor.ts';
import { base } from '../look/styles.ts';
import '../look/themeSwitch.ts';
import { challengeStrings as texts } from '../strings/challengeStrings.ts';
import './challengeRace.ts';
import './challengeScores.ts';
import '../customRule/customRuleEditor.ts';

/** Styles of the challenge page. */
const challengeStyles = css`
  main { max-width: 76rem; margin: 0 auto; padding: 1rem clamp(0.75rem, 2vw, 1.5rem) 2.5rem; outline: none; }
  h1 { margin: 0 0 0.25rem; font-size: 1.5rem; letter-spacing: -0.02em; }
  .lead { max-width: 48rem; font-size: 1.0625rem; line-height: 1.5; text-wrap: pretty; }
  .how { max-width: 48rem; margin-top: 0.375rem; color: var(--ink-2); line-height: 1.5; }
  .tasks { display: flex; flex-wrap: wrap; gap: 0.375rem; margin: 1rem 0 0.75rem; padding: 0; list-style: none; }
  .tasks a { display: block; padding: 0.375rem 0.75rem; border: 1px solid var(--line-2); border-radius: 99px; color: var(--ink);
    font-size: 0.875rem; text-decoration: none; }
  .tasks a:hover { background: var(--hover); }
  .tasks a[aria-current] { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 620; }
  .box { display: block; margin-bottom: 1rem; padding: 0.875rem 1rem; border: 1px solid var(--line); border-radius: 10px;
    background: var(--surface); }
  .box > p { max-width: 52rem; margin-top: 0.375rem; line-height: 1.5; }
  .group { display: flex; flex-wrap: wrap; gap: 0.25rem 0.5rem; align-items: center; margin-top: 0.75rem; font-size: 0.875rem; }
  .group select { max-width: 100%; }
  footer { display: flex; justify-content: end; max-width: 76rem; margin: 0 auto; padding: 0 clamp(0.75rem, 2vw, 1.5rem) 1.5rem;
    font-size: 0.8125rem; }
  @media print { footer, .tasks { display: none; } }
`;

/** Custom rule of the user with its results in the tasks. */
interface Evaluation {
  readonly customRule: CustomRuleSource;
  readonly name: string;
  readonly tasks: Readonly<Partial<Record<TaskName, ScoreResult>>>;
}

/** Challenge page. It compares a custom rule of the user with measured advantages in each task. */
@customElement('tw-challenge')
export class ChallengeView extends LitElement {
  static override styles = [base, challengeStyles];

  /** Parts of the address after `#challenge/`; the first part is the name of the task. */
  @property({ attribute: false }) path: readonly string[] = [];
  @property({ type: Boolean }) embed = false;
  @state() private tasks: readonly ChallengeTask[] = [];
  @state() private failed: string | undefined;
  /** Index of the displayed group of each task; 0 if absent. */
  @state() private groupIndices: Readonly<Partial<Record<TaskName, number>>> = {};
  @state() private evaluation: Evaluation | undefined;
  /** Rule in the editor; undefined if it must not run. */
  @state() private text: CustomRuleSource | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.tasks.length === 0) void this.load();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('path')) document.title = `${texts.title} · Turnwise`;
  }

  protected override render() {
    return html`<main id="main" tabindex="-1">
        <h1>${texts.title}</h1>
        <p class="lead">${texts.lead}</p>
        <p class="how">${texts.how}</p>
        ${this.tasks.length > 0 ? this.challenge() : this.waiting()}
      </main>${this.embed ? nothing : html`<footer><tw-theme-switch></tw-theme-switch></footer>`}`;
  }

  private waiting() {
    if (this.failed === undefined) return html`<p role="status">${texts.loading}</p>`;
    return html`<p role="alert">${texts.notLoaded(this.failed)}
      <button class="small" @click=${this.load}>${texts.again}</button></p>`;
  }

  private challenge() {
    const { task } = this;
    const at = this.groupIndices[task.name] ?? 0;
    const { name } = task;
    const userResult = this.evaluation && { file: this.evaluation.customRule.file, ...this.evaluation.tasks[name] };
    const stale = this.evaluation?.name !== (this.text && encodeCustomRule(this.text));
    return html`
      <nav aria-label=${texts.tasks}><ul class="tasks">${TASK_NAMES.map(
        (taskName) =>
          html`<li><a href=${writeViewAddress('challenge', taskName)} aria-current=${taskName === name ? 'true' : nothing}>${texts.names[taskName]}</a></li>`,
      )}</ul></nav>
      <section class="box" aria-labelledby="task">
        <h2 id="task">${texts.names[name]}</h2>
        <p>${texts.descriptions[name]}</p><p>${texts.truth[name]}</p>
        <p class="caption">${this.counted(task)}</p>
        <label class="group">${texts.group} <select @change=${this.choose}>${task.groups.map(
          ({ question }, index) =>
            html`<option value=${index} .selected=${index === at}>${texts.groupName(index + 1, question)}</option>`,
        )}</select></label>
        <tw-own-rule-bench issinglepanel .live=${viewOf(task, at)} .measured=${listTurnValues(task, at)} .environment=${task.environment}
          .further=${this.further} @rule-text=${this.type}></tw-own-rule-bench>
      </section>
      <tw-challenge-scores class="box" .task=${task} .userResult=${isEvaluated(userResult) ? userResult : undefined} ?stale=${stale}></tw-challenge-scores>
      <tw-challenge-race class="box" .rule=${stale ? undefined : this.evaluation?.name}></tw-challenge-race>
    `;
  }

  private counted(task: ChallengeTask): string {
    const turns = task.groups.reduce((sum, { truth }) => sum + truth.length, 0);
    return texts.groups(task.groups.length, turns, judgeTruth(task).clear);
  }

  private get task(): ChallengeTask {
    return this.tasks.find(({ name }) => name === this.path[0]) ?? this.tasks[0];
  }

  private load = async (): Promise<void> => {
    this.failed = undefined;
    try {
      this.tasks = await Promise.all(TASK_NAMES.map(loadTask));
    } catch (error) {
      this.failed = error instanceof Error ? error.message : String(error);
    }
  };

  private choose(event: Event): void {
    this.groupIndices = { ...this.groupIndices, [this.task.name]: Number((event.target as HTMLSelectElement).value) };
  }

  private type(event: RuleTextEvent): void {
    this.text = event.detail;
  }

  /** Computes the custom rule on the groups of all tasks, and scores it. */
  private further: Further = async (name, work) => {
    const customRule = this.text;
    if (!customRule || encodeCustomRule(customRule) !== name) return;
    for (const task of this.tasks) await computeCustomRule(task, name, work);
    const tasks = Object.fromEntries(this.tasks.map((task) => [task.name, judgeRule(task, name)]));
    this.evaluation = { customRule, name, tasks };
  };
}

function isEvaluated(result: object | undefined): result is { readonly file: string } & ScoreResult {
  return result !== undefined && ('score' in result || 'rejection' in result);
}

const views = new WeakMap<object, { readonly forest: ChallengeTask['groups'][number]['group'] }>();

/**
 * Returns a group in the form that the editor of rules reads. A group always has the same object, so that caches match.
 */
function viewOf(task: ChallengeTask, at: number) {
  const { group } = task.groups[at];
  const view = views.get(group) ?? { forest: group };
  views.set(group, view);
  return view;
}

function listTurnValues(task: ChallengeTask, at: number) {
  const { truth, summaries } = task.groups[at];
  return truth.map(([advantage, error], turn) => ({ turnText: summaries[turn], advantage, error }));
}
