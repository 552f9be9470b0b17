import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ENVIRONMENTS } from '../../../src/environments/registry.ts';
import { detect } from '../../../src/experiments/detectors.ts';
import { columnsOf, rowsOf } from '../../../src/storage/metricColumns.ts';
import { pack, unpack } from '../../../src/storage/packJson.ts';
import { type RecordedRun, type Recording, readRecording, writeRecording } from '../../../src/storage/recordingFile.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import type { GroupView } from '../../../src/training/data/protocol.ts';
import { RECORDED, runsOf } from '../../../src/training/data/recorded.ts';
import { root } from '../../files.ts';
import { timeless } from '../../timeless.ts';
import { groupOf, metricsOf } from '../app/appFixtures.ts';

/** What goes through JSON on its way. */
const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe('packed JSON', () => {
  const words = fc.constantFrom('', '~', '~1', 'same text', 'another text', 'f([-3, 2]) gives []');
  const scalar = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), words, fc.string());
  const any = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      scalar,
      fc.array(tie('value')),
      fc.dictionary(fc.constantFrom('a', 'b', '0'), tie('value')),
    ),
  })).value;

  test('is read again as it was, whatever it is', () => {
    fc.assert(
      fc.property(any, (value) => {
        // JSON has no -0.
        const plain = throughJson(value);
        expect(unpack(throughJson(pack(value)))).toEqual(plain);
      }),
    );
  });

  test('keeps NaN, which JSON lacks, and leaves out what is undefined', () => {
    expect(unpack(throughJson(pack([{ a: Number.NaN, b: undefined }])))).toEqual([{ a: Number.NaN }]);
  });

  test('has names of fields and equal texts once', () => {
    const packed = pack(['one', 'two', 'three'].map((own) => ({ name: own, feedback: 'f([-3, 2]) gives []' })));
    expect(packed).toEqual({
      texts: ['f([-3, 2]) gives []'],
      shapes: [['name', 'feedback']],
      value: [-1, [0, 'one', '~0'], [0, 'two', '~0'], [0, 'three', '~0']],
    });
  });

  test('that names what is not there is refused', () => {
    expect(() => unpack({ texts: [], shapes: [], value: '~0' })).toThrow('there is no text ~0');
    expect(() => unpack({ texts: [], shapes: [['a']], value: [0, 1, 2] })).toThrow('there is no shape 0 of 2 fields');
  });
});

test('metrics are columns: those that stay as they are, in short, and those of tables by their names', () => {
  const metrics = [0, 1, 2, 3].map((step) =>
    metricsOf(step, {
      rule: step < 2 ? 'grpo-or' : 'mt-grpo',
      facts: { solved: step % 2, tested: null },
      heldOut: step === 2 ? { answer: 0.25 } : null,
    }),
  );
  const columns = throughJson(columnsOf(metrics));
  expect(columns.step).toEqual({ values: [0, 1, 2, 3] });
  expect(columns.entropy).toEqual({ runs: [4, 1] });
  expect(columns['facts.solved']).toEqual({ values: [0, 1, 0, 1] });
  expect(columns['heldOut.answer']).toEqual({ values: [null, null, 0.25, null] });
  expect(rowsOf(columns, 4)).toEqual(metrics);
  expect(() => rowsOf(columns, 5)).toThrow('step: 4 values for 5 updates');
});

