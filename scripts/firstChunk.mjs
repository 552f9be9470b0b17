// Bundles the modules of the first load of the page into one file. Without it, shared modules are in a dozen files,
// each compressed separately.

/** @returns {import('vite').Plugin} */
export function firstChunk() {
  /** @type {Set<string>} */
  let first = new Set();
  return {
    name: 'turnwise-first-chunk',
    apply: 'build',
    config: () => ({
      build: {
        rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', test: (id) => first.has(id) }] } } },
      },
    }),
    buildEnd() {
      /** Returns the modules that entries import statically. @param {(id: string) => boolean} isIncluded */
      const graph = (isIncluded) => {
        const modules = new Set();
        const left = [...this.getModuleIds()].filter((id) => this.getModuleInfo(id)?.isEntry && isIncluded(id));
        for (let id = left.pop(); id !== undefined; id = left.pop()) {
          if (modules.has(id)) continue;
          modules.add(id);
          left.push(...(this.getModuleInfo(id)?.importedIds ?? []));
        }
        return modules;
      };
      // The gallery is excluded: it statically imports modules that the page loads on demand.
      /** @param {string} id */
      const isPage = (id) => id.endsWith('/index.html');
      const page = graph(isPage);
      // The service worker must be one file without imports, so its modules are excluded too.
      const nonPage = graph((id) => !isPage(id));
      first = new Set([...page].filter((id) => !nonPage.has(id)));
    },
  };
}
