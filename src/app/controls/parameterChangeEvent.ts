import type { ParameterValues } from '../../parameters/parameters.ts';

/** Event with parameter values that the user chose. A drag of a slider dispatches it once, at its end. */
export class ParameterChangeEvent extends CustomEvent<ParameterValues> {
  constructor(changes: ParameterValues) {
    super('parameter-change', { detail: changes, bubbles: true, composed: true });
  }
}
