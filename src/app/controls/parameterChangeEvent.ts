import type { ParameterValues } from '../../parameters/parameters.ts';

/** The user chose other values. A drag sends it once, at its end. */
export class ParameterChangeEvent extends CustomEvent<ParameterValues> {
  constructor(changes: ParameterValues) {
    super('parameter-change', { detail: changes, bubbles: true, composed: true });
  }
}
