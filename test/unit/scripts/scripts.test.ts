import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dependenciesInstalled } from '../../../scripts/dependencies.mjs';
import { requiresAdapter } from '../../../scripts/gpu.mjs';
import { findInstallObstacle, installCommands, parseOsRelease, typed } from '../../../scripts/packages.mjs';
import { countResults, failures, junitCounts } from '../../../scripts/results.mjs';
import { root } from '../../files.ts';

describe('installCommands', () => {
  const both = { gpu: true, chromium: true };
  const bookworm = { id: 'debian', version: '12', codename: 'bookworm', hasBackports: false };

  const lines = (distribution: typeof bookworm, missing: typeof both) =>
    (installCommands(distribution, missing) ?? []).map(({ line }) => line);

  test('commands for Debian 12 install Mesa from backports, and Chromium from the main suite', () => {
    const [source, update, mesa, chromium] = lines(bookworm, both);
    expect(source).toMatch(/bookworm-backports main" > \/etc\/apt\/sources\.list\.d\/turnwise-backports\.list$/);
    expect(update).toContain('apt-get update');
    expect(mesa).toMatch(/ -t bookworm-backports mesa-vulkan-drivers libvulkan1$/);
    expect(chromium).toMatch(/ chromium$/);
    expect(chromium).not.toContain('backports');
  });

  test('commands for Debian 12 do not add the source of backports if it exists', () => {
    const [update, mesa] = lines({ ...bookworm, hasBackports: true }, both);
    expect(update).toContain('apt-get update');
    expect(mesa).toContain('-t bookworm-backports');
  });

  test.each([
    ['debian', '13', 'trixie'],
    ['ubuntu', '24.04', 'noble'],
  ])('commands for %s %s install Mesa without backports', (id, version, codename) => {
    const commands = lines({ id, version, codename, hasBackports: false }, { gpu: true, chromium: false });
    expect(commands).toHaveLength(2);
    expect(commands.join()).not.toContain('backports');
  });

  test('commands for Ubuntu install the Chromium of Playwright as the user, not the snap of Ubuntu', () => {
    const ubuntu = { id: 'ubuntu', version: '24.04', codename: 'noble', hasBackports: false };
    const commands = installCommands(ubuntu, { gpu: false, chromium: true });
    const line = 'npx playwright-core install --with-deps --no-shell chromium';
    expect(commands).toEqual([{ line, root: false }]);
  });

  test('typed joins commands of root and of the user in one line', () => {
    const ubuntu = { id: 'ubuntu', version: '24.04', codename: 'noble', hasBackports: false };
    expect(typed(installCommands(ubuntu, both) ?? [])).toMatch(
      /^sudo sh -c '[^']*apt-get update[^']* && [^']* mesa-vulkan-drivers libvulkan1' && npx playwright-core install [^']*$/,
    );
  });

  test('installCommands returns undefined for an unknown distribution', () => {
    expect(installCommands({ id: 'fedora', version: '42', codename: '', hasBackports: false }, both)).toBeUndefined();
  });

  test('parseOsRelease reads values with and without quotes', () => {
    const text = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n# note\nVERSION_ID="12"\n\n';
    expect(parseOsRelease(text)).toMatchObject({ ID: 'debian', VERSION_ID: '12' });
  });
});

describe('requiresAdapter', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const programs = Object.entries(scripts).flatMap(([name, line]) => {
    const [, program] = /^node scripts\/run\.mjs (\S+)$/.exec(line) ?? [];
    return program === undefined ? [] : [[name, program] as const];
  });

  test('only benchmarks of WGSL require an adapter, and no command of the terminal does', () => {
    expect(programs.filter(([, program]) => requiresAdapter(program, [])).map(([name]) => name)).toEqual([
      'bench',
      'bench:engines',
      'bench:credit',
    ]);
    const lines = ['train', 'train --engine wgsl', 'lab run t1', 'credit --device gpu groups.jsonl', 'warm-start'];
    expect(lines.filter((line) => requiresAdapter('src/cli/main.ts', line.split(' ')))).toEqual([]);
  });

  test('the fuzzer of devices requires an adapter, and --help does not', () => {
    expect(requiresAdapter('test/fuzz/main.ts', ['--cases', '5', 'devices'])).toBe(true);
    expect(requiresAdapter('test/fuzz/main.ts', ['groups'])).toBe(false);
    expect(requiresAdapter('bench/index.ts', ['--help'])).toBe(false);
  });
});

describe('findInstallObstacle', () => {
  test('findInstallObstacle returns undefined if missing parts can be installed', () => {
    expect(findInstallObstacle({ gpu: true }, {})).toBeUndefined();
    expect(findInstallObstacle({ gpu: true }, { TURNWISE_INSTALL: 'yes', VK_DRIVER_FILES: '' })).toBeUndefined();
  });

  test('findInstallObstacle names the selected driver if it has no adapter', () => {
    const chosen = findInstallObstacle({ gpu: true }, { VK_DRIVER_FILES: '/nowhere.json' });
    expect(chosen).toMatch(/^VK_DRIVER_FILES is \/nowhere\.json, and no WebGPU adapter answers/);
    expect(findInstallObstacle({ gpu: false }, { VK_DRIVER_FILES: '/nowhere.json' })).toBeUndefined();
  });

  test('findInstallObstacle returns an obstacle if TURNWISE_INSTALL is no', () => {
    expect(findInstallObstacle({ gpu: false }, { TURNWISE_INSTALL: 'no' })).toContain('nothing is installed');
  });
});

