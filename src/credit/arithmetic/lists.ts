/** Lists of numbers: list i is `member[offset[i]] .. member[offset[i + 1] - 1]`. */
export interface Lists {
  /** Start of each list in `member`, and the end of the last list [lists + 1]. */
  readonly offset: Uint32Array;
  readonly member: Uint32Array;
}

/** Key of members that belong to no list. */
export const NO_LIST = 0xffffffff;

/**
 * Groups members by key with a counting sort: list k has the indices i with keys[i] = k, in ascending order.
 * @param keys [members] below `lists`, or NO_LIST
 */
export function listsBy(keys: Uint32Array, lists: number): Lists {
  const offset = new Uint32Array(lists + 1);
  for (const key of keys) if (key !== NO_LIST) offset[key + 1]++;
  for (let list = 0; list < lists; list++) offset[list + 1] += offset[list];
  const member = new Uint32Array(offset[lists]);
  const next = offset.slice();
  for (let index = 0; index < keys.length; index++) {
    if (keys[index] !== NO_LIST) member[next[keys[index]]++] = index;
  }
  return { offset, member };
}

/** Removes empty lists and keeps the order of the other lists. */
export function withoutEmpty({ offset, member }: Lists): Lists {
  const compacted = new Uint32Array(offset.length);
  let lists = 0;
  for (let end = 1; end < offset.length; end++) if (offset[end] > offset[end - 1]) compacted[++lists] = offset[end];
  return { offset: compacted.subarray(0, lists + 1), member };
}

/** Returns the members of one list. */
export function listAt({ offset, member }: Lists, list: number): Uint32Array {
  return member.subarray(offset[list], offset[list + 1]);
}