describe('a recording', () => {
  const group = groupOf({ step: 0 });
  const run: RecordedRun = {
    configuration: defaultConfiguration(),
    device: { engine: 'wgsl', name: 'D', software: true },
    metrics: [metricsOf(0), metricsOf(1, { entropy: 0.123456 })],
    events: [{ step: 1, kind: 'schedule', changes: { rule: 'grpo-or' }, text: 'rule' }],
    groups: [group],
  };
  const recording: Recording = [run];

  test('is read again, with as many digits as somebody can see', () => {
    const [read, ...others] = readRecording(writeRecording(recording));
    expect(others).toEqual([]);
    expect(read.metrics[1]?.entropy).toBe(0.1235);
    expect({ ...read, metrics: [], groups: [] }).toEqual({ ...run, metrics: [], groups: [] });
    expect(inPlaces(read.groups[0] as GroupView)).toEqual(inPlaces(group));
  });

  test('of an earlier version stays without the metrics that came later', () => {
    const file = JSON.parse(writeRecording(recording));
    const { executeMs: _, ...columns } = file.columns;
    const [row] = readRecording(JSON.stringify({ ...file, columns }))[0].metrics;
    expect(row).not.toHaveProperty('executeMs');
    expect(row).toMatchObject({ step: 0, facts: {}, heldOut: null });
  });

  test('keeps the advantages of tokens, where a rule gives them', () => {
    const [first, ...others] = group.rollouts;
    const tokens = first?.tokens.map((token) => (token.turn < 0 ? token : { ...token, advantage: -0.5 })) ?? [];
    const valued = { ...group, rollouts: [{ ...first, tokens }, ...others] } as GroupView;
    const [read] = readRecording(writeRecording([{ ...run, groups: [valued] }]))[0].groups;
    expect(inPlaces(read as GroupView)).toEqual(inPlaces(valued));
  });

  test('that is none, or of another version, or damaged, is refused with the reason', () => {
    const file = JSON.parse(writeRecording(recording));
    const changed = (fields: object) => () => readRecording(JSON.stringify({ ...file, ...fields }));
    expect(() => readRecording('[1, 2')).toThrow(/^it is not JSON/);
    expect(() => readRecording('[1, 2]')).toThrow('it is not a recording');
    expect(changed({ formatVersion: 9 })).toThrow('it is of version 9, and this page reads versions 1 and 2');
    expect(changed({ updates: 7 })).toThrow('it is damaged: step: 2 values for 7 updates');
    expect(changed({ words: [] })).toThrow('it is damaged: there is no word 0');
    const entropy = { values: [1, 'high'] };
    expect(changed({ columns: { ...file.columns, entropy } })).toThrow(
      'it is damaged: metrics[1].entropy is "high", not a number',
    );
    expect(changed({ configuration: { ...file.configuration, controls: { rule: 'none' } } })).toThrow('it is damaged');
  });
});

describe('a recording of several runs', () => {
  const run = (rule: string, fields: Partial<RecordedRun> = {}): RecordedRun => ({
    configuration: { ...defaultConfiguration(), controls: { ...defaultConfiguration().controls, rule } },
    device: { engine: 'wgsl', name: `the device of ${rule}`, software: true },
    metrics: [metricsOf(0, { rule }), metricsOf(1, { rule })],
    events: [{ step: 1, kind: 'schedule', changes: { klCoef: 0.5 }, text: rule }],
    groups: [groupOf({ step: 0, rule })],
    ...fields,
  });
  const together: Recording = [run('mt-grpo'), run('grpo-or', { events: [] }), run('rtmc', { groups: [] })];

  test('is read again, each run as it is read alone', () => {
    const text = writeRecording(together);
    expect(JSON.parse(text)).toMatchObject({ format: 'turnwise-recording', formatVersion: 2 });
    expect(readRecording(text)).toEqual(together.map((one) => readRecording(writeRecording([one]))[0]));
  });

  test('of one run alone is a file as earlier versions wrote it and read it', () => {
    const file = JSON.parse(writeRecording([run('mt-grpo')]));
    const fields = ['configuration', 'device', 'updates', 'events', 'columns', 'words', 'groups'];
    expect([file.formatVersion, Object.keys(file)]).toEqual([1, ['format', 'formatVersion', ...fields]]);
  });

  test('that is damaged is refused with the run and the place in it', () => {
    const file = JSON.parse(writeRecording(together));
    const changed = (index: number, fields: object) => () => {
      const runs = file.runs.map((one: object, at: number) => (at === index ? { ...one, ...fields } : one));
      return readRecording(JSON.stringify({ ...file, runs }));
    };
    expect(changed(1, { updates: 7 })).toThrow('it is damaged: runs[1]: step: 2 values for 7 updates');
    expect(changed(2, { updates: 'many' })).toThrow('runs[2]: updates is not a whole number from 0');
    expect(changed(0, { words: [] })).toThrow('runs[0]: there is no word 0');
    expect(changed(0, { events: [{ step: 1, kind: 'wish' }] })).toThrow('runs[0]: events[0].kind is "wish"');
    expect(changed(1, { device: { name: 'D' } })).toThrow('runs[1]: device.software is neither true nor false');
    expect(changed(2, { configuration: 'none' })).toThrow('runs[2]: configuration is not an object');
    expect(changed(2, { groups: undefined })).toThrow('runs[2]: groups is not an object');
    expect(() => readRecording(JSON.stringify({ ...file, runs: 'both' }))).toThrow('it is damaged: runs is not a list');
    expect(() => readRecording(JSON.stringify({ ...file, runs: [null] }))).toThrow('runs[0]: it is not an object');
    expect(() => readRecording(JSON.stringify({ ...file, runs: [] }))).toThrow('runs: 0, not 1 to 4');
  });

  test('has up to four, of one world and of one length: what one chart and one slider show', () => {
    const [first] = together;
    expect(() => writeRecording([first, first, first, first, first])).toThrow('runs: 5, not 1 to 4');
    const short = run('grpo-or', { metrics: [metricsOf(0)] });
    expect(() => writeRecording([first, short])).toThrow('runs[1] has 1 updates, and runs[0] has 2');
    const elsewhere = run('grpo-or', { configuration: defaultConfiguration('repair') });
    expect(() => writeRecording([first, elsewhere])).toThrow('runs[1].configuration is of another world');
  });
});

