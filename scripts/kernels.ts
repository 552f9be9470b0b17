// `npm run kernels`: writes src/gpu/kernelTypes.ts from the declarations of the shaders.
import { readdirSync, writeFileSync } from 'node:fs';
import { nodeShaderLibrary } from '../src/cli/framework/node.ts';
import { kernelTypes } from './kernelTypes.ts';

const shaders = readdirSync(new URL('../shaders/', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.wgsl'))
  .map((path) => path.replaceAll('\\', '/').replace(/\.wgsl$/, ''));
writeFileSync(new URL('../src/gpu/kernelTypes.ts', import.meta.url), kernelTypes(nodeShaderLibrary(), shaders));
