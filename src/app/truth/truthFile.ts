import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type {
  Estimate,
  GradientReport,
  Interval,
  MeasuredGroup,
  MeasuredTurn,
  TruthPlan,
  TruthReport,
} from '../../training/data/truthReport.ts';
import { FileDrop, fileDropStyles } from '../look/fileDrop.ts';
import { base } from '../look/styles.ts';
import { truthStrings } from '../strings/truthStrings.ts';

const fileTexts = truthStrings.file;

/** Measurement with the environment and seed of its run. */
interface TruthFile {
  readonly environment: string;
  readonly seed: number;
  readonly report: TruthReport;
}

/** Error for a file that is not a measurement. The message names the line or the field. */
class TruthFileError extends Error {}

/**
 * Returns the text of a measurement file, in the format of `turnwise truth --json`. `readTruthFile` reads it.
 */
export function writeTruthFile({ environment, seed, report }: TruthFile): string {
  return `${JSON.stringify({ environment, seed, ...report })}
`;
}

/**
 * Reads a measurement file of `turnwise truth --json` or of the panel.
 * @throws {TruthFileError} if the text is not a measurement; the message names the line or the field
 */
export function readTruthFile(text: string): TruthFile {
  const file = new Field('', parse(text));
  const rules = file
    .at('plan')
    .at('rules')
    .list((rule) => rule.text());
  if (rules.length === 0) file.at('plan').at('rules').refuse(fileTexts.empty);
  const groups = file.at('groups').list((group) => readGroup(group, rules));
  if (groups.length === 0) file.at('groups').refuse(fileTexts.empty);
  const precision = file.at('precision');
  const gradients = file.maybe('gradients');
  const measured = file.at('rules').list((rule, index) => {
    const name = rule.at('rule').text();
    if (name !== rules[index]) rule.at('rule').refuse(fileTexts.ruleMismatch(rules[index] ?? ''));
    return {
      rule: name,
      parameters: {},
      correlation: readInterval(rule.at('correlation')),
      ahead: readInterval(rule.at('ahead')),
      steps: rule.at('steps').number(),
      clear: rule.at('clear').number(),
      wrong: rule.at('wrong').numberOrNaN(),
      silent: rule.at('silent').numberOrNaN(),
      leakage: rule.at('leakage').numberOrNaN(),
    };
  });
  if (measured.length !== rules.length) file.at('rules').refuse(fileTexts.count(measured.length, rules.length));
  return {
    environment: file.at('environment').text(),
    seed: file.at('seed').number(),
    report: {
      plan: readPlan(file.at('plan'), rules),
      drawn: file.at('drawn').number(),
      histories: file.at('histories').number(),
      continuations: file.at('continuations').number(),
      precision: {
        deviation: precision.at('deviation').numberOrNaN(),
        error: precision.at('error').numberOrNaN(),
        reliability: precision.at('reliability').numberOrNaN(),
      },
      resampled: file.at('resampled').choice('groups', 'rollouts'),
      rules: measured,
      ...(gradients ? { gradients: readGradients(gradients, rules) } : {}),
      groups,
    },
  };
}

function readPlan(plan: Field, rules: readonly string[]): TruthPlan {
  const counts = plan.at('counts');
  return {
    rules,
    groups: plan.at('groups').number(),
    continuations: plan.at('continuations').number(),
    split: plan.at('split').choice('train', 'held-out'),
    ties: plan.at('ties').choice('skip', 'keep'),
    gradientGroups: plan.at('gradientGroups').number(),
    counts: {
      kind: counts.at('kind').choice('outcome', 'rewards'),
      gamma: counts.at('gamma').number(),
      bonus: counts.at('bonus').number(),
    },
  };
}

function readGroup(group: Field, rules: readonly string[]): MeasuredGroup {
  return {
    question: group.at('question').text(),
    outcomes: group.at('outcomes').list((outcome) => outcome.number()),
    turns: group.at('turns').list((turn): MeasuredTurn => {
      const [state, action, after] = ['state', 'action', 'after'].map((name) => turn.maybe(name));
      const ruleValues = turn.at('rules');
      return {
        forestTurn: turn.at('forestTurn').number(),
        rollout: turn.at('rollout').number(),
        turn: turn.at('turn').number(),
        summary: turn.at('summary').text(),
        ...(state ? { state: state.text() } : {}),
        ...(action ? { action: action.text() } : {}),
        reward: turn.at('reward').number(),
        before: readEstimate(turn.at('before')),
        ...(after ? { after: readEstimate(after) } : {}),
        advantage: readEstimate(turn.at('advantage')),
        rules: Object.fromEntries(rules.map((rule) => [rule, ruleValues.at(rule).numberOrNull()])),
      };
    }),
  };
}

