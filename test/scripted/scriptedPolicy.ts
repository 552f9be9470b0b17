import type { ParameterValues } from '../../src/parameters/parameters.ts';
import { stateDigest } from '../../src/policy/checkpoint.ts';
import type { PolicyState } from '../../src/policy/policy.ts';
import { type PolicyConfiguration, parameterLayout } from '../../src/policy/weights.ts';
import { pcg4d } from '../../src/random/counter.ts';

/** Base of the two halves of the 32-bit history. The first two parameters store them exactly in float32. */
const HALF = 0x10000;

/**
 * Parameters of a scripted run in place of a policy. Each update changes them depending on its step and controls. A run
 * that resumes from a wrong checkpoint or with other controls therefore has other groups and another curve.
 */
export class ScriptedPolicy {
  private state: PolicyState;

  constructor(readonly config: PolicyConfiguration) {
    const { padded } = parameterLayout(config);
    const zeros = () => new Float32Array(padded);
    this.state = { parameters: zeros(), reference: zeros(), firstMoment: zeros(), secondMoment: zeros(), steps: 0 };
  }

  /** Hash of all previous updates; 0 before the first update. */
  get history(): number {
    const [low, high] = this.state.parameters;
    return this.state.steps === 0 ? 0 : high * HALF + low;
  }

  /** Digest of the parameters, computed as in the exact engine. */
  get digest(): number {
    return stateDigest(this.config, this.state);
  }

  /** Changes the parameters for an update. */
  update(step: number, controls: ParameterValues): void {
    const [next] = pcg4d(this.history, step, hashText(JSON.stringify(Object.entries(controls).sort())), 0);
    this.state = { ...this.state, parameters: this.state.parameters.slice(), steps: this.state.steps + 1 };
    this.state.parameters.set([next % HALF, Math.floor(next / HALF)]);
  }

  /** True if a critic has been updated. */
  get hasCritic(): boolean {
    return this.state.critic !== undefined;
  }

  /** Returns the number of consecutive updates of the critic under a rule. */
  criticUpdates(rule: string): number {
    return this.state.critic?.rule === rule ? this.state.critic.updates : 0;
  }

  /** Counts an update of the critic. */
  updateCritic(rule: string): void {
    const { padded } = parameterLayout({ ...this.config, valueHead: true });
    const zeros = () => new Float32Array(padded);
    const empty = { parameters: zeros(), firstMoment: zeros(), secondMoment: zeros(), steps: 0 };
    const { steps, ...critic } = this.state.critic ?? empty;
    this.state = {
      ...this.state,
      critic: { ...critic, rule, steps: steps + 1, updates: this.criticUpdates(rule) + 1 },
    };
  }

  start(parameters: Float32Array): void {
    const zeros = () => new Float32Array(parameters.length);
    this.state = { parameters, reference: parameters, firstMoment: zeros(), secondMoment: zeros(), steps: 0 };
  }

  async readState(): Promise<PolicyState> {
    return this.state;
  }

  writeState(state: PolicyState): void {
    this.state = state;
  }
}

/** Computes the 32-bit FNV-1a hash of a text. */
export function hashText(text: string): number {
  return [...text].reduce(
    (hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0,
    0x811c9dc5,
  );
}
