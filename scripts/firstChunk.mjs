// The first load of the built page in one file: what several places share would otherwise lie in a dozen, each compressed alone.

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
      /** All that an entry imports at once. @param {(id: string) => boolean} isIncluded */
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
      // Not the gallery: it loads everything at once, and waits for what would wait for it.
      /** @param {string} id */
      const isPage = (id) => id.endsWith('/index.html');
      const page = graph(isPage);
      // The service worker is one file and imports none.
      const nonPage = graph((id) => !isPage(id));
      first = new Set([...page].filter((id) => !nonPage.has(id)));
    },
  };
}
