import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ENVIRONMENTS } from '../../../src/environments/registry.ts';
import { detect } from '../../../src/experiments/detectors.ts';
import { columnsOf, rowsOf } from '../../../src/storage/metricColumns.ts';
import { pack, unpack } from '../../../src/storage/packJson.ts';
import { type Recording, readRecording, writeRecording } from '../../../src/storage/recordingFile.ts';
import { defaultConfiguration } from '../../../src/training/data/configurationTables.ts';
import { PRESETS, presetRun } from '../../../src/training/data/presets.ts';
import type { GroupView } from '../../../src/training/data/protocol.ts';
import { root } from '../../files.ts';
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
  const recording: Recording = {
    configuration: defaultConfiguration(),
    device: { name: 'D', software: true },
    metrics: [metricsOf(0), metricsOf(1, { entropy: 0.123456 })],
    events: [{ step: 1, kind: 'schedule', changes: { rule: 'grpo-or' }, text: 'rule' }],
    groups: [group],
  };

  test('is read again, with as many digits as somebody can see', () => {
    const read = readRecording(writeRecording(recording));
    expect(read.metrics[1]?.entropy).toBe(0.1235);
    expect({ ...read, metrics: [], groups: [] }).toEqual({ ...recording, metrics: [], groups: [] });
    expect(inPlaces(read.groups[0] as GroupView)).toEqual(inPlaces(group));
  });

  test('of an earlier version stays without the metrics that came later', () => {
    const file = JSON.parse(writeRecording(recording));
    const { executeMs: _, ...columns } = file.columns;
    const [row] = readRecording(JSON.stringify({ ...file, columns })).metrics;
    expect(row).not.toHaveProperty('executeMs');
    expect(row).toMatchObject({ step: 0, facts: {}, heldOut: null });
  });

  test('keeps the advantages of tokens, where a rule gives them', () => {
    const [first, ...others] = group.rollouts;
    const tokens = first?.tokens.map((token) => (token.turn < 0 ? token : { ...token, advantage: -0.5 })) ?? [];
    const valued = { ...group, rollouts: [{ ...first, tokens }, ...others] } as GroupView;
    const [read] = readRecording(writeRecording({ ...recording, groups: [valued] })).groups;
    expect(inPlaces(read as GroupView)).toEqual(inPlaces(valued));
  });

  test('that is none, or of another version, or damaged, is refused with the reason', () => {
    const file = JSON.parse(writeRecording(recording));
    const changed = (fields: object) => () => readRecording(JSON.stringify({ ...file, ...fields }));
    expect(() => readRecording('[1, 2')).toThrow(/^it is not JSON/);
    expect(() => readRecording('[1, 2]')).toThrow('it is not a recording');
    expect(changed({ formatVersion: 9 })).toThrow('it is of version 9, and this page reads version 1');
    expect(changed({ updates: 7 })).toThrow('it is damaged: step: 2 values for 7 updates');
    expect(changed({ words: [] })).toThrow('it is damaged: there is no word 0');
    const entropy = { values: [1, 'high'] };
    expect(changed({ columns: { ...file.columns, entropy } })).toThrow(
      'it is damaged: metrics[1].entropy is "high", not a number',
    );
    expect(changed({ configuration: { ...file.configuration, controls: { rule: 'none' } } })).toThrow('it is damaged');
  });
});

describe('the recordings that ship', () => {
  test.each(PRESETS)('$name is the preset as it is now, whole, and small', (preset) => {
    const file = join(root, `public/recordings/${preset.name}.recording`);
    expect(statSync(file).size).toBeLessThan(150_000);
    const { configuration, metrics, groups, events } = readRecording(gunzipSync(readFileSync(file)).toString());
    expect(configuration).toEqual(presetRun(preset));
    expect(metrics.map(({ step }) => step)).toEqual(metrics.map((_, index) => index));
    expect(metrics.length).toBeGreaterThanOrEqual(50);
    const changes = preset.schedule.map(({ step, changes: what }) => ({ step, changes: what }));
    expect(events.map(({ step, changes: what }) => ({ step, changes: what }))).toEqual(changes);
    expect(groups[0]?.step).toBe(0);
    expect(groups.at(-1)?.step).toBe(metrics.length - 1);
  });

  test('show what their presets say: the tool dies, is kept, and is brought back', () => {
    const metricsOf = (name: string) => {
      const file = join(root, `public/recordings/${name}.recording`);
      return readRecording(gunzipSync(readFileSync(file)).toString()).metrics;
    };
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
