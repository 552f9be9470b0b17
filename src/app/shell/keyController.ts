import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { ParameterValues } from '../../parameters/parameters.ts';
import type { EnvironmentName } from '../../training/data/configuration.ts';
import type { Status } from '../../training/data/protocol.ts';
import { rulesInOrder } from '../address/pageTables.ts';
import { SavedChoice } from '../look/savedChoice.ts';

/** Part of the run controller that the keys use. It is narrow so that a test can substitute it. */
export interface KeyRun {
  readonly session: {
    readonly model: { readonly status: Status; readonly configuration: { readonly environment: EnvironmentName } };
  };
  readonly url: { readonly view: { readonly embed: boolean } };
  transport(type: 'play' | 'pause' | 'step'): void;
  change(changes: ParameterValues): void;
}

const stored = new SavedChoice('turnwise-keys', ['on', 'off']);

/** Selector of elements that accept typed text. */
const WRITTEN = 'textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=range])';

/** Returns the rules for the keys 1 to 9: first the rules of the switch, then the rules of its menu. */
export function ruleKeys(environment: EnvironmentName): readonly string[] {
  return rulesInOrder(environment).slice(0, 9);
}

/**
 * Keys that control the run: space, right arrow and digits. A focused element that uses a key receives it instead.
 * Users can switch the keys off (WCAG 2.1.4).
 */
export class KeyController implements ReactiveController {
  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly run: KeyRun,
    /** Returns true if the user is in a view without these keys. */
    private readonly away: () => boolean = () => false,
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    window.addEventListener('keydown', this.press);
  }

  hostDisconnected(): void {
    window.removeEventListener('keydown', this.press);
  }

  get on(): boolean {
    return stored.value === 'on';
  }

  turn(on: boolean): void {
    stored.choose(on ? 'on' : 'off');
    this.host.requestUpdate();
  }

  private press = (event: KeyboardEvent): void => {
    const modified = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
    if (!this.on || modified || event.repeat || event.defaultPrevented) return;
    const act = this.actOf(event);
    if (!act) return;
    event.preventDefault();
    act();
  };

  private actOf(event: KeyboardEvent): (() => void) | undefined {
    const [target] = event.composedPath();
    if (!(target instanceof Element) || target.matches(WRITTEN)) return undefined;
    // An embedded page has no control to switch the keys off.
    if (this.run.url.view.embed) return undefined;
    if (this.away()) return undefined;
    const { model } = this.run.session;
    const { status } = model;
    if (/^[1-9]$/.test(event.key)) {
      const rule = ruleKeys(model.configuration.environment)[Number(event.key) - 1];
      return rule === undefined ? undefined : () => this.run.change({ rule });
    }
    // A focused button, slider or list may use space and the arrow keys.
    const nothing = [document.body, document.documentElement].includes(target as HTMLElement) || target.id === 'main';
    if (!nothing) return undefined;
    const isRunning = status === 'playing' || status === 'hidden';
    if (!isRunning && status !== 'paused') return undefined;
    if (event.key === ' ') return () => this.run.transport(isRunning ? 'pause' : 'play');
    return event.key === 'ArrowRight' ? () => this.run.transport('step') : undefined;
  }
}
