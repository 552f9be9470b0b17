// The WebGPU adapter that Dawn offers to Node, and the environment variables that select it.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './dependencies.mjs';

/** @typedef {Record<string, string>} Environment */
/** @typedef {{ name: string, software: boolean }} Adapter */

/** Programs that run WGSL on any adapter, including a software adapter. Other programs can run without an adapter. */
const WGSL = ['bench/index.ts', 'bench/engines.ts', 'bench/credit.ts'];

/**
 * Returns true if a program of this repository requires a WebGPU adapter. An adapter is installed for such a program.
 * @param {string} program
 * @param {readonly string[]} args
 */
export function requiresAdapter(program, args) {
  if (args.includes('--help') || args.includes('-h')) return false;
  return WGSL.includes(program) || (program === 'test/fuzz/main.ts' && args.includes('devices'));
}

/** Variable with the name of the selected adapter. It is set in child processes, so that they do not probe again. */
const CHOSEN = 'TURNWISE_ADAPTER';

// The probe runs in a child process: a driver can crash, hang or print at startup, and Dawn keeps its process running.
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
 * Returns the adapter that Dawn offers in a child process.
 * @param {Environment} environment variables in addition to the variables of this process
 * @returns {Adapter | undefined} undefined if there is no adapter
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

/** Returns the manifest of Mesa's software driver. Some distributions add the architecture to the file name. */
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
    // Vulkan loaders before 1.3.207 read the first name, later loaders the second.
    VK_ICD_FILENAMES: manifest,
    VK_DRIVER_FILES: manifest,
    XDG_RUNTIME_DIR: process.env.XDG_RUNTIME_DIR || tmpdir(),
  };
}

/**
 * Selects an adapter: a hardware GPU, else Mesa's lavapipe, else any other adapter. A driver that the user selected
 * with VK_DRIVER_FILES or VK_ICD_FILENAMES remains selected.
 * @returns {Environment | undefined} variables for child processes; undefined if there is no adapter
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
