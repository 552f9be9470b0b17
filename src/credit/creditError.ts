import { ForestError } from '../rollouts/forest.ts';

/** Error for a group that a rule cannot read. The message names the group, the turn and the field. */
export class CreditError extends ForestError {
  constructor(group: string, turn: number | undefined, field: string | undefined, problem: string) {
    super({ group, turn, field }, problem);
    this.name = 'CreditError';
  }
}
