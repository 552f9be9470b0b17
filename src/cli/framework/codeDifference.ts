/** Returns the folders in which two digests of code differ. */
export function differingFolders(
  first: Readonly<Record<string, string>>,
  second: Readonly<Record<string, string>>,
): string[] {
  return [...new Set([...Object.keys(first), ...Object.keys(second)])].filter(
    (folder) => first[folder] !== second[folder],
  );
}
