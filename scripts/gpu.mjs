// WebGPU adapter that Node gets from Dawn, and the environment variables that choose it.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './dependencies.mjs';

/** @typedef {Record<string, string>} Environment */
/** @typedef {{ name: string, software: boolean }} Adapter */

/** Programs that run WGSL on any adapter. All others run on the processor, or on a graphics card. */
const WGSL = ['bench/index.ts', 'bench/engines.ts', 'bench/credit.ts'];

/**
 * True if a program of this repository cannot run without a WebGPU adapter, so that one is installed for it.
 * @param {string} program
 * @param {readonly string[]} args
 */
export function requiresAdapter(program, args) {
  if (args.includes('--help') || args.includes('-h')) return false;
  return WGSL.includes(program) || (program === 'test/fuzz/main.ts' && args.includes('devices'));
}

/** Set in children that inherit a finished choice, so that nothing is probed twice. Holds the adapter's name. */
const CHOSEN = 'TURNWISE_ADAPTER';

// A driver may crash, hang or print while it starts, and Dawn keeps its process alive: all good reasons for a child.
const PROBE = `
  const { create, globals } = await import('webgpu');
  Object.assign(globalThis, globals);
  const gpu = create([]);
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) process.exit(3);
  await adapter.requestDevice();
  const { description, device, vendor, architecture, isFallbackAdapter } = adapter.info;
  const name = description || device || vendor;
  const software = isFallbackAdapter === true || architecture === 'software' || architecture === 'swiftshader';
  process.stdout.write(JSON.stringify({ name, software }), () => process.exit(0));
`;

/**
 * @param {Environment} environment on top of this process's own
 * @returns {Adapter | undefined} the adapter that Dawn gives under this environment
 */
export function probeAdapter(environment) {
  const probe = spawnSync(process.execPath, ['--input-type=module', '--eval', PROBE], {
    cwd: root,
    env: { ...process.env, ...environment },
    encoding: 'utf8',
    timeout: 60_000,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return probe.status === 0 ? JSON.parse(probe.stdout) : undefined;
}

/** The manifest of Mesa's software driver; some distributions put the architecture into its name. */
function lavapipeManifest() {
  for (const folder of ['/usr/share/vulkan/icd.d', '/usr/local/share/vulkan/icd.d', '/etc/vulkan/icd.d']) {
    const name = existsSync(folder) && readdirSync(folder).find((file) => /^lvp_icd.*\.json$/.test(file));
    if (name) return join(folder, name);
  }
  return undefined;
}

/** @returns {Environment} */
function lavapipeEnvironment() {
  const manifest = process.platform === 'linux' ? lavapipeManifest() : undefined;
  if (!manifest) return {};
  return {
    // The first name is for loaders before 1.3.207, the second for those after.
    VK_ICD_FILENAMES: manifest,
    VK_DRIVER_FILES: manifest,
    XDG_RUNTIME_DIR: process.env.XDG_RUNTIME_DIR || tmpdir(),
  };
}

/**
 * Looks for an adapter: a real GPU first, then Mesa's lavapipe, then whatever else answers. A driver that the user has
 * chosen with VK_DRIVER_FILES or VK_ICD_FILENAMES is left alone.
 * @returns {Environment | undefined} variables for child processes, undefined where no adapter answers
 */
export function findAdapter() {
  const ready = process.env[CHOSEN];
  if (ready) return {};
  const defaultAdapter = probeAdapter({});
  const pinned = process.env.VK_DRIVER_FILES || process.env.VK_ICD_FILENAMES;
  if (defaultAdapter && (pinned || !defaultAdapter.software)) return { [CHOSEN]: defaultAdapter.name };
  const software = pinned ? {} : lavapipeEnvironment();
  const lavapipe = 'VK_DRIVER_FILES' in software ? probeAdapter(software) : undefined;
  if (lavapipe) return { ...software, [CHOSEN]: lavapipe.name };
  return defaultAdapter && { [CHOSEN]: defaultAdapter.name };
}

/**
 * Returns the variables under which Node has a WebGPU adapter. Installs nothing.
 * @returns {Environment}
 * @throws if there is no adapter: a test or a run without an adapter must fail, never skip
 */
export function gpuEnvironment() {
  const environment = findAdapter();
  if (environment) return environment;
  throw new Error(
    'No WebGPU adapter: neither a GPU with a Vulkan, Metal or D3D12 driver nor Mesa lavapipe. Run `npm run setup`: it installs or names what is missing.',
  );
}
