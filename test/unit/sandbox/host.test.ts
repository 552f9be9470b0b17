import { describe, expect, test } from 'vitest';
import type { GuestPlace, GuestWorker } from '../../../src/sandbox/host/guestWorker.ts';
import { Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { FromGuest, Job, ToGuest } from '../../../src/sandbox/types.ts';

type Run = Extract<ToGuest, { type: 'run' }>;
type Answer = (run: Run, post: (message: unknown) => void) => void;

/** Workers that answer as a test wants them to, each worker by its own script; the last script serves for all further ones. */
function place(...answers: Answer[]): GuestPlace & { readonly opened: () => number } {
  let opened = 0;
  return {
    workers: 1,
    opened: () => opened,
    parts: async () => ({ wasm: new ArrayBuffer(0), library: new Uint8Array() }),
    open() {
      const answer = answers[Math.min(opened++, answers.length - 1)];
      const worker: GuestWorker = {
        onMessage: () => {},
        onEnd: () => {},
        end: () => {},
        post(message) {
          const post = (from: unknown) => setTimeout(() => worker.onMessage(from), 0);
          if (message.type === 'boot') post({ type: 'ready' } satisfies FromGuest);
          else answer(message, post);
        },
      };
      return worker;
    },
  };
}

const report = (run: Run, index: number, nonce = run.nonce) => ({
  type: 'report',
  nonce,
  index,
  report: { outcomes: run.programs[index].inputs.map(() => ({ kind: 'value', value: 42, output: '', fuel: 1 })) },
});
const honest: Answer = (run, post) => {
  for (const i of run.programs.keys()) post(report(run, i));
};
const jobs = (count: number): Job[] =>
  Array.from({ length: count }, (_, i) => ({ program: `#${i}`, entry: 'f', tests: [{ args: [], expected: 42 }] }));

async function statuses(count: number, ...answers: Answer[]) {
  const sandbox = new Sandbox(place(...answers), { workers: 1 });
  const verdicts = await sandbox.run(jobs(count));
  sandbox.close();
  return { statuses: verdicts.map(({ status }) => status), told: verdicts[0].tests[0].error, ...sandbox.statistics };
}

describe('a worker that', () => {
  test('answers honestly is believed', async () => {
    expect(await statuses(3, honest)).toMatchObject({
      statuses: ['passed', 'passed', 'passed'],
      violations: 0,
      replaced: 0,
    });
  });

  test.each<[string, Answer]>([
    ['makes up a nonce', (run, post) => post(report(run, 0, 'made-up'))],
    ['answers for another program', (run, post) => post({ ...report(run, 0), index: 1 })],
    ['answers for half of the inputs', (run, post) => post({ ...report(run, 0), report: { outcomes: [] } })],
    ['sends no report', (_, post) => post({ type: 'ready' })],
    ['sends what is no message', (_, post) => post('passed')],
    [
      'sends an outcome of no kind',
      (run, post) => post({ ...report(run, 0), report: { outcomes: [{ kind: 'passed', output: '', fuel: 0 }] } }),
    ],
    ['sends nothing at all', (_, post) => post(null)],
  ])('%s has cheated, and the others go on elsewhere', async (_, answer) => {
    const result = await statuses(2, answer, honest);
    expect(result.told?.type).toBe('tried to cheat');
    expect(result).toMatchObject({ statuses: ['violation', 'passed'], violations: 1, replaced: 1 });
  });

  test('answers with the nonce of an earlier run has cheated', async () => {
    let old = '';
    const answer: Answer = (run, post) => {
      post(report(run, 0, old || run.nonce));
      old ||= run.nonce;
    };
    const sandbox = new Sandbox(place(answer, honest), { workers: 1 });
    const [first] = await sandbox.run(jobs(1));
    const [second] = await sandbox.run(jobs(1));
    expect([first.status, second.status]).toEqual(['passed', 'violation']);
    sandbox.close();
  });

  test('answers twice is replaced, and what follows is judged elsewhere', async () => {
    const twice: Answer = (run, post) => {
      post(report(run, 0));
      post(report(run, 0));
    };
    expect(await statuses(3, twice, honest)).toMatchObject({ violations: 1, replaced: 1 });
  });
});

test('a place that cannot start a worker says so', async () => {
  const broken: GuestPlace = { ...place(honest), parts: () => Promise.reject(new Error('no such file')) };
  const sandbox = new Sandbox(broken, { workers: 1 });
  await expect(sandbox.run(jobs(1))).rejects.toThrow('no such file');
  sandbox.close();
});

test('who waits for a sandbox that is closed is told', async () => {
  const sandbox = new Sandbox({ ...place(honest), parts: () => new Promise(() => {}) }, { workers: 1 });
  const waiting = sandbox.ready();
  sandbox.close();
  await expect(waiting).rejects.toThrow('closed');
});

describe('the watchdog', () => {
  const hanging = (limits: number[]): Job[] =>
    limits.map((time, i) => ({ ...jobs(limits.length)[i], limits: { time } }));
  /** Answers for the first programs, and then no more. */
  const stopsAt =
    (count: number): Answer =>
    (run, post) => {
      for (let i = 0; i < count; i++) post(report(run, i));
    };

  test('goes by the limit of the program that hangs, whatever those before it may take', async () => {
    const sandbox = new Sandbox(place(stopsAt(2), honest), { workers: 1 });
    const start = performance.now();
    const verdicts = await sandbox.run(hanging([60_000, 60_000, 50, 60_000, 60_000, 60_000]));
    expect(performance.now() - start).toBeLessThan(60_000);
    expect(verdicts.map(({ status }) => status)).toEqual(['passed', 'passed', 'limit', 'passed', 'passed', 'passed']);
    expect(verdicts[2].tests[0].error?.type).toBe('time limit');
    sandbox.close();
  });

  test('hears a worker that answered while the host was held up', async () => {
    // The worker's answer is there while the host is busy, but timers ring before messages are heard.
    const meanwhile: Answer = (run, post) => {
      setTimeout(() => {
        const until = performance.now() + 400;
        while (performance.now() < until);
        setImmediate(() => post(report(run, 0)));
      }, 1);
    };
    const sandbox = new Sandbox(place(meanwhile, honest), { workers: 1 });
    expect((await sandbox.run(hanging([50])))[0].status).toBe('passed');
    sandbox.close();
  });
});
