import '../glossary/explain.ts';
import '../glossary/panelGlossary.ts';
import './parameterControl.ts';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { CreditRule } from '../../credit/rule.ts';
import { isCustomRuleName } from '../../credit/rules/custom/customRule.ts';
import { findRule } from '../../credit/rules.ts';
import type { NamedWorld, RewardNote, UsedRewards } from '../../environments/descriptor.ts';
import { rewardNotes } from '../../environments/notes.ts';
import type { ParameterTable, ParameterValues } from '../../parameters/parameters.ts';
import { childrenOf, type Turn } from '../../rollouts/forest.ts';
import { DEFAULT_ENVIRONMENT, type EnvironmentName } from '../../training/data/configuration.ts';
import { worldOf, worldsOf } from '../../training/data/worlds.ts';
import { ruleTitle, tablesFor } from '../address/pageTables.ts';
import type { ExplainEvent } from '../glossary/explain.ts';
import { type ParameterChangeEvent, pageEvent } from '../look/pageEvent.ts';
import { base, panel } from '../look/styles.ts';
import { strings } from '../strings/strings.ts';

/** Event with the settings of another world. It requests a new run. */
class WorldEvent extends pageEvent<ParameterValues>('world') {}

/** Event of the user choosing a named world. It requests a new run in that world. */
export class NamedWorldEvent extends pageEvent<NamedWorld>('named-world') {}

/**
 * Controls for all parameters that can change during a run, and for the world of the run.
 * @fires world when the user applies other settings of the world (WorldEvent)
 * @fires named-world when the user chooses a named world (NamedWorldEvent)
 * @fires warm-start when the user requests a warm start on this device
 */
@customElement('tw-controls')
export class Controls extends LitElement {
  static override styles = [
    base,
    panel,
    css`
      tw-explain { margin-inline-start: auto; }
      .worlds { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 0.625rem; }
      .worlds [aria-pressed='true'] {
        border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); font-weight: 600;
      }
      @media (forced-colors: active) { .worlds [aria-pressed='true'] { outline: 2px solid Highlight; } }
      .list { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); gap: 0.5rem 1.5rem;
        align-items: start; margin-top: 0.625rem; }
      details { margin-top: 0.875rem; padding-top: 0.75rem; border-top: 1px solid var(--line); }
      summary { font-size: 0.875rem; font-weight: 620; }
      .actions { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 0.75rem; }
    `,
  ];

  @property() environment: EnvironmentName = DEFAULT_ENVIRONMENT;
  @property({ attribute: false }) values: ParameterValues = {};
  @property({ attribute: false }) settings: ParameterValues = {};
  @state() private explained = false;
  /** Changed settings that are not yet applied. */
  @state() private world: ParameterValues = {};
  /** Parts that the user has opened. Other parts are not rendered yet. */
  @state() private unfolded: ReadonlySet<string> = new Set();

  protected override render() {
    const texts = strings.controls;
    const rule = String(this.values.rule ?? '');
    const tables = tablesFor(this.environment);
    const ruleTable = tables.ruleParameters[rule] ?? [];
    return html`
      <section>
        <header>
          <h2>${texts.rewards}</h2>
          <tw-explain .term=${texts.region} .explained=${this.explained} @explain=${this.explain}></tw-explain>
          <span class="caption">${texts.rewardsCaption}</span>
          <tw-words-here panel="controls"></tw-words-here>
        </header>
        ${this.list(tables.rewards, this.values, this.notes(rule))}
        ${
          ruleTable.length === 0
            ? nothing
            : html`<details open>
                <summary>${texts.rule(ruleTitle(rule))}</summary>
                ${this.list(ruleTable, this.values)}
              </details>`
        }
        <details @toggle=${this.unfold('training')}>
          <summary>${texts.training}</summary>
          ${this.unfolded.has('training') ? this.list(tables.training, this.values) : nothing}
        </details>
        <details @parameter-change=${this.turn} @toggle=${this.unfold('world')}>
          <summary>${texts.world}</summary>
          <p class="caption">${texts.worldCaption}</p>
          ${this.worlds()}
          ${this.unfolded.has('world') ? this.list(tables.settings, { ...this.settings, ...this.world }) : nothing}
          <div class="actions">
            <button ?disabled=${!this.isChanged} @click=${this.apply}>${texts.applyWorld}</button>
            <button title=${texts.warmHelp} @click=${this.warm}>${texts.warm}</button>
          </div>
        </details>
      </section>
    `;
  }

