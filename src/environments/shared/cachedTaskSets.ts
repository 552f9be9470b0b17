/**
 * Most worlds that are stored. A run in one of the worlds that were requested last does not wait for its construction.
 */
const LIMIT = 8;

/** Makes worlds by their names, each once; a world whose construction failed is made again. */
export function cachedTaskSets<World>(): (name: string, create: () => Promise<World>) => Promise<World> {
  const cached = new Map<string, Promise<World>>();
  return (name, create) => {
    const world = cached.get(name) ?? create();
    // The one asked for last goes to the end.
    cached.delete(name);
    cached.set(name, world);
    world.catch(() => {
      if (cached.get(name) === world) cached.delete(name);
    });
    for (const oldest of cached.keys()) {
      if (cached.size <= LIMIT) break;
      cached.delete(oldest);
    }
    return world;
  };
}
