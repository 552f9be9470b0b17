import { describe, expect, test, vi } from 'vitest';
import { StorageController } from '../../../../src/app/runs/storageController.ts';
import { crc32, readRunFile, writeRunFile } from '../../../../src/storage/runFile.ts';
import { asStorageError, type RunStore, StorageError } from '../../../../src/storage/runStore.ts';
import { checkSavedRun } from '../../../../src/storage/savedRun.ts';
import type { Message, Status } from '../../../../src/training/data/protocol.ts';
import { MemoryRunStore } from '../../storage/memoryRunStore.ts';
import { metricsOf, savedRun } from '../appFixtures.ts';

describe('a file of a run', () => {
  const saved = savedRun({ step: 2, metrics: [metricsOf(0), metricsOf(1)] });
  const text = writeRunFile(saved);
  const changed = (fields: object) => JSON.stringify({ ...JSON.parse(text), ...fields });
  const metrics = (fields: object) => changed({ metrics: [metricsOf(0), { ...metricsOf(1), ...fields }] });
  const event = { step: 1, kind: 'change', changes: { rule: 'grpo-or' }, text: 'rule' };
  const events = (fields: object) => changed({ events: [{ ...event, ...fields }] });
  const configured = (fields: object) => changed({ configuration: { ...saved.configuration, ...fields } });
  const controls = (fields: object) => configured({ controls: { ...saved.configuration.controls, ...fields } });
  const schedule = (fields: object) => configured({ schedule: [{ step: 1, ...fields }] });

  test('gives the run back, bit for bit', () => {
    const file = readRunFile(text);
    expect(file).toEqual(saved);
    expect(new Uint8Array(file.checkpoint)).toEqual(new Uint8Array(saved.checkpoint));
  });

  test.each([
    ['nothing', '', 'not JSON'],
    ['half a file', text.slice(0, text.length / 2), 'cut off'],
    ['another kind of file', '{"type":"FeatureCollection"}', 'not a file of a Turnwise run'],
    ['null', 'null', 'not a file of a Turnwise run'],
    ['a later format', changed({ formatVersion: 2 }), 'format version is 2'],
    ['a later configuration', changed({ configuration: { ...saved.configuration, version: 3 } }), 'version is 3'],
    ['a flipped bit', changed({ checkpoint: text.match(/"checkpoint":"(.*?)"/)?.[1]?.replace('A', 'B') }), 'checksum'],
    ['no base64', changed({ checkpoint: '***' }), 'not base64'],
    ['a step in words', changed({ step: 'two' }), 'step is "two"'],
    ['no curves', changed({ metrics: undefined }), 'metrics is not a list'],
    ['a broken curve', changed({ metrics: [{}] }), 'metrics[0].step is missing'],
    ['a metric in words', metrics({ loss: 'low' }), 'metrics[1].loss is "low", not a number'],
    ['a missing metric', metrics({ entropy: undefined }), 'metrics[1].entropy is missing, not a number'],
    ['a curve without its parts', metrics({ components: undefined }), 'metrics[1].components is not an object'],
    ['a part in words', metrics({ components: { right: 'yes' } }), 'metrics[1].components.right is "yes"'],
    ['a curve without a rule', metrics({ rule: 4 }), 'metrics[1].rule is 4, not a text'],
    ['an event without changes', events({ changes: undefined }), 'events[0].changes is not an object'],
    ['an event of another kind', events({ kind: 'constructor' }), 'events[0].kind is "constructor"'],
    ['an event without a text', events({ text: null }), 'events[0].text is null, not a text'],
    ['an event before the run', events({ step: -1 }), 'events[0].step is -1'],
    ['an unknown change', events({ changes: { speed: 1 } }), 'events[0].changes: unknown parameter "speed"'],
    ['a change out of range', events({ changes: { klCoef: 7 } }), 'events[0].changes: klCoef: 7 is not a number from'],
    ['a control out of range', controls({ groupSize: 0.5 }), 'configuration: groupSize: 0.5 is not a whole number'],
    ['a schedule without changes', schedule({}), 'configuration.schedule[0].changes is not an object'],
    ['an unknown rule to come', schedule({ changes: { rule: 'ppo' } }), 'schedule[0].changes: rule: "ppo" is not one'],
    ['a step that is further', changed({ step: 7 }), 'metrics end before update 2, and the run has 7 behind it'],
    ['a step that is not as far', changed({ step: 1 }), 'metrics[1] is update 1, and the run has 1 behind it'],
    ['no updates', changed({ metrics: [] }), 'metrics end before update 0, and the run has 2 behind it'],
    ['an update twice', changed({ metrics: [metricsOf(0), metricsOf(0)] }), 'metrics[1].step is 0, where update 1'],
    ['an update too few', changed({ metrics: [metricsOf(1)] }), 'metrics[0].step is 1, where update 0 is expected'],
    ['a changed number', metrics({ answer: 0.99 }), 'it was changed since it was written'],
    ['another seed', configured({ seed: 5 }), 'it was changed since it was written'],
    ['an event too many', changed({ events: [event] }), 'it was changed since it was written'],
    ['no checksum', changed({ checksum: undefined }), 'it was changed since it was written'],
    ['a wrong checksum', changed({ checksum: 1 }), 'it was changed since it was written'],
    [
      'a downsampling rate in words',
      changed({ downsampled: { every: 'two', before: 0 } }),
      'downsampled.every is "two"',
    ],
    ['later downsampling', changed({ downsampled: { every: 2, before: 9 } }), 'downsampled.before is 9, no step'],
  ])('refuses %s with a reason', (_, broken, reason) => {
    expect(() => readRunFile(broken)).toThrow(reason);
    expect(() => readRunFile(broken)).toThrow(StorageError);
  });

  test('may have another layout of its JSON', () => {
    expect(readRunFile(JSON.stringify(JSON.parse(text), null, 2))).toEqual(saved);
  });

  test('a file of a long run may be downsampled, and reports this', () => {
    const downsampled = { every: 4, before: 9 };
    const rows = [1, 4, 9, 10].map((step) => metricsOf(step));
    const long = savedRun({ step: 11, metrics: rows, downsampled });
    expect(readRunFile(writeRunFile(long))).toEqual(long);
    const without = (...removed: number[]) =>
      writeRunFile({ ...long, metrics: rows.filter((_, at) => !removed.includes(at)) });
    expect(() => readRunFile(without(1))).toThrow('metrics[1].step is 9, where update 2 is expected');
    expect(() => readRunFile(without(2))).toThrow('metrics[2].step is 10, where update 5 is expected');
    expect(() => readRunFile(without(3))).toThrow('metrics end before update 10');
  });

  test('reads changes as the tables have them, and numbers that are none as missing', () => {
    const asText = { ...saved, events: [{ ...event, changes: { klCoef: '0.5' } }] };
    expect(checkSavedRun(asText).events[0].changes).toEqual({ klCoef: 0.5 });
    const written = writeRunFile({ ...saved, metrics: [metricsOf(0, { advantageFirst: NaN }), metricsOf(1)] });
    expect(readRunFile(written).metrics[0].advantageFirst).toBeNull();
    expect(checkSavedRun({ ...saved, step: 1, metrics: [metricsOf(0, { loss: NaN })] }).metrics[0].loss).toBeNull();
  });

  test('uses the checksum of zip files', () => {
    // The check value of CRC-32/ISO-HDLC.
    expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
  });
});

