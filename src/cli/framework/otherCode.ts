/** The folders in which two digests of code differ. */
export function otherCode(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((folder) => one[folder] !== other[folder]);
}