describe('countResults', () => {
  const report = { numPassedTests: 7, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };

  test('countResults returns no failure for a clean run', () => {
    expect(countResults(report, 0)).toEqual({ passed: 7, failed: 0 });
  });

  test('countResults counts skipped and postponed tests as failed', () => {
    expect(countResults({ ...report, numPendingTests: 2, numTodoTests: 1 }, 0)).toEqual({ passed: 7, failed: 3 });
  });

  test('countResults counts a file that does not load as one failure', () => {
    const testResults = [{ status: 'failed', assertionResults: [] }];
    expect(countResults({ ...report, testResults }, 1)).toEqual({ passed: 7, failed: 1 });
  });

  test('countResults counts a failed run without a failed test, or without a report, as one failure', () => {
    expect(countResults(report, 1)).toEqual({ passed: 7, failed: 1 });
    expect(countResults(report, null)).toEqual({ passed: 7, failed: 1 });
    expect(countResults(undefined, 0)).toEqual({ passed: 0, failed: 1 });
  });
});

describe('failures', () => {
  const report = { numPassedTests: 1, numFailedTests: 1, numPendingTests: 0, numTodoTests: 0 };

  test('failures returns each test that did not pass with its file and the first line of its message', () => {
    const assertionResults = [
      { status: 'passed', fullName: 'a right one' },
      { status: 'failed', fullName: 'curves grow', failureMessages: ['\u001b[31mError: expected 3\u001b[39m\n at x'] },
      { status: 'skipped', fullName: 'one that looks away' },
    ];
    const testResults = [{ name: '/home/one/turnwise/test/browser/a.test.ts', status: 'failed', assertionResults }];
    expect(failures({ ...report, testResults })).toEqual([
      { name: 'test/browser/a.test.ts: curves grow', line: 'Error: expected 3' },
      { name: 'test/browser/a.test.ts: one that looks away', line: 'skipped' },
    ]);
  });

  test('failures returns the message of a file that fails outside its tests', () => {
    const fileResult = {
      name: 'C:\\turnwise\\test\\unit\\b.test.ts',
      status: 'failed',
      message: 'no such module\nat y',
    };
    expect(failures({ ...report, testResults: [{ ...fileResult, assertionResults: [] }] })).toEqual([
      { name: 'test/unit/b.test.ts', line: 'no such module' },
    ]);
    const passed = [{ status: 'passed', fullName: 'a right one' }];
    expect(failures({ ...report, testResults: [{ ...fileResult, assertionResults: passed }] })).toHaveLength(1);
  });

  test('failures returns an empty list for a run without a report', () => expect(failures(undefined)).toEqual([]));
});

describe('dependenciesInstalled', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'turnwise-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Writes the locked and the installed versions as npm does. Returns true if the dependencies are installed. */
  function installed(locked: object, present: object | undefined): boolean {
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...locked } }));
    if (present) {
      mkdirSync(join(folder, 'node_modules'));
      writeFileSync(join(folder, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: present }));
    }
    return dependenciesInstalled(folder);
  }

  const lit = { 'node_modules/lit': { version: '3.3.3' } };

  test('dependenciesInstalled returns false in a fresh clone', () => expect(installed(lit, undefined)).toBe(false));
  test('dependenciesInstalled returns true for the locked versions', () => expect(installed(lit, lit)).toBe(true));
  test('dependenciesInstalled returns false for another version', () => {
    expect(installed(lit, { 'node_modules/lit': { version: '3.3.2' } })).toBe(false);
  });
  test('dependenciesInstalled returns false if a locked package is missing', () => {
    expect(installed({ ...lit, 'node_modules/idb': { version: '8.0.4' } }, lit)).toBe(false);
  });
  test('dependenciesInstalled ignores a missing optional package, which may be of another platform', () => {
    expect(installed({ ...lit, 'node_modules/fsevents': { version: '2.3.3', optional: true } }, lit)).toBe(true);
  });
});

describe('junitCounts', () => {
  const report = (counts: string) =>
    `<?xml version="1.0"?><testsuites name="pytest"><testsuite name="pytest" ${counts} time="1.5">`;

  test('junitCounts counts failures, errors and skipped tests as failed', () => {
    const counts = junitCounts(report('errors="1" failures="2" skipped="1" tests="10"'), 1);
    expect(counts).toEqual({ passed: 6, failed: 4 });
    expect(junitCounts(report('errors="0" failures="0" skipped="0" tests="10"'), 0)).toEqual({ passed: 10, failed: 0 });
  });

  test('junitCounts reports a failure for a skipped test, a nonzero status or a missing report', () => {
    expect(junitCounts(report('errors="0" failures="0" skipped="1" tests="2"'), 0).failed).toBe(1);
    expect(junitCounts(report('errors="0" failures="0" skipped="0" tests="2"'), 3).failed).toBe(1);
    expect(junitCounts(undefined, 2)).toEqual({ passed: 0, failed: 1 });
  });
});