describe('a record', () => {
  test('without its weights is corrupt', () => {
    expect(() => checkSavedRun({ ...savedRun(), checkpoint: new ArrayBuffer(0) })).toThrow('checkpoint is missing');
  });
});

test('errors of the browser get their kind', () => {
  expect(asStorageError(new DOMException('full', 'QuotaExceededError')).kind).toBe('full');
  expect(asStorageError(new DOMException('no', 'SecurityError')).kind).toBe('refused');
  expect(asStorageError('odd')).toMatchObject({ kind: 'failed', message: 'odd' });
});

describe('the storage of the page', () => {
  function open(store: RunStore | Error) {
    let listener: (message: Message, runId: string) => void = () => {};
    const host = {
      addController() {},
      removeController() {},
      requestUpdate() {},
      updateComplete: Promise.resolve(true),
    };
    const session = {
      listen: (given: typeof listener) => {
        listener = given;
      },
    };
    const opening = async () => {
      if (store instanceof Error) throw store;
      return store;
    };
    const storage = new StorageController(host, opening, session, () => ({ name: 'a run', link: '?v=1' }));
    const send = (message: Message, runId = 'a') => listener(message, runId);
    const save = async (step: number) => {
      send({ type: 'checkpoint', saved: savedRun({ step }) });
      await storage.written;
    };
    return { storage, send, save };
  }

  const status = (status: Status): Message => ({ type: 'status', status });

  test('keeps a run once, in its latest state, and finds it by its link', async () => {
    const { storage, save } = open(new MemoryRunStore());
    await save(3);
    await save(5);
    expect(storage.runs.map(({ id, step, bytes }) => [id, step, bytes])).toEqual([['a', 5, 16]]);
    expect((await storage.latest('?v=1'))?.saved.step).toBe(5);
    expect(await storage.latest('?v=1&seed=2')).toBeUndefined();
  });

  test('finds a run by its number with any link, and by its link if the number is unknown', async () => {
    const { storage, send, save } = open(new MemoryRunStore());
    await save(3);
    send({ type: 'checkpoint', saved: savedRun({ step: 8 }) }, 'b');
    await storage.written;
    expect((await storage.latest('?v=1&seed=2', 'a'))?.summary.id).toBe('a');
    expect((await storage.latest('?v=1', 'removed'))?.summary.id).toBe('b');
    expect(await storage.latest('?v=1&seed=2', 'removed')).toBeUndefined();
  });

  test('a playing run is saved at intervals, and its last state when it pauses, is hidden or is replaced', async () => {
    vi.useFakeTimers({ now: 1_000_000, toFake: ['Date'] });
    const { storage, send, save } = open(new MemoryRunStore());
    const step = () => storage.runs[0]?.step;
    send(status('playing'));
    await save(10);
    expect(step()).toBe(10);
    await save(20);
    expect(step()).toBe(10);
    vi.setSystemTime(1_016_000);
    await save(30);
    expect(step()).toBe(30);
    for (const [index, end] of (['paused', 'hidden', 'loading'] as const).entries()) {
      send(status('playing'));
      await save(40 + index);
      expect(step()).not.toBe(40 + index);
      send(status(end));
      await storage.written;
      expect(step()).toBe(40 + index);
    }
    vi.useRealTimers();
  });

  test('refused storage is reported once, and everything else continues', async () => {
    const { storage, save } = open(new StorageError('refused', 'The operation is insecure.'));
    await storage.opened;
    expect(storage.notice).toBe(
      'Not saved on this device: The operation is insecure. Everything else works; export a run as a file to keep it.',
    );
    storage.dismiss();
    await save(3);
    await save(4);
    expect(storage.notice).toBeUndefined();
    expect(storage.runs).toEqual([]);
  });

  test('when full, keeps the last good state and names its step', async () => {
    const store = new MemoryRunStore();
    const { storage, save } = open(store);
    await save(3);
    store.failure = new DOMException('no room', 'QuotaExceededError');
    await save(9);
    expect(storage.notice).toContain('the last saved state is step 3');
    expect(store.runs.get('a')?.saved.step).toBe(3);
  });

  test('a corrupt record is named, and not changed', async () => {
    const store = new MemoryRunStore();
    const { storage, save } = open(store);
    await save(3);
    for (const entry of store.runs.values()) entry.saved = { ...savedRun(), step: -1 };
    expect(await storage.latest('?v=1')).toBeUndefined();
    expect(storage.notice).toContain('The saved run a run cannot be read: step is -1');
    expect(store.runs.size).toBe(1);
  });

  test('a run without an update is not kept', async () => {
    const store = new MemoryRunStore();
    const { save } = open(store);
    await save(0);
    expect(store.runs.size).toBe(0);
  });
});