function readGradients(gradients: Field, rules: readonly string[]): GradientReport {
  const names = [...rules, 'truth'];
  const gradientRules = gradients.at('rules').list((rule, index) => {
    const name = rule.at('rule').text();
    if (name !== names[index]) rule.at('rule').refuse(fileTexts.ruleMismatch(names[index] ?? ''));
    return {
      rule: name,
      cosine: readInterval(rule.at('cosine')),
      summed: rule.at('summed').number(),
      error: rule.at('error').numberOrNaN(),
      cosines: rule.at('cosines').list((cosine) => cosine.number()),
    };
  });
  if (gradientRules.length !== names.length)
    gradients.at('rules').refuse(fileTexts.count(gradientRules.length, names.length));
  return { groups: gradients.at('groups').number(), halves: gradients.at('halves').number(), rules: gradientRules };
}

function readInterval(field: Field): Interval {
  const [value, low, high] = ['value', 'low', 'high'].map((name) => field.at(name).numberOrNaN());
  return { value, low, high };
}

function readEstimate(field: Field): Estimate {
  return { mean: field.at('mean').number(), error: field.at('error').number() };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const position = /position (\d+)/.exec(message)?.[1];
    const line = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length;
    throw new TruthFileError(line === undefined ? fileTexts.notJson(message) : fileTexts.notJsonAt(line, message));
  }
}

/** Value of a file with its path, for example `groups[3].turns[1].advantage`. */
class Field {
  constructor(
    private readonly path: string,
    private readonly value: unknown,
  ) {}

  refuse(problem: string): never {
    throw new TruthFileError(this.path === '' ? problem : fileTexts.field(this.path, problem));
  }

  at(name: string): Field {
    return this.maybe(name) ?? new Field(this.pathOf(name), undefined).refuse(fileTexts.missing);
  }

  maybe(name: string): Field | undefined {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) this.refuse(fileTexts.noObject);
    const entry = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    return entry === undefined ? undefined : new Field(this.pathOf(name), entry);
  }

  list<Item>(read: (item: Field, index: number) => Item): Item[] {
    if (!Array.isArray(this.value)) this.refuse(fileTexts.noList);
    return this.value.map((item, index) => read(new Field(`${this.path}[${index}]`, item), index));
  }

  number(): number {
    return typeof this.value === 'number' ? this.value : this.refuse(fileTexts.noNumber(formatValue(this.value)));
  }

  numberOrNull(): number | null {
    return this.value === null ? null : this.number();
  }

  numberOrNaN(): number {
    return this.numberOrNull() ?? Number.NaN;
  }

  text(): string {
    return typeof this.value === 'string' ? this.value : this.refuse(fileTexts.noText(formatValue(this.value)));
  }

  choice<Name extends string>(...names: readonly Name[]): Name {
    return (
      names.find((name) => name === this.value) ??
      this.refuse(fileTexts.noneOf(formatValue(this.value), names.join(', ')))
    );
  }

  private pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }
}

function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** Event of the user opening a measurement file. */
export class TruthFileEvent extends CustomEvent<TruthFile & { readonly name: string }> {
  constructor(name: string, file: TruthFile) {
    super('truth-file', { detail: { ...file, name }, bubbles: true, composed: true });
  }
}

/**
 * Input for files of `turnwise truth --json`, dropped or chosen. An invalid file is refused with the location of the
 * error.
 * @fires truth-file when a file was read (TruthFileEvent)
 */
@customElement('tw-truth-file')
export class TruthFileChoice extends LitElement {
  static override styles = [base, fileDropStyles, css`.drop { margin-top: 0.75rem; padding: 0.5rem 0.75rem; }`];

  /** True if the panel shows a result, which stays when a file is refused. */
  @property({ type: Boolean }) hasResult = false;
  @state() private problem = '';
  /** Number of files given. Only the last file is shown, even if an earlier file takes longer to read. */
  private given = 0;
  private readonly files = new FileDrop(this, ([{ file }]) => void this.read(file));

  protected override render() {
    const texts = truthStrings.file;
    return html`
      <div class="drop ${this.files.over ? 'over' : ''}" @dragover=${this.files.drag}
        @dragleave=${this.files.leave} @drop=${this.files.drop}>
        <span>${texts.drop} <code>turnwise truth --json</code></span>
        <label class="button choose">${texts.choose}
          <input type="file" accept=".json,application/json" @change=${this.files.choose} /></label>
        <span class="caption">${texts.private}</span>
      </div>
      <div role="alert">${
        this.problem
          ? html`<p class="alert">${this.problem}${this.hasResult ? html` <span>${texts.previousResult}</span>` : nothing}</p>`
          : nothing
      }</div>
    `;
  }

  private async read(file: File): Promise<void> {
    const requestId = ++this.given;
    try {
      const read = readTruthFile(await file.text());
      if (requestId !== this.given) return;
      this.problem = '';
      this.dispatchEvent(new TruthFileEvent(file.name, read));
    } catch (error) {
      if (requestId !== this.given) return;
      // Other errors, for example for a removed file, have the text of the browser.
      const problem = error instanceof TruthFileError ? error.message : String((error as Error).message);
      this.problem = truthStrings.file.rejectedText(file.name, problem);
    }
  }
}
