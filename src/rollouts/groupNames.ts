/**
 * Groups are counted from 0 in code and protocol, and from 1 wherever a person reads their number: on the page, in the names
 * of groups, and in files. This is the one place that says so.
 */

/** The number of a group for people. @param index in its batch, from 0 */
export function groupNumber(index: number): number {
  return index + 1;
}

/** Returns the name of a group. */
export function groupName(step: number, index: number): string {
  return `step ${step}, group ${groupNumber(index)}`;
}

/** Returns the name of a group in files. */
export function groupId(step: number, index: number): string {
  return `step-${step}-group-${groupNumber(index)}`;
}
