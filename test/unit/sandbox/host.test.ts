import { describe, expect, test } from 'vitest';
import type { ImageParts } from '../../../src/sandbox/guest/image.ts';
import type { WorkerSource } from '../../../src/sandbox/host/sandboxWorker.ts';
import type { SandboxRequest, WorkerToHostMessage } from '../../../src/sandbox/protocol.ts';
import { Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { Job } from '../../../src/sandbox/types.ts';

/** These workers start nothing. */
const NO_PARTS = {} as ImageParts;

/** Receives each program, and the number of programs that follow in the same message. */
type Answer = (run: SandboxRequest, post: (message: unknown) => void, more: number) => void;

/** Workers that answer as a test wants them to, each worker by its own script; the last script serves for all further ones. */
function createHost(...answers: Answer[]): WorkerSource & { readonly opened: () => number } {
  let opened = 0;
  return {
    workers: 1,
    opened: () => opened,
    parts: async () => NO_PARTS,
    async open(events) {
      const answer = answers[Math.min(opened++, answers.length - 1)];
      return {
        end: () => {},
        post(message) {
          const post = (from: unknown) => setTimeout(() => events.message(from), 0);
          if (message.type === 'boot') post({ type: 'ready' } satisfies WorkerToHostMessage);
          else {
            message.programs.forEach((run, i) => {
              answer(run, post, message.programs.length - 1 - i);
            });
          }
        },
      };
    },
  };
}

const answers = (...all: unknown[]) => ({ type: 'answers', answers: all });
const answer = (run: SandboxRequest, nonce = run.nonce) => ({
  nonce,
  report: { outcomes: run.program.inputs.map(() => ({ kind: 'value', value: 42, output: '', fuel: 1 })) },
});
const report = (run: SandboxRequest, nonce = run.nonce) => answers(answer(run, nonce));
const reports = (run: SandboxRequest, outcomes: unknown) => answers({ nonce: run.nonce, report: { outcomes } });
const honest: Answer = (run, post) => post(report(run));
/** Answers with one outcome. */
const sends =
  (outcome: object): Answer =>
  (run, post) =>
    post(reports(run, [{ output: '', fuel: 1, ...outcome }]));
const circle: unknown[] = [];
circle.push(circle);
const jobs = (count: number): Job[] =>
  Array.from({ length: count }, (_, i) => ({ program: `#${i}`, entry: 'f', tests: [{ args: [], expected: 42 }] }));

async function statuses(count: number, ...answers: Answer[]) {
  const sandbox = new Sandbox(createHost(...answers), { workers: 1 });
  const results = await sandbox.run(jobs(count));
  sandbox.close();
  return {
    statuses: results.map(({ status }) => status),
    testMessages: results[0].tests[0].error,
    ...sandbox.statistics,
  };
}

describe('a worker that', () => {
  test('answers honestly is accepted', async () => {
    expect(await statuses(3, honest)).toMatchObject({
      statuses: ['passed', 'passed', 'passed'],
      violations: 0,
      replaced: 0,
    });
  });

  test.each<[string, Answer]>([
    ['makes up a nonce', (run, post) => post(report(run, 'made-up'))],
    ['answers for half of the inputs', (run, post) => post(reports(run, []))],
    ['sends no report', (_, post) => post({ type: 'ready' })],
    ['sends what is no message', (_, post) => post('passed')],
    ['sends nothing at all', (_, post) => post(null)],
    ['sends an outcome of no kind', sends({ kind: 'passed' })],
    ['sends no outcome', (run, post) => post(reports(run, [null]))],
    ['sends a list with a length alone', (run, post) => post(reports(run, { length: 1 }))],
    ['sends a field that there is not', sends({ kind: 'value', value: 42, passed: true })],
    ['sends no answers', (_, post) => post(answers())],
    ['sends more answers than travel together', (run, post) => post(answers(...Array(17).fill(answer(run))))],
    ['sends answers that are no list', (run, post) => post({ type: 'answers', answers: answer(run) })],
    ['sends an answer with a field that there is not', (run, post) => post(answers({ ...answer(run), passed: true }))],
    ['sends an object with a prototype', (run, post) => post(Object.assign(new Date(), report(run)))],
    ['says a value that is a function', sends({ kind: 'value', value: () => 42 })],
    ['says a value that is undefined', sends({ kind: 'value', value: undefined })],
    ['says a value that is a map', sends({ kind: 'value', value: new Map([[42, 42]]) })],
    ['says a value that is no int', sends({ kind: 'value', value: 42.5 })],
    ['says a value of two kinds', sends({ kind: 'value', value: { float: 42, tuple: [] } })],
    ['says a float that is a text', sends({ kind: 'value', value: { float: '42' } })],
    ['says a dict without pairs', sends({ kind: 'value', value: { dict: [[1]] } })],
    ['says a set that is no list', sends({ kind: 'value', value: { set: 'ab' } })],
    ['says a value that holds itself', sends({ kind: 'value', value: circle })],
    ['says more than may leave', sends({ kind: 'value', value: Array(10 ** 6).fill(0) })],
    ['says a text longer than may leave', sends({ kind: 'value', value: 'x'.repeat(10 ** 7) })],
    ['says a list with holes', sends({ kind: 'value', value: Array(3) })],
    ['says an error that is a text', sends({ kind: 'error', error: 'TypeError' })],
    ['says an error without a type', sends({ kind: 'error', error: { message: 'x' } })],
    [
      'says an error with a line that is a text',
      sends({ kind: 'error', error: { type: 'E', message: '', line: '1' } }),
    ],
    ['says an error of a line before the first', sends({ kind: 'error', error: { type: 'E', message: '', line: 0 } })],
    ['says an error that is long', sends({ kind: 'error', error: { type: 'E', message: 'x'.repeat(10 ** 6) } })],
    ['names a limit that there is not', sends({ kind: 'limit', limit: 'patience' })],
    ['names no reason', sends({ kind: 'violation', reason: { toString: () => 'x' } })],
    ['prints what is no text', sends({ kind: 'value', value: 42, output: ['x'] })],
    ['prints more than the output limit', sends({ kind: 'value', value: 42, output: 'x'.repeat(5000) })],
    ['took less than no fuel', sends({ kind: 'value', value: 42, fuel: -1 })],
    ['took more fuel than there was', sends({ kind: 'value', value: 42, fuel: 1e9 })],
    ['took fuel that is no number', sends({ kind: 'value', value: 42, fuel: '1' })],
    ['took fuel beyond counting', sends({ kind: 'value', value: 42, fuel: Number.NaN })],
    [
      'throws while it is read',
      (_, post) =>
        post({
          get type() {
            throw new Error('read');
          },
        }),
    ],
    ['answers with a proxy that throws', (_, post) => post(new Proxy({}, { ownKeys: () => JSON.parse('{') }))],
  ])('%s causes a violation, and the others continue in another worker', async (_, answer) => {
    const result = await statuses(2, answer, honest);
    expect(result.testMessages?.type).toBe('tampered with the tests');
    expect(result).toMatchObject({ statuses: ['violation', 'passed'], violations: 1, replaced: 1 });
  });

  test('answers with the nonce of an earlier run causes a violation', async () => {
    let old = '';
    const answer: Answer = (run, post) => {
      post(report(run, old || run.nonce));
      old ||= run.nonce;
    };
    const sandbox = new Sandbox(createHost(answer, honest), { workers: 1 });
    const [first] = await sandbox.run(jobs(1));
    const [second] = await sandbox.run(jobs(1));
    expect([first.status, second.status]).toEqual(['passed', 'violation']);
    sandbox.close();
  });

  test('answers twice in one message is replaced; the program behind is not blamed for it, and what follows is judged elsewhere', async () => {
    const twice: Answer = (run, post) => post(answers(answer(run), answer(run)));
    expect(await statuses(3, twice, honest)).toMatchObject({
      statuses: ['passed', 'passed', 'passed'],
      violations: 1,
      replaced: 1,
    });
  });

  test('sends what cannot be read, at a later program than the first without an answer, is replaced: they run again, and only that one is blamed', async () => {
    const isGuilty = ({ program }: SandboxRequest) => program.program === '#2';
    const first: Answer = (run, post) => isGuilty(run) && post(answers('x'));
    const second: Answer = (run, post) => post(isGuilty(run) ? answers('x') : report(run));
    expect(await statuses(6, first, second)).toMatchObject({
      statuses: [...['passed', 'passed', 'violation'], ...['passed', 'passed', 'passed']],
      violations: 2,
      replaced: 2,
    });
  });

  test('sends all answers to a message together is accepted', async () => {
    const pending: unknown[] = [];
    const deferred: Answer = (run, post, more) => {
      pending.push(answer(run));
      if (more === 0) post(answers(...pending.splice(0)));
    };
    expect(await statuses(5, deferred)).toMatchObject({
      statuses: Array(5).fill('passed'),
      violations: 0,
      replaced: 0,
    });
  });

  test('that hangs at one of several programs causes no verdict: each program runs again alone', async () => {
    const more: number[] = [];
    const noting =
      (act: Answer): Answer =>
      (run, post, left) => {
        more.push(left);
        act(run, post, left);
      };
    const sandbox = new Sandbox(
      createHost(
        noting(() => {}),
        noting(honest),
      ),
      { workers: 1 },
    );
    const results = await sandbox.run(jobs(6).map((job) => ({ ...job, limits: { time: 50 } })));
    expect(results.map(({ status }) => status)).toEqual(Array(6).fill('passed'));
    // Half of six programs in a message, these again, and the others.
    expect(more).toEqual([...[2, 1, 0], ...[0, 0, 0], ...[1, 0], 0]);
    sandbox.close();
  });

  test('may take long gets its program alone', async () => {
    const more: number[] = [];
    const noting: Answer = (run, post, left) => {
      more.push(left);
      honest(run, post, left);
    };
    const sandbox = new Sandbox(createHost(noting), { workers: 1 });
    await sandbox.run(jobs(8).map((job, i) => (i === 1 ? { ...job, limits: { fuel: 1e9 } } : job)));
    expect(more.slice(0, 4)).toEqual([0, 0, 1, 0]);
    sandbox.close();
  });

  test('answers twice is replaced, and what follows is judged elsewhere', async () => {
    const twice: Answer = (run, post) => {
      post(report(run));
      post(report(run));
    };
    expect(await statuses(3, twice, honest)).toMatchObject({ violations: 1, replaced: 1 });
  });
});

test('a host that cannot start a worker reports this', async () => {
  const broken: WorkerSource = { ...createHost(honest), parts: () => Promise.reject(new Error('no such file')) };
  const sandbox = new Sandbox(broken, { workers: 1 });
  await expect(sandbox.run(jobs(1))).rejects.toThrow('no such file');
  sandbox.close();
});

test('a caller that waits for a closed sandbox receives an error', async () => {
  const sandbox = new Sandbox({ ...createHost(honest), parts: () => new Promise(() => {}) }, { workers: 1 });
  const waiting = sandbox.ready();
  sandbox.close();
  await expect(waiting).rejects.toThrow('closed');
});

describe('the watchdog', () => {
  const hanging = (limits: number[]): Job[] =>
    limits.map((time, i) => ({ ...jobs(limits.length)[i], limits: { time } }));
  /** Answers for the first programs, and then no more. */
  const stopsAt = (count: number): Answer => {
    let answered = 0;
    return (run, post) => {
      if (answered++ < count) post(report(run));
    };
  };

  test('uses the limit of the program that hangs, regardless of earlier limits', async () => {
    const sandbox = new Sandbox(createHost(stopsAt(2), honest), { workers: 1 });
    const start = performance.now();
    const results = await sandbox.run(hanging([60_000, 60_000, 50, 60_000, 60_000, 60_000]));
    expect(performance.now() - start).toBeLessThan(60_000);
    expect(results.map(({ status }) => status)).toEqual(['passed', 'passed', 'limit', 'passed', 'passed', 'passed']);
    expect(results[2].tests[0].error?.type).toBe('time limit');
    sandbox.close();
  });

  test('receives the answer of a worker that answered while the host was blocked', async () => {
    // The worker's answer is there while the host is busy, but timers fire before messages are received.
    const meanwhile: Answer = (run, post) => {
      setTimeout(() => {
        const until = performance.now() + 400;
        while (performance.now() < until);
        setImmediate(() => post(report(run)));
      }, 1);
    };
    const sandbox = new Sandbox(createHost(meanwhile, honest), { workers: 1 });
    expect((await sandbox.run(hanging([50])))[0].status).toBe('passed');
    sandbox.close();
  });
});
