/**
 * Most worlds that are stored. A run in one of the worlds that were requested last does not wait for its construction.
 */
const MOST = 8;

/** Makes worlds by their names, each once; a world whose construction failed is made again. */
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
