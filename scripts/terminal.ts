// `npm run terminal`: builds the terminal program to JavaScript and prints its path. `--out FOLDER` selects the output
// folder, at any depth of the repository. By default, the build is in the cache and is reused.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorker, imageDigest } from '@turnwise/python-sandbox/host/bundle';
import { build, type Plugin } from 'vite';
import { codeOf, commitOf, version } from '../src/cli/framework/installation.ts';
import { compiledKernels } from '../src/engine/exact/compile.ts';
import { ENVIRONMENT_NAMES } from '../src/training/data/configuration.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(root, 'node_modules/.cache/turnwise');
const ENTRY = 'src/cli/main.ts';
/** File name of the program in its folder. */
const PROGRAM = 'turnwise.mjs';
/** Folders and files on which the build depends. */
const SOURCES = ['src', 'packages', 'workers', 'kernels', 'scripts/terminal.ts', 'package-lock.json'];

/** Returns replacements for the modules that need a compiler or the source files. */
function replacedModules(): ReadonlyMap<string, string> {
  const code = Object.fromEntries(ENVIRONMENT_NAMES.map((environment) => [environment, codeOf(environment)]));
  const modules = {
    'src/cli/framework/installation.ts': `
      const CODE = ${JSON.stringify(code)};
      export const codeOf = (environment) => CODE[environment];
      export const commitOf = () => '${commitOf()}';
      export const version = () => '${version()}';
      export const PROGRAM = 'npx turnwise-rl';`,
    'src/engine/exact/compile.ts': `
      import { fileURLToPath } from 'node:url';
      export const compiledKernels = async () => fileURLToPath(new URL('exact.wasm', import.meta.url));`,
    'packages/python-sandbox/src/host/bundle.ts': `
      import { readFile } from 'node:fs/promises';
      export const bundleWorker = (name = 'python') => readFile(new URL(\`\${name}.worker.js\`, import.meta.url), 'utf8');
      export const imageDigest = () => '${imageDigest()}';`,
  };
  return new Map(Object.entries(modules).map(([path, text]) => [join(root, path), text]));
}

/**
 * Replaces modules, and rewrites addresses of files next to a source file: they become relative to the build folder.
 * @param folder folder of the build
 */
function sourceAddresses(folder: string): Plugin {
  const replaced = replacedModules();
  return {
    name: 'turnwise-terminal',
    enforce: 'pre',
    load: (id) => replaced.get(id),
    transform(code, id) {
      if (
        !/^(src|packages)\//.test(relative(root, id).replaceAll('\\', '/')) ||
        replaced.has(id) ||
        !code.includes('import.meta.')
      )
        return undefined;
      const address = (path: string) =>
        `new URL(${JSON.stringify(relative(folder, path).replaceAll('\\', '/'))}, import.meta.url)`;
      const text = code
        .replaceAll('import.meta.url', `${address(id)}.href`)
        .replaceAll('import.meta.dirname', `__path(${address(dirname(id))})`);
      return { code: `import { fileURLToPath as __path } from 'node:url';\n${text}`, map: null };
    },
  };
}

/**
 * Builds the program.
 * @param folder output folder; its content is removed
 * @param location folder to which the caller moves the files
 */
export async function buildTerminal(folder: string, location = folder): Promise<void> {
  await build({
    ...{ root, configFile: false, mode: 'production', logLevel: 'error', publicDir: false },
    plugins: [sourceAddresses(location)],
    ssr: { noExternal: true, external: ['webgpu'] },
    build: {
      ...{ outDir: folder, emptyOutDir: true, ssr: join(root, ENTRY), target: 'node20', minify: false },
      rolldownOptions: {
        checks: { pluginTimings: false },
        output: {
          ...{ entryFileNames: PROGRAM, chunkFileNames: '[name]-[hash].mjs', assetFileNames: '[name]-[hash][extname]' },
          banner: ({ isEntry }: { isEntry: boolean }) => (isEntry ? '#!/usr/bin/env node' : ''),
        },
      },
    },
  });
  copyFileSync(await compiledKernels(), join(folder, 'exact.wasm'));
  for (const name of ['python', 'pythonImage'] as const) {
    writeFileSync(join(folder, `${name}.worker.js`), await bundleWorker(name));
  }
}

/**
 * Builds the program into the cache, unless the cache has a build of the same source files.
 * @returns path of the program
 */
export async function builtTerminal(): Promise<string> {
  const folder = join(CACHE, `terminal-${digestOfSources()}`);
  if (existsSync(folder)) return join(folder, PROGRAM);
  mkdirSync(CACHE, { recursive: true });
  const unfinished = `${folder}.${process.pid}`;
  await buildTerminal(unfinished, folder);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another process created the same build in the meantime.
    rmSync(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return join(folder, PROGRAM);
}

function digestOfSources(): string {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    const path = join(root, source);
    const names = /\.\w+$/.test(source) ? [''] : readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
    for (const name of names.filter((file) => file === '' || (/\.(ts|json)$/.test(file) && !file.startsWith('app')))) {
      hash.update(`${source}/${name}\0`).update(readFileSync(join(path, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [flag, folder] = process.argv.slice(2);
  if (flag === '--out' && folder) await buildTerminal(resolve(folder));
  process.stdout.write(`${flag === '--out' && folder ? join(resolve(folder), PROGRAM) : await builtTerminal()}\n`);
}
