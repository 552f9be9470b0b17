import type { ParameterValues } from '../../parameters/parameters.ts';

/**
 * Returns a base class for the events of one name. Its events pass through shadow trees up to the page.
 * @example class RolloutEvent extends pageEvent<number>('rollout') {}
 */
export function pageEvent<Detail>(name: string) {
  return class PageEvent extends CustomEvent<Detail> {
    constructor(detail: Detail) {
      super(name, { detail, bubbles: true, composed: true });
    }
  };
}

/** Event with parameter values that the user chose. A drag of a slider dispatches it once, at its end. */
export class ParameterChangeEvent extends pageEvent<ParameterValues>('parameter-change') {}
