import { describe, expect, test, vi } from 'vitest';
import type { TabMessage } from '../../../../src/app/runs/outside.ts';
import { StorageController } from '../../../../src/app/runs/storageController.ts';
import { describe as describeRun } from '../../../../src/app/session/naming.ts';
import { OpenRun } from '../../../../src/app/session/openRun.ts';
import type { MessageListener } from '../../../../src/app/session/sessionController.ts';
import { crc32, readRunFile, writeRunFile } from '../../../../src/storage/runFile.ts';
import { asStorageError, type RunStore, StorageError } from '../../../../src/storage/runStore.ts';
import { checkSavedRun } from '../../../../src/storage/savedRun.ts';
import type { Message, Status } from '../../../../src/training/data/protocol.ts';
import { MemoryRunStore } from '../../storage/memoryRunStore.ts';
import { metricsOf, savedRun } from '../appFixtures.ts';

describe('the file of a run', () => {
  const saved = savedRun({ step: 2, metrics: [metricsOf(0), metricsOf(1)] });
  const text = writeRunFile(saved);
  const changed = (fields: object) => JSON.stringify({ ...JSON.parse(text), ...fields });
  const metrics = (fields: object) => changed({ metrics: [metricsOf(0), { ...metricsOf(1), ...fields }] });
  const event = { step: 1, kind: 'change', changes: { rule: 'grpo-or' }, text: 'rule' };
  const events = (fields: object) => changed({ events: [{ ...event, ...fields }] });
  const configured = (fields: object) => changed({ configuration: { ...saved.configuration, ...fields } });
  const controls = (fields: object) => configured({ controls: { ...saved.configuration.controls, ...fields } });
  const schedule = (fields: object) => configured({ schedule: [{ step: 1, ...fields }] });

  test('a run file restores its run bit for bit', () => {
    const file = readRunFile(text);
    expect(file).toEqual(saved);
    expect(new Uint8Array(file.checkpoint)).toEqual(new Uint8Array(saved.checkpoint));
  });

  test.each([
    ['no content', '', 'not JSON'],
    ['only half of its text', text.slice(0, text.length / 2), 'cut off'],
    ['JSON of another format', '{"type":"FeatureCollection"}', 'not a file of a Turnwise run'],
    ['the JSON value null', 'null', 'not a file of a Turnwise run'],
    ['a later format version', changed({ formatVersion: 2 }), 'format version is 2'],
    [
      'a later configuration version',
      changed({ configuration: { ...saved.configuration, version: 3 } }),
      'version is 3',
    ],
    [
      'a changed checkpoint',
      changed({ checkpoint: text.match(/"checkpoint":"(.*?)"/)?.[1]?.replace('A', 'B') }),
      'checksum',
    ],
    ['a checkpoint that is not base64', changed({ checkpoint: '***' }), 'not base64'],
    ['a step that is not a number', changed({ step: 'two' }), 'step is "two"'],
    ['no metrics', changed({ metrics: undefined }), 'metrics is not a list'],
    ['an update without a step', changed({ metrics: [{}] }), 'metrics[0].step is missing'],
    ['a metric that is not a number', metrics({ loss: 'low' }), 'metrics[1].loss is "low", not a number'],
    ['a missing metric', metrics({ entropy: undefined }), 'metrics[1].entropy is missing, not a number'],
    [
      'an update without reward components',
      metrics({ components: undefined }),
      'metrics[1].components is not an object',
    ],
    [
      'a reward component that is not a number',
      metrics({ components: { right: 'yes' } }),
      'metrics[1].components.right is "yes"',
    ],
    ['an update whose rule is not a text', metrics({ rule: 4 }), 'metrics[1].rule is 4, not a text'],
    ['an event without changes', events({ changes: undefined }), 'events[0].changes is not an object'],
    ['an event of an unknown kind', events({ kind: 'constructor' }), 'events[0].kind is "constructor"'],
    ['an event without a text', events({ text: null }), 'events[0].text is null, not a text'],
    ['an event at a negative step', events({ step: -1 }), 'events[0].step is -1'],
    [
      'a change of an unknown parameter',
      events({ changes: { speed: 1 } }),
      'events[0].changes: unknown parameter "speed"',
    ],
    [
      'a change to a value out of range',
      events({ changes: { klCoef: 7 } }),
      'events[0].changes: klCoef: 7 is not a number from',
    ],
    [
      'a control value out of range',
      controls({ groupSize: 0.5 }),
      'configuration: groupSize: 0.5 is not a whole number',
    ],
    ['a schedule entry without changes', schedule({}), 'configuration.schedule[0].changes is not an object'],
    [
      'a scheduled change to an unknown rule',
      schedule({ changes: { rule: 'ppo' } }),
      'schedule[0].changes: rule: "ppo" is not one',
    ],
    ['a step after its last metrics', changed({ step: 7 }), 'metrics end before update 2, and the run has 7 behind it'],
    ['a step before its last metrics', changed({ step: 1 }), 'metrics[1] is update 1, and the run has 1 behind it'],
    ['an empty list of metrics', changed({ metrics: [] }), 'metrics end before update 0, and the run has 2 behind it'],
    ['a repeated update', changed({ metrics: [metricsOf(0), metricsOf(0)] }), 'metrics[1].step is 0, where update 1'],
    [
      'a missing first update',
      changed({ metrics: [metricsOf(1)] }),
      'metrics[0].step is 1, where update 0 is expected',
    ],
    ['a changed metric value', metrics({ answer: 0.99 }), 'it was changed since it was written'],
    ['a changed seed', configured({ seed: 5 }), 'it was changed since it was written'],
    ['an added event', changed({ events: [event] }), 'it was changed since it was written'],
    ['no checksum', changed({ checksum: undefined }), 'it was changed since it was written'],
    ['a wrong checksum', changed({ checksum: 1 }), 'it was changed since it was written'],
    [
      'a downsampling interval that is not a number',
      changed({ downsampled: { every: 'two', before: 0 } }),
      'downsampled.every is "two"',
    ],
    [
      'downsampling that ends after its last step',
      changed({ downsampled: { every: 2, before: 9 } }),
      'downsampled.before is 9, no step',
    ],
  ])('a run file with %s is rejected with a reason', (_, broken, reason) => {
    expect(() => readRunFile(broken)).toThrow(reason);
    expect(() => readRunFile(broken)).toThrow(StorageError);
  });

  test('a run file with another JSON layout is read as the same run', () => {
    expect(readRunFile(JSON.stringify(JSON.parse(text), null, 2))).toEqual(saved);
  });

  test('a downsampled run file is read with its interval, and a missing row is reported', () => {
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

  test('changes in a run file are read with the types of the tables, and NaN is read as null', () => {
    const asText = { ...saved, events: [{ ...event, changes: { klCoef: '0.5' } }] };
    expect(checkSavedRun(asText).events[0].changes).toEqual({ klCoef: 0.5 });
    const written = writeRunFile({ ...saved, metrics: [metricsOf(0, { advantageFirst: NaN }), metricsOf(1)] });
    expect(readRunFile(written).metrics[0].advantageFirst).toBeNull();
    expect(checkSavedRun({ ...saved, step: 1, metrics: [metricsOf(0, { loss: NaN })] }).metrics[0].loss).toBeNull();
  });

  test('the checksum of a run file is the CRC-32 of zip files', () => {
    // The check value of CRC-32/ISO-HDLC.
    expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
  });
});

describe('a saved run', () => {
  test('a saved run without a checkpoint is rejected', () => {
    expect(() => checkSavedRun({ ...savedRun(), checkpoint: new ArrayBuffer(0) })).toThrow('checkpoint is missing');
  });
});

test('errors of browser storage are classified as full, refused or failed', () => {
  expect(asStorageError(new DOMException('full', 'QuotaExceededError')).kind).toBe('full');
  expect(asStorageError(new DOMException('no', 'SecurityError')).kind).toBe('refused');
  expect(asStorageError('odd')).toMatchObject({ kind: 'failed', message: 'odd' });
});

describe('the storage of the page', () => {
  const LINK = describeRun(savedRun()).link;

  function open(store: RunStore | Error) {
    let listener: MessageListener = () => {};
    const runs = { a: new OpenRun('a'), b: new OpenRun('b') };
    const messages: TabMessage[] = [];
    const broadcast = (message: TabMessage) => messages.push(message);
    const tabs = { lock: async () => true, releaseExcept() {}, broadcast, listen() {} };
    const host = {
      addController() {},
      removeController() {},
      requestUpdate() {},
      updateComplete: Promise.resolve(true),
    };
    const opening = async () => {
      if (store instanceof Error) throw store;
      return store;
    };
    const storage = new StorageController(host, opening, tabs);
    storage.follow({
      listen: (given) => {
        listener = given;
        return () => {};
      },
    });
    const send = (message: Message, id: keyof typeof runs = 'a') => listener(message, runs[id]);
    const save = async (step: number) => {
      send({ type: 'checkpoint', saved: savedRun({ step }) });
      await storage.written;
    };
    return { storage, send, save, messages };
  }

  const status = (status: Status): Message => ({ type: 'status', status });

  test('storage has one entry per run in its latest state, and returns the run by its link', async () => {
    const { storage, save } = open(new MemoryRunStore());
    await save(3);
    await save(5);
    expect(storage.runs.map(({ id, step, bytes }) => [id, step, bytes])).toEqual([['a', 5, 16]]);
    expect((await storage.latest(LINK))?.saved.step).toBe(5);
    expect(await storage.latest('?v=1&seed=99')).toBeUndefined();
  });

  test('storage returns a run by its id with any link, and by its link if the id is unknown', async () => {
    const { storage, send, save } = open(new MemoryRunStore());
    await save(3);
    send({ type: 'checkpoint', saved: savedRun({ step: 8 }) }, 'b');
    await storage.written;
    expect((await storage.latest('?v=1&seed=99', 'a'))?.summary.id).toBe('a');
    expect((await storage.latest(LINK, 'removed'))?.summary.id).toBe('b');
    expect(await storage.latest('?v=1&seed=99', 'removed')).toBeUndefined();
  });

  test('a playing run is saved at intervals, and also when it is paused, hidden or replaced', async () => {
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

  test('inaccessible storage is reported once, and the page continues without it', async () => {
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

  test('without storage, no run is removed, and the other tabs receive no message', async () => {
    const { storage, messages } = open(new StorageError('refused', 'The operation is insecure.'));
    const summary = { id: 'a', name: 'A', link: LINK, step: 3, savedAt: 1, bytes: 16 };
    expect([await storage.remove(summary), storage.isRemoved('a'), messages]).toEqual([false, false, []]);
  });

  test('full storage retains the last saved state, and the notice states its step', async () => {
    const store = new MemoryRunStore();
    const { storage, save } = open(store);
    await save(3);
    store.failure = new DOMException('no room', 'QuotaExceededError');
    await save(9);
    expect(storage.notice).toContain('the last saved state is step 3');
    expect(store.runs.get('a')?.saved.step).toBe(3);
  });

  test('an unreadable saved run is reported and not changed', async () => {
    const store = new MemoryRunStore();
    const { storage, save } = open(store);
    await save(3);
    for (const entry of store.runs.values()) entry.saved = { ...savedRun(), step: -1 };
    expect(await storage.latest(LINK)).toBeUndefined();
    expect(storage.notice).toContain('The saved run MT-GRPO, seed 1 cannot be read: step is -1');
    expect(store.runs.size).toBe(1);
  });

  test('a run without an update is not saved', async () => {
    const store = new MemoryRunStore();
    const { save } = open(store);
    await save(0);
    expect(store.runs.size).toBe(0);
  });
});
