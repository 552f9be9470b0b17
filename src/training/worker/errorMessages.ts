import { CreditError } from '../../credit/creditError.ts';
import { CustomRuleError } from '../../customRules/results.ts';
import { NoEngineError } from '../../engine/errors.ts';
import { CheckpointError } from '../../engine/shared.ts';
import { ParameterError } from '../../parameters/parameters.ts';
import { TooLargeError } from '../collect/budget.ts';
import { NotLoadedError } from '../data/notLoaded.ts';
import type { Problem } from '../data/protocol.ts';
import { RewardModelError } from '../rewardModel/rewardModelFile.ts';
import { NonFiniteError } from '../run/run.ts';
import { WarmStartError } from '../run/warmStart.ts';
import { DeviceLostError } from './recovery.ts';

/** Error of work that was cancelled by a newer request. It is not reported. */
export class Superseded extends Error {}

type ErrorDescription = Pick<Problem, 'kind' | 'message' | 'recovery'>;

/**
 * Returns true if a custom rule, a reward model or a layout failed before an update. The run is unchanged and paused.
 */
export function isRuleFault(error: unknown): error is Error {
  if (error instanceof RewardModelError || error instanceof TooLargeError) return true;
  return error instanceof CustomRuleError || (error instanceof CreditError && error.name === 'CreditError');
}

/**
 * Converts an error to the form of a problem message.
 * @param isSaved true if the run has a checkpoint
 */
export function problemOf(error: unknown, isSaved: boolean): ErrorDescription {
  const message = error instanceof Error ? error.message : String(error);
  const back = isSaved ? 'last-checkpoint' : 'none';
  if (isRuleFault(error)) {
    return { kind: 'rule', message: `Paused before the update, and nothing is lost: ${message}.`, recovery: 'none' };
  }
  if (error instanceof NoEngineError) return { kind: 'no-engine', message, recovery: 'none' };
  if (error instanceof DeviceLostError) return { kind: 'device-lost', message, recovery: back };
  if (error instanceof CheckpointError) return { kind: 'checkpoint', message, recovery: 'none' };
  if (error instanceof ParameterError) return { kind: 'configuration', message, recovery: 'none' };
  if (error instanceof WarmStartError) {
    return { kind: 'configuration', message: `${capitalised(message)}.`, recovery: 'none' };
  }
  if (error instanceof NotLoadedError)
    return { kind: 'not-loaded', message: notLoaded(message), recovery: 'last-checkpoint' };
  if (error instanceof NonFiniteError) {
    return { kind: 'non-finite', message: `Training stopped: ${message}.`, recovery: back };
  }
  return { kind: 'internal', message, recovery: back };
}

function notLoaded(subject: string): string {
  return `${capitalised(subject)}. Is this device online? Nothing is lost: saved runs stay saved. Try again when the network is back.`;
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
