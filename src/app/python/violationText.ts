import { pythonStrings } from '../strings/pythonStrings.ts';

/** Describes an action that the sandbox detected, in plain words. */
export function violationText(reason: string): string {
  const [, hostImport] = /^called (.+), which is closed$/.exec(reason) ?? [];
  return hostImport === undefined ? reason : pythonStrings.blockedAccess(hostImport);
}
