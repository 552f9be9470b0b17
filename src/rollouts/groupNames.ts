// Code and protocol count groups from 0. The page, group names and files count them from 1. Only this file converts.

/** Returns the number of a group that users see, from 1. @param index index in the batch, from 0 */
export function groupNumber(index: number): number {
  return index + 1;
}

/** Returns the name of a group on the page, for example "step 3, group 1". @param index index in the batch, from 0 */
export function groupName(step: number, index: number): string {
  return `step ${step}, group ${groupNumber(index)}`;
}

/** Returns the id of a group in files, for example "step-3-group-1". @param index index in the batch, from 0 */
export function groupId(step: number, index: number): string {
  return `step-${step}-group-${groupNumber(index)}`;
}