describe('the recordings that ship', () => {
  test.each(RECORDED)('$name has the runs as they are now, whole, and is small', (recorded) => {
    expect(statSync(fileOf(recorded.name)).size).toBeLessThan(85_000);
    const recording = shipped(recorded.name);
    expect(recording.map(({ configuration }) => configuration)).toEqual(runsOf(recorded));
    for (const [index, { metrics, groups, events }] of recording.entries()) {
      expect(metrics.map(({ step }) => step)).toEqual(metrics.map((_, step) => step));
      expect(metrics.length).toBeGreaterThanOrEqual(50);
      const changes = recorded.presets[index]?.schedule.map(({ step, changes: what }) => ({ step, changes: what }));
      expect(events.map(({ step, changes: what }) => ({ step, changes: what }))).toEqual(changes);
      expect(groups[0]?.step).toBe(0);
      expect(groups.at(-1)?.step).toBe(metrics.length - 1);
    }
  });

  test('of two rules shows both ends: the same policy and questions, the tool kept by one and lost by the other', () => {
    const [kept, lost] = shipped('mt-grpo-grpo-or');
    if (!lost) throw new Error('the second run is missing');
    const { rule, ...shared } = kept.configuration.controls;
    expect(lost.configuration).toEqual({ ...kept.configuration, controls: { ...shared, rule: 'grpo-or' } });
    // The first batch is sampled before anything was learned.
    expect(lost.metrics[0]).toMatchObject({ toolUse: kept.metrics[0]?.toolUse, entropy: kept.metrics[0]?.entropy });
    expect([rule, kept.metrics.at(-1)?.toolUse]).toEqual(['mt-grpo', expect.closeTo(1, 1)]);
    expect(lost.metrics.at(-1)?.toolUse).toBeLessThan(0.05);
    // Each is bit for bit the run that its preset makes alone.
    for (const [run, name] of [
      [kept, 'mt-grpo'],
      [lost, 'grpo-or'],
    ] as const) {
      const [alone] = shipped(name);
      expect({ ...run, metrics: run.metrics.map(timeless) }).toEqual({
        ...alone,
        metrics: alone.metrics.map(timeless),
      });
    }
  });

  test('show what their presets say: the tool dies, is kept, and is brought back', () => {
    const metricsOf = (name: string) => shipped(name)[0].metrics;
    const toolUse = (name: string) => metricsOf(name).map((row) => row.toolUse ?? Number.NaN);
    for (const name of ['grpo-or', 'grpo-mr', 'open-or', 'switch-early'])
      expect(toolUse(name).at(-1)).toBeLessThan(0.1);
    for (const name of ['mt-grpo', 'open-mt', 'open-mr']) expect(toolUse(name).at(-1)).toBeGreaterThan(0.9);
    const toggle = metricsOf('toggle');
    expect([39, 89, 129].map((step) => Math.round(toggle[step]?.toolUse ?? Number.NaN))).toEqual([1, 0, 1]);
    const fresh = toggle.flatMap(({ step, heldOut }) =>
      heldOut ? [[step, heldOut.answer ?? Number.NaN] as const] : [],
    );
    const at = (wanted: number) => fresh.find(([step]) => step === wanted)?.[1];
    expect(at(40)).toBeGreaterThan(0.4);
    expect(at(90)).toBeLessThan(0.15);
    expect(at(125)).toBeGreaterThan(0.4);
    expect(detect(ENVIRONMENTS.search.watched, toggle).map(({ name }) => name)).toEqual([
      ...['shortcut', 'collapse', 'ties', 'recovery'],
    ]);
  });
});

const fileOf = (name: string) => join(root, `public/recordings/${name}.recording`);
const shipped = (name: string) => readRecording(gunzipSync(readFileSync(fileOf(name))).toString());

/** A group with log-probabilities and entropies as they are shown. */
function inPlaces(group: GroupView): GroupView {
  const shown = (value: number | null) => (value === null ? null : Number(value.toFixed(2)));
  const rollouts = group.rollouts.map((rollout) => ({
    ...rollout,
    // The environment's tokens have none.
    tokens: rollout.tokens.map((token) => ({
      ...token,
      logProb: token.turn < 0 ? null : shown(token.logProb),
      entropy: token.turn < 0 ? null : shown(token.entropy),
    })),
  }));
  return { ...group, rollouts };
}
