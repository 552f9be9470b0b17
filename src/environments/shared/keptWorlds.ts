/** Worlds that are kept; a run that begins in one of the last asked for does not wait for its making. */
const MOST = 8;

/** Makes worlds by their names, each once; one whose making failed is made anew. */
export function keptWorlds<World>(): (name: string, make: () => Promise<World>) => Promise<World> {
  const kept = new Map<string, Promise<World>>();
  return (name, make) => {
    const world = kept.get(name) ?? make();
    // The one asked for last goes to the end.
    kept.delete(name);
    kept.set(name, world);
    world.catch(() => {
      if (kept.get(name) === world) kept.delete(name);
    });
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST) break;
      kept.delete(oldest);
    }
    return world;
  };
}
