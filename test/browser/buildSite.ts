import { join } from 'node:path';
import { build } from 'vite';
import { root } from '../files.ts';

/**
 * Builds a page as it is delivered.
 * @param page the HTML file at the root of the repository
 * @param folder where the site is written; what is in it is removed
 */
export async function buildSite(page: 'index.html' | 'gallery.html', folder: string): Promise<void> {
  // Vitest sets NODE_ENV to test, which would build the development version of Lit.
  const mode = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    await build({
      ...{ root, mode: 'production', logLevel: 'warn' },
      build: { outDir: folder, emptyOutDir: true, rolldownOptions: { input: join(root, page) } },
    });
  } finally {
    process.env.NODE_ENV = mode;
  }
}
