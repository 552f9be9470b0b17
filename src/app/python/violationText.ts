import { pythonStrings } from '../strings/pythonStrings.ts';

/** Describes an action that the sandbox detected, in plain words. */
export function violationText(reason: string): string {
  const [, door] = /^called (.+), which is closed$/.exec(reason) ?? [];
  return door === undefined ? reason : pythonStrings.closedDoor(door);
}
