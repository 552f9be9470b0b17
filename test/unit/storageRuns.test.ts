import { describe, expect, test, vi } from 'vitest';
import { StorageController } from '../../src/app/storageController.ts';
import { crc32, readRunFile, writeRunFile } from '../../src/storage/runFile.ts';
import { asStorageError, type RunStore, type RunSummary, StorageError } from '../../src/storage/runStore.ts';
import { checkSavedRun } from '../../src/storage/savedRun.ts';
import type { Message, SavedRun } from '../../src/training/protocol.ts';
import { metricsOf, savedRun } from './appFixtures.ts';

describe('a file of a run', () => {
  const saved = savedRun({ step: 2, metrics: [metricsOf(0), metricsOf(1)] });
  const text = writeRunFile({ saved, name: 'MT-GRPO, seed 1', link: '?v=1' });
  const changed = (fields: object) => JSON.stringify({ ...JSON.parse(text), ...fields });

  test('gives the run back, bit for bit', () => {
    const file = readRunFile(text);
    expect(file).toEqual({ saved, name: 'MT-GRPO, seed 1', link: '?v=1' });
    expect(new Uint8Array(file.saved.checkpoint)).toEqual(new Uint8Array(saved.checkpoint));
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
  ])('refuses %s with a reason', (_, broken, reason) => {
    expect(() => readRunFile(broken)).toThrow(reason);
    expect(() => readRunFile(broken)).toThrow(StorageError);
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
  /** Keeps runs in memory; `failure` is thrown instead of the next things asked. */
  class FakeStore implements RunStore {
    failure: unknown;
    readonly kept = new Map<string, { summary: RunSummary; saved: SavedRun }>();
    async list() {
      this.check();
      return [...this.kept.values()].map(({ summary }) => summary);
    }
    async load(id: string) {
      this.check();
      const entry = this.kept.get(id);
      if (!entry) throw new StorageError('corrupt', 'its contents are missing');
      return checkSavedRun(entry.saved);
    }
    async save(summary: RunSummary, saved: SavedRun) {
      this.check();
      this.kept.set(summary.id, { summary, saved });
    }
    async remove(id: string) {
      this.check();
      this.kept.delete(id);
    }
    private check() {
      if (this.failure) throw this.failure;
    }
  }

  function open(store: RunStore | Error) {
    const sent: string[] = [];
    let hear: (message: Message, runId: string) => void = () => {};
    const host = {
      addController() {},
      removeController() {},
      requestUpdate() {},
      updateComplete: Promise.resolve(true),
    };
    const session = {
      send: ({ type }: { type: string }) => void sent.push(type),
      listen: (listener: typeof hear) => {
        hear = listener;
      },
    };
    const opening = async () => {
      if (store instanceof Error) throw store;
      return store;
    };
    const storage = new StorageController(host, opening, session, () => ({ name: 'a run', link: '?v=1' }));
    return { storage, sent, hear: (message: Message, runId = 'a') => hear(message, runId) };
  }

  const checkpoint = (step: number): Message => ({ type: 'checkpoint', saved: savedRun({ step }) });

  test('keeps every checkpoint and finds the latest run by its link', async () => {
    const store = new FakeStore();
    const { storage, hear } = open(store);
    await storage.opened;
    hear(checkpoint(3));
    hear(checkpoint(5));
    await vi.waitFor(() => expect(storage.runs[0]?.step).toBe(5));
    expect(storage.runs).toHaveLength(1);
    expect((await storage.latest('?v=1'))?.saved.step).toBe(5);
    expect(await storage.latest('?v=1&seed=2')).toBeUndefined();
  });

  test('asks for a checkpoint when a run pauses or is hidden, once a step', async () => {
    const { storage, sent, hear } = open(new FakeStore());
    await storage.opened;
    hear({ type: 'status', status: 'paused' });
    expect(sent).toEqual([]);
    hear({ type: 'status', status: 'playing' });
    hear({ type: 'metrics', metrics: metricsOf(0) });
    hear({ type: 'status', status: 'paused' });
    hear(checkpoint(1));
    hear({ type: 'status', status: 'hidden' });
    expect(sent).toEqual(['save']);
    hear({ type: 'status', status: 'paused' });
    hear({ type: 'metrics', metrics: metricsOf(1) });
    expect(sent).toEqual(['save', 'save']);
  });

  test('refused, says so once and lets everything else go on', async () => {
    const { storage, hear } = open(new StorageError('refused', 'The operation is insecure.'));
    await storage.opened;
    expect(storage.notice).toBe(
      'Not saved on this device: The operation is insecure. Everything else works; export a run as a file to keep it.',
    );
    storage.dismiss();
    hear(checkpoint(3));
    await storage.keep('a', savedRun({ step: 4 }));
    expect(storage.notice).toBeUndefined();
    expect(storage.runs).toEqual([]);
  });

  test('full, keeps the last good state and says which', async () => {
    const store = new FakeStore();
    const { storage } = open(store);
    await storage.opened;
    await storage.keep('a', savedRun({ step: 3 }));
    store.failure = new DOMException('no room', 'QuotaExceededError');
    await storage.keep('a', savedRun({ step: 9 }));
    expect(storage.notice).toContain('the last good state, step 3, is kept');
    expect(store.kept.get('a')?.saved.step).toBe(3);
  });

  test('a corrupt record is named, and left alone', async () => {
    const store = new FakeStore();
    const { storage } = open(store);
    await storage.opened;
    await storage.keep('a', savedRun({ step: 3 }));
    for (const entry of store.kept.values()) entry.saved = { ...savedRun(), step: -1 };
    expect(await storage.latest('?v=1')).toBeUndefined();
    expect(storage.notice).toContain('The saved run a run cannot be read: step is -1');
    expect(store.kept.size).toBe(1);
  });

  test('a run without an update is not kept', async () => {
    const store = new FakeStore();
    const { storage } = open(store);
    await storage.opened;
    await storage.keep('a', savedRun({ step: 0 }));
    expect(store.kept.size).toBe(0);
  });
});
