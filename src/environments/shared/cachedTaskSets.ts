/** Maximum number of cached worlds. A run in a recently used world starts without a new construction. */
const LIMIT = 8;

/** Creates a cache of worlds by name. A world whose construction failed is constructed again at the next request. */
export function cachedTaskSets<World>(): (name: string, create: () => Promise<World>) => Promise<World> {
  const cached = new Map<string, Promise<World>>();
  return (name, create) => {
    const world = cached.get(name) ?? create();
    // Move the requested world to the end, so that the first entry is the least recently used.
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
