import { pythonStrings } from '../strings/pythonStrings.ts';

/** Describes a violation that the sandbox detected. */
export function violationText(reason: string): string {
  const [, hostImport] = /^called (.+), which is closed$/.exec(reason) ?? [];
  return hostImport === undefined ? reason : pythonStrings.blockedAccess(hostImport);
}
