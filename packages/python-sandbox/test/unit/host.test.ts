import { describe, expect, test } from 'vitest';
import type { ImageParts } from '../../src/guest/image.ts';
import type { WorkerSource } from '../../src/host/sandboxWorker.ts';
import type { SandboxRequest, WorkerToHostMessage } from '../../src/protocol.ts';
import { Sandbox } from '../../src/sandbox.ts';
import type { Job } from '../../src/types.ts';

/** Parts of an image, which the workers of these tests do not use. */
const NO_PARTS = {} as ImageParts;

/** Script of a worker. It receives each program and the number of later programs in the same message. */
type Answer = (run: SandboxRequest, post: (message: unknown) => void, more: number) => void;

/** Creates workers that answer by script: each worker has one script, and all later workers have the last script. */
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
/** Creates a script that answers with one outcome. */
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

describe('workers', () => {
  test('a worker that sends valid answers is accepted', async () => {
    expect(await statuses(3, honest)).toMatchObject({
      statuses: ['passed', 'passed', 'passed'],
      violations: 0,
      replaced: 0,
    });
  });

  test.each<[string, Answer]>([
    ['an invented nonce', (run, post) => post(report(run, 'made-up'))],
    ['an outcome list that is too short', (run, post) => post(reports(run, []))],
    ['a message of another type', (_, post) => post({ type: 'ready' })],
    ['a string instead of a message', (_, post) => post('passed')],
    ['null instead of a message', (_, post) => post(null)],
    ['an outcome of an unknown kind', sends({ kind: 'passed' })],
    ['null instead of an outcome', (run, post) => post(reports(run, [null]))],
    ['an object with a length instead of a list', (run, post) => post(reports(run, { length: 1 }))],
    ['an outcome with an unknown field', sends({ kind: 'value', value: 42, passed: true })],
    ['an empty list of answers', (_, post) => post(answers())],
    ['more answers than a message may contain', (run, post) => post(answers(...Array(17).fill(answer(run))))],
    ['an answer instead of a list of answers', (run, post) => post({ type: 'answers', answers: answer(run) })],
    ['an answer with an unknown field', (run, post) => post(answers({ ...answer(run), passed: true }))],
    ['an object with a custom prototype', (run, post) => post(Object.assign(new Date(), report(run)))],
    ['a value that is a function', sends({ kind: 'value', value: () => 42 })],
    ['a value that is undefined', sends({ kind: 'value', value: undefined })],
    ['a value that is a Map', sends({ kind: 'value', value: new Map([[42, 42]]) })],
    ['a value that is a fractional number', sends({ kind: 'value', value: 42.5 })],
    ['a value with two types', sends({ kind: 'value', value: { float: 42, tuple: [] } })],
    ['a float that is a string', sends({ kind: 'value', value: { float: '42' } })],
    ['a dict with an incomplete pair', sends({ kind: 'value', value: { dict: [[1]] } })],
    ['a set that is a string', sends({ kind: 'value', value: { set: 'ab' } })],
    ['a value that contains itself', sends({ kind: 'value', value: circle })],
    ['a list above the result limit', sends({ kind: 'value', value: Array(10 ** 6).fill(0) })],
    ['a string above the result limit', sends({ kind: 'value', value: 'x'.repeat(10 ** 7) })],
    ['a sparse list', sends({ kind: 'value', value: Array(3) })],
    ['an error that is a string', sends({ kind: 'error', error: 'TypeError' })],
    ['an error without a type', sends({ kind: 'error', error: { message: 'x' } })],
    [
      'an error with a line number that is a string',
      sends({ kind: 'error', error: { type: 'E', message: '', line: '1' } }),
    ],
    ['an error with line number 0', sends({ kind: 'error', error: { type: 'E', message: '', line: 0 } })],
    [
      'an error with a message that is too long',
      sends({ kind: 'error', error: { type: 'E', message: 'x'.repeat(10 ** 6) } }),
    ],
    ['an unknown limit', sends({ kind: 'limit', limit: 'patience' })],
    ['a violation whose reason is not a string', sends({ kind: 'violation', reason: { toString: () => 'x' } })],
    ['output that is not a string', sends({ kind: 'value', value: 42, output: ['x'] })],
    ['output above the output limit', sends({ kind: 'value', value: 42, output: 'x'.repeat(5000) })],
    ['a negative fuel count', sends({ kind: 'value', value: 42, fuel: -1 })],
    ['a fuel count above the limit', sends({ kind: 'value', value: 42, fuel: 1e9 })],
    ['a fuel count that is a string', sends({ kind: 'value', value: 42, fuel: '1' })],
    ['a fuel count of NaN', sends({ kind: 'value', value: 42, fuel: Number.NaN })],
    [
      'an object with a getter that throws',
      (_, post) =>
        post({
          get type() {
            throw new Error('read');
          },
        }),
    ],
    ['a proxy that throws', (_, post) => post(new Proxy({}, { ownKeys: () => JSON.parse('{') }))],
  ])('a worker that sends %s causes a violation, and the next program runs in another worker', async (_, answer) => {
    const result = await statuses(2, answer, honest);
    expect(result.testMessages?.type).toBe('tampered with the tests');
    expect(result).toMatchObject({ statuses: ['violation', 'passed'], violations: 1, replaced: 1 });
  });

  test('a worker that answers with the nonce of an earlier run causes a violation', async () => {
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

  test('a worker that answers twice in one message is replaced, and all programs pass', async () => {
    const twice: Answer = (run, post) => post(answers(answer(run), answer(run)));
    expect(await statuses(3, twice, honest)).toMatchObject({
      statuses: ['passed', 'passed', 'passed'],
      violations: 1,
      replaced: 1,
    });
  });

  test('unanswered programs run again after an unreadable message, and only its program has a violation', async () => {
    const isGuilty = ({ program }: SandboxRequest) => program.program === '#2';
    const first: Answer = (run, post) => isGuilty(run) && post(answers('x'));
    const second: Answer = (run, post) => post(isGuilty(run) ? answers('x') : report(run));
    expect(await statuses(6, first, second)).toMatchObject({
      statuses: [...['passed', 'passed', 'violation'], ...['passed', 'passed', 'passed']],
      violations: 2,
      replaced: 2,
    });
  });

  test('a worker that sends all answers to a message together is accepted', async () => {
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

  test('a worker that hangs at one of several programs causes no result, and each program runs again alone', async () => {
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
    // The first message has half of the six programs. These programs run again alone, and the other programs follow.
    expect(more).toEqual([...[2, 1, 0], ...[0, 0, 0], ...[1, 0], 0]);
    sandbox.close();
  });

  test('a program with a high fuel limit is sent to its worker alone', async () => {
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

  test('a worker that answers twice in two messages is replaced', async () => {
    const twice: Answer = (run, post) => {
      post(report(run));
      post(report(run));
    };
    expect(await statuses(3, twice, honest)).toMatchObject({ violations: 1, replaced: 1 });
  });
});

test('a sandbox run rejects with the error of a host that cannot start a worker', async () => {
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
  /** Creates a script that answers the first `count` programs and then hangs. */
  const stopsAt = (count: number): Answer => {
    let answered = 0;
    return (run, post) => {
      if (answered++ < count) post(report(run));
    };
  };

  test('the watchdog uses the limit of the program that hangs, regardless of earlier limits', async () => {
    const sandbox = new Sandbox(createHost(stopsAt(2), honest), { workers: 1 });
    const start = performance.now();
    const results = await sandbox.run(hanging([60_000, 60_000, 50, 60_000, 60_000, 60_000]));
    expect(performance.now() - start).toBeLessThan(60_000);
    expect(results.map(({ status }) => status)).toEqual(['passed', 'passed', 'limit', 'passed', 'passed', 'passed']);
    expect(results[2].tests[0].error?.type).toBe('time limit');
    sandbox.close();
  });

  test('the watchdog accepts the answer of a worker that answered while the host was blocked', async () => {
    // The worker answers while the host is busy, but timers fire before the host receives messages.
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
