import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesUnder, root, sourceFiles } from '../../files.ts';
import { importsOf } from './imports.ts';
import { circles, lineCount, mutualFolders, namelessBindings, ROWS, violation } from './layers.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const sources = sourceFiles();
const shaders = filesUnder('shaders', '.wgsl');

/** Name of a file of the repository in a text. */
const NAMED_FILE =
  /(?<![\w/.-])((?:src|packages|test|shaders|kernels|scripts|workers|bench|lessons|templates|python)\/[\w./-]+\.(?:ts|mjs|wgsl|py|md|json|yaml))(?!\w)/g;
/** Files of the tutorials, and of other projects. */
const EXTERNAL_FILES = /discounted|NAME|FILE|environments\/echo|prime_rl/i;

/** Returns the violations of a file with the given path and source. */
function findViolations(path: string, source: string): string[] {
  return importsOf(path, source).flatMap((edge) => violation(edge) ?? []);
}

describe('repository', () => {
  const imports = sources.flatMap((path) => importsOf(path, read(path)));

  test('the repository has sources and shaders to check', () => {
    expect(sources.length).toBeGreaterThan(5);
    expect(shaders.length).toBeGreaterThan(0);
  });

  test('sources import only from the rows that the architecture allows', () => {
    expect(imports.flatMap((edge) => violation(edge) ?? [])).toEqual([]);
  });

  test('sources have no import cycle', () => {
    expect(circles(imports)).toEqual([]);
  });

  test('no two folders of src/app import each other', () => {
    expect(mutualFolders(imports)).toEqual([]);
  });

  test('the environment registry imports no package, directly or through other files', () => {
    const packages: string[] = [];
    const visited = new Set<string>();
    const visit = (path: string) => {
      if (visited.has(path)) return;
      visited.add(path);
      for (const { to, isPackage, typeOnly } of importsOf(path, read(path))) {
        if (isPackage && !typeOnly) packages.push(`${path}: ${to}`);
        else if (!typeOnly && to.endsWith('.ts')) visit(to);
      }
    };
    visit('src/environments/registry.ts');
    expect(packages).toEqual([]);
    expect([...visited]).toContain('src/environments/repo/repoSettings.ts');
  });

  test('sources have at most 350 lines, and shaders at most 150', () => {
    const tooLong = [
      ...sources.map((path) => ({ path, maximum: 350 })),
      ...shaders.map((path) => ({ path, maximum: 150 })),
    ]
      .map(({ path, maximum }) => ({ path, maximum, lines: lineCount(read(path)) }))
      .filter(({ lines, maximum }) => lines > maximum);
    expect(tooLong).toEqual([]);
  });

  test('documents and comments name files that exist', () => {
    const texts = [
      ...['README.md', 'CONTRIBUTING.md', ...filesUnder('docs', '.md'), ...filesUnder('python/turnwise_rl', '.py')],
      ...['src', 'packages', 'workers', 'shaders', 'kernels', 'scripts', 'bench'].flatMap((folder) =>
        filesUnder(folder, '.ts', '.mjs', '.wgsl'),
      ),
    ].filter((file) => !/^docs\/(?:develop\/decisions|reference\/lab)\//.test(file));
    const missing = texts.flatMap((file) =>
      [...read(file).matchAll(NAMED_FILE)].flatMap(([, name = '']) =>
        existsSync(join(root, name)) || EXTERNAL_FILES.test(name) ? [] : `${file}: ${name}`,
      ),
    );
    expect(texts.length).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });

  test('every binding of a shader has a descriptive name', () => {
    const nameless = shaders.flatMap((path) => namelessBindings(read(path)).map((name) => `${path}: ${name}`));
    expect(nameless).toEqual([]);
  });
});

describe('the table of rows', () => {
  test('each row of the architecture imports only from rows above it', () => {
    const order = Object.keys(ROWS);
    for (const [row, allowed] of Object.entries(ROWS)) {
      for (const target of allowed)
        expect(order.indexOf(target), `${row} -> ${target}`).toBeLessThan(order.indexOf(row));
    }
  });
});

describe('architecture check', () => {
  test.each([
    ['a static import', "import { a } from '../training/loop.ts';"],
    ['an import for side effects', "import '../training/loop.ts';"],
    ['a type import', "import type { A } from '../training/protocol.ts';"],
    ['a dynamic import', "const loop = () => import('../training/loop.ts');"],
    ['a dynamic import with a template', 'const loop = () => import(`../training/loop.ts`);'],
    ['a dynamic import with a variable folder', `const loop = (name) => import(\`../training/\${name}/loop.ts\`);`],
    ['a re-export', "export * from '../training/loop.ts';"],
    ['a type re-export', "export type { A } from '../training/loop.ts';"],
    ['an inline type import', "type Loop = import('../training/loop.ts').Loop;"],
    ['a glob import', "const all = import.meta.glob('../training/*.ts');"],
    ['a glob import with several patterns', "const all = import.meta.glob(['./a.ts', '../training/*.ts']);"],
  ])('violation reports an import of a forbidden module: %s', (_, source) => {
    expect(findViolations('src/policy/forward.ts', source)).toEqual([
      expect.stringContaining('policy may import from'),
    ]);
  });

  test('importsOf ignores imports in comments and strings', () => {
    expect(
      findViolations('src/policy/forward.ts', "// import '../app/page.ts'\nconst text = \"import '../app/page.ts'\";"),
    ).toEqual([]);
  });

  test('importsOf throws for an import with a computed address', () => {
    expect(() => importsOf('src/gpu/a.ts', 'import("../" + name)')).toThrow('cannot be checked');
  });

  test.each([
    ['src/credit/mtGrpo.ts', "import '../policy/forward.ts';"],
    ['src/gpu/device.ts', "import '../rollouts/forest.ts';"],
    ['src/environments/search/world.ts', "import '../../credit/rule.ts';"],
    ['src/parameters/parameters.ts', "import '../random/counter.ts';"],
    ['src/training/loop.ts', "import '../app/page.ts';"],
    ['src/cli/main.ts', "import '../app/strings.ts';"],
    ['src/storage/runs.ts', "import { Loop } from '../training/loop.ts';"],
    ['src/app/page.ts', "import { Loop } from '../training/loop.ts';"],
    ['src/app/page.ts', "import { openDevice } from '../gpu/device.ts';"],
    ['src/app/page.ts', "import '../../workers/training.ts';"],
    ['src/gpu/device.ts', "import '../../test/gpu/device.ts';"],
    ['src/policy/forward.ts', "import { Sandbox } from '@turnwise/python-sandbox/sandbox';"],
    ['src/cli/main.ts', "import '../../packages/python-sandbox/src/sandbox.ts';"],
    ['packages/python-sandbox/src/sandbox.ts', "import '../../../src/random/counter.ts';"],
    ['src/cli/main.ts', "import '../../bench/index.ts';"],
    ['src/cli/main.ts', "import '../../scripts/gpu.mjs';"],
    ['src/app/page.ts', "import '/src/gpu/device.ts';"],
    ['src/training/data/controls.ts', "import '../loop.ts';"],
    ['src/training/run/trainer.ts', "import { Recorder } from '../../gpu/recorder.ts';"],
    ['src/training/run/trainer.ts', "import type { Gpu } from '../../gpu/device.ts';"],
    ['src/training/run/trainer.ts', "import type { PolicyState } from '../../policy/policy.ts';"],
    ['src/training/run/warmStart.ts', "import type { Objective } from '../../objective/objective.ts';"],
    ['src/training/run/trainer.ts', "import { WgslEngine } from '../../engine/wgsl/wgslEngine.ts';"],
    ['src/training/run/trainer.ts', "import { GpuCredit } from '../../credit/gpu/gpuCredit.ts';"],
    ['src/experiments/drive.ts', "import type { Gpu } from '../gpu/device.ts';"],
    ['src/engine/engine.ts', "import type { UpdatePlan } from '../training/update/planUpdate.ts';"],
    ['src/helpers/math.ts', "import '../gpu/device.ts';"],
    ['src/main.ts', "import './gpu/device.ts';"],
    ['workers/training.ts', "import '../src/app/page.ts';"],
    ['workers/training.ts', "import '../test/gpu/device.ts';"],
  ])('violation reports in %s: %s', (path, source) => {
    expect(findViolations(path, source)).toHaveLength(1);
  });

  test.each([
    [
      'src/credit/mtGrpo.ts',
      "import { a } from '../rollouts/forest.ts'; import '../random/counter.ts'; import './rule.ts';",
    ],
    ['src/credit/mtGrpo.ts', "import shader from '../../shaders/credit/normalise.wgsl?raw';"],
    [
      'src/app/page.ts',
      "import { html } from 'lit'; import 'lit/decorators.js'; import { max } from 'd3-array'; import './deep/part.ts';",
    ],
    [
      'src/app/page.ts',
      "import type { Loop } from '../training/loop.ts'; import { x } from '../training/data/controls.ts';",
    ],
    ['src/app/page.ts', "import TrainingWorker from '../../workers/training.ts?worker';"],
    ['src/storage/runs.ts', "import type { SavedRun } from '../training/protocol.ts'; import { openDB } from 'idb';"],
    ['src/cli/main.ts', "import { Loop } from '../training/loop.ts'; import 'node:fs'; import 'webgpu';"],
    ['src/training/run/trainer.ts', "import type { Engine } from '../../engine/engine.ts';"],
    ['src/engine/wgsl/wgslEngine.ts', "import { Policy } from '../../policy/policy.ts'; import '../engine.ts';"],
    ['workers/training.ts', "import '../src/training/worker.ts';"],
  ])('violation accepts in %s: %s', (path, source) => {
    expect(findViolations(path, source)).toEqual([]);
  });

  test('circles returns import cycles, including files that import themselves', () => {
    const edges = (text: string) =>
      text.split(', ').map((edge) => ({ from: edge.split('>')[0] ?? '', to: edge.split('>')[1] ?? '' }));
    expect(circles(edges('a>b, b>c, a>c'))).toEqual([]);
    expect(circles(edges('x>c, c>b, b>a, a>c'))).toEqual(['a -> c -> b -> a']);
    expect(circles(edges('a>a, a>b, b>c, c>b'))).toEqual(['a -> a', 'b -> c -> b']);
  });

  test('mutualFolders returns the pairs of folders of src/app that import each other', () => {
    const edges = ['runs/a.ts session/b.ts', 'session/b.ts runs/c.ts', 'runs/a.ts look/d.ts', 'runs/a.ts runs/c.ts'];
    const paths = edges.map((edge) => edge.split(' ').map((path) => `src/app/${path}`));
    expect(mutualFolders(paths.map(([from = '', to = '']) => ({ from, to })))).toEqual(['runs session']);
  });

  test('namelessBindings returns bindings with one-letter or numbered names', () => {
    const shader = `
      // @group(0) @binding(9) var<storage> g9: array<f32>;
      @group(0) @binding(0) var<storage, read> g0: array<f32>;
      @group(0) @binding(1) var<uniform> u: Sizes;
      @group(0) @binding(2) var<storage, read_write> logits: array<f32>;
      @binding(3) @group(0) var<storage> buffer3: array<f32>;
      @group(0) @binding(4)
      var<storage, read_write> layer2: array<vec4f>;`;
    expect(namelessBindings(shader)).toEqual(['g0', 'u', 'buffer3']);
  });

  test('lineCount does not count a line after the final newline', () => {
    expect([lineCount('a\nb\n'), lineCount('a\nb'), lineCount('a\n\n')]).toEqual([2, 2, 2]);
  });
});