  /** Renders a button for each named world. */
  private worlds() {
    const worlds = worldsOf(this.environment);
    if (worlds.length === 0) return nothing;
    const present = worldOf({ environment: this.environment, settings: this.settings });
    return html`<div class="worlds" role="group" aria-label=${strings.controls.worlds}>
        ${worlds.map(
          (world) => html`<button aria-pressed=${world === present} title=${world.shows}
            @click=${() => this.begin(world)}>${world.title}</button>`,
        )}
      </div>
      <p class="caption">${present?.shows ?? strings.controls.customWorld}</p>`;
  }

  private get isChanged(): boolean {
    return Object.entries(this.world).some(([name, value]) => value !== this.settings[name]);
  }

  private notes(rule: string): Readonly<Record<string, RewardNote>> {
    return rewardNotes(this.environment, this.values, this.settings, usedRewards(rule));
  }

  private list(table: ParameterTable, values: ParameterValues, notes: Readonly<Record<string, RewardNote>> = {}) {
    return html`<div class="list">
      ${table.map(
        (parameter) => html`<tw-parameter .parameter=${parameter} .value=${values[parameter.name]}
          .note=${notes[parameter.name]} .environment=${this.environment} ?explained=${this.explained}></tw-parameter>`,
      )}
    </div>`;
  }

  private explain(event: ExplainEvent): void {
    this.explained = event.detail;
  }

  private unfold(part: string) {
    return () => {
      this.unfolded = new Set([...this.unfolded, part]);
    };
  }

  /** Stores a changed setting of the world until the user applies it. */
  private turn(event: ParameterChangeEvent): void {
    event.stopPropagation();
    this.world = { ...this.world, ...event.detail };
  }

  private apply(): void {
    this.dispatchEvent(new WorldEvent({ ...this.settings, ...this.world }));
    this.world = {};
  }

  private begin(world: NamedWorld): void {
    this.world = {};
    this.dispatchEvent(new NamedWorldEvent(world));
  }

  private warm(): void {
    this.dispatchEvent(new CustomEvent('warm-start', { bubbles: true, composed: true }));
  }
}

const known = new Map<string, UsedRewards>();

/**
 * Returns the rewards on which advantages under a rule depend. The function compares the rule's example with copies that
 * have other rewards. Without a rule, or under a custom rule, all rewards count as used.
 */
export function usedRewards(name: string): UsedRewards {
  if (name === '' || isCustomRuleName(name)) return { turns: true, outcome: true };
  const used = known.get(name) ?? compareRewards(findRule(name));
  known.set(name, used);
  return used;
}

function compareRewards({ example, credit }: CreditRule): UsedRewards {
  const children = childrenOf(example);
  const before = credit(example, {}).advantage;
  const dependsOn = (change: (turn: Turn, index: number) => Turn): boolean => {
    const after = credit({ ...example, turns: example.turns.map(change) }, {}).advantage;
    return before.some((advantage, turn) => Math.abs(advantage - (after[turn] ?? Number.NaN)) > 1e-9);
  };
  return {
    turns: dependsOn((turn, index) =>
      children[index]?.length === 0 ? turn : { ...turn, reward: turn.reward + 1 + index },
    ),
    // The outcomes change by different amounts, because many rules subtract their mean.
    outcome: dependsOn((turn, index) =>
      turn.outcome === undefined ? turn : { ...turn, outcome: turn.outcome + 1 + index ** 2 },
    ),
  };
}
