import { ATTACKS, type Attack } from './attacks.ts';
import { ATTACKS_AFTER } from './attacksAfter.ts';
import { ATTACKS_ENDLESS } from './attacksEndless.ts';
import { ATTACKS_INSIDE } from './attacksInside.ts';
import { ATTACKS_INTERPRETER } from './attacksInterpreter.ts';
import { ATTACKS_SHARED } from './attacksShared.ts';
import { ATTACKS_SIZES } from './attacksSizes.ts';
import { ATTACKS_STACK } from './attacksStack.ts';
import { ATTACKS_WORK } from './attacksWork.ts';

/** All attacks by class. */
export const ALL_ATTACKS: Readonly<Record<string, readonly Attack[]>> = {
  ...ATTACKS,
  ...ATTACKS_INSIDE,
  ...ATTACKS_AFTER,
  ...ATTACKS_SHARED,
  ...ATTACKS_INTERPRETER,
  ...ATTACKS_WORK,
  ...ATTACKS_SIZES,
  ...ATTACKS_STACK,
  ...ATTACKS_ENDLESS,
};
