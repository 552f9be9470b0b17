import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The built terminal replaces this module (scripts/terminal.ts).

const SOURCES = fileURLToPath(new URL('../../../kernels/', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/turnwise/', import.meta.url));
/** Compiler options. Plain SIMD, because the bits of relaxed SIMD depend on the machine. */
const OPTIONS = [
  ...['-O3', '--converge', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--enable', 'bulk-memory'],
  // The warning concerns exported functions with vectors, which only other files of the module call.
  ...['--disableWarning', '112'],
];

/**
 * Compiles the kernels of the exact engine (kernels/) in some seconds. Returns a cached module for the same sources and
 * compiler.
 * @returns path of the module
 * @throws {Error} with the compiler's message
 */
export async function compiledKernels(): Promise<string> {
  const names = readdirSync(SOURCES).filter((name) => name.endsWith('.ts'));
  const texts = new Map(names.map((name) => [name, readFileSync(join(SOURCES, name), 'utf8')]));
  const { default: asc, version } = await import('assemblyscript/asc');
  const hash = createHash('sha256').update(JSON.stringify([version, OPTIONS, [...texts]]));
  const path = join(CACHE, `exact-${hash.digest('hex').slice(0, 16)}.wasm`);
  if (!existsSync(path)) {
    mkdirSync(CACHE, { recursive: true });
    // The complete file is renamed, because several processes may compile at the same time.
    writeFileSync(`${path}.${process.pid}`, await compile(asc, texts));
    renameSync(`${path}.${process.pid}`, path);
  }
  return path;
}

async function compile(
  asc: typeof import('assemblyscript/asc').default,
  texts: ReadonlyMap<string, string>,
): Promise<Uint8Array> {
  let module: Uint8Array | undefined;
  const { error, stderr } = await asc.main(['exact.ts', ...OPTIONS, '--outFile', 'exact.wasm'], {
    readFile: (name) => texts.get(name) ?? null,
    writeFile: (name, contents) => {
      if (name === 'exact.wasm') module = contents as unknown as Uint8Array;
    },
    listFiles: () => [],
  });
  if (error || !module) throw new Error(`the kernels of the exact engine do not compile:\n${stderr.toString()}`);
  return module;
}
