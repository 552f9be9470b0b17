import type { ParameterValues } from '../../parameters/parameters.ts';
import { pageEvent } from '../look/pageEvent.ts';

/** Event with parameter values that the user chose. A drag of a slider dispatches it once, at its end. */
export class ParameterChangeEvent extends pageEvent<ParameterValues>('parameter-change') {}
