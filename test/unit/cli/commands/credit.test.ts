// cspell:ignore apha
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { assignCredit } from '../../../../src/cli/commands/creditRun.ts';
import { openResult, WaitingText } from '../../../../src/cli/output/result.ts';
import { creditText } from '../../../../src/credit/explanation/creditText.ts';
import { findRule, RULES } from '../../../../src/credit/rules.ts';
import { NoWebGpuError } from '../../../../src/gpu/device.ts';
import type { Group } from '../../../../src/rollouts/forest.ts';
import { writeGroups } from '../../../../src/rollouts/jsonLines.ts';
import { expectLine } from '../../../creditExpectations.ts';
import { outcomesOnly } from '../../../groups.ts';
import { randomGroups } from '../../../randomForests.ts';
import { creditCases, rulesWithCases } from '../../../vectorFile.ts';
import { expectRejected, paperTerminal, temporaryFolder, turnwise } from '../cliTerminal.ts';

const { folder, path } = temporaryFolder();

/** Runs `credit --device cpu` on the text of a file. */
function credit(flags: string, input: string) {
  writeFileSync(path('input.jsonl'), input);
  return turnwise(['credit', '--device', 'cpu', ...flags.split(' '), path('input.jsonl')]);
}

const lines = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const GROUP: Group = outcomesOnly([1, 0, 0, 0], 'g');
const LINE = writeGroups([GROUP]);

describe('an output line of credit', () => {
  test.each(RULES.filter(({ name }) => rulesWithCases().includes(name)).map(({ name }) => name))(
    'the credit of %s matches the test vectors within 1e-9',
    async (name) => {
      const rule = findRule(name);
      for (const testCase of creditCases(name)) {
        const set = Object.entries(testCase.parameters).map(([key, value]) => `--set ${key}=${value}`);
        const { code, out, err } = await credit([`--rule ${name}`, ...set].join(' '), writeGroups([testCase.group]));
        expect([code, err]).toEqual([0, expect.stringMatching(/^1 group.*\n$/m)]);
        expectLine(JSON.parse(out), rule, testCase, 1e-9);
      }
    },
  );

  const written = (...pieces: Parameters<typeof creditText>) => [...creditText(...pieces)].join('');
  const example = (name: string) => {
    const rule = findRule(name);
    return { rule, group: rule.example, credit: rule.credit(rule.example, {}) };
  };

  test('the output line has null for a pruned turn', () => {
    const { rule, group } = example('murphy-mars');
    const line = JSON.parse(written(rule, group, rule.credit(group, { intra: '1' })));
    expect(line.advantage).toContain(null);
    expect(line.credited.map((value: unknown) => value === null)).toEqual(
      line.advantage.map((value: unknown) => value === null),
    );
  });

  test('the output line has one number per group value and a list of test values', () => {
    const { rule, group, credit } = example('verpo');
    const line = JSON.parse(written(rule, group, credit));
    expect([typeof line.bandwidth, line.weights.length, line.turnReward.length]).toEqual(['number', 3, 4]);
  });

  test('the output line of a token rule has one list per turn with a value per token', () => {
    const rule = findRule('ppo-or');
    const turns = [
      { parent: -1, reward: 0, tokens: 1, values: [0] },
      { parent: 0, reward: 0, tokens: 2, values: [0, 0], outcome: 1 },
    ];
    const group = { id: 'g', turns };
    const line = JSON.parse(written(rule, group, rule.credit(group, {})));
    expect([line.advantages, line.returns]).toEqual([
      [[1], [1, 1]],
      [[1], [1, 1]],
    ]);
    expect(line).not.toHaveProperty('advantage');
  });

  test('the output line has the requested number of digits, and its id is unchanged', () => {
    const { rule, credit } = example('grpo-or');
    const group = { ...example('grpo-or').group, id: 'a "b" ü\n' };
    const line = JSON.parse(written(rule, group, credit, 3));
    expect(line.id).toBe(group.id);
    expect(line.advantage[0]).toBe(0.741);
  });

  test('a long output line is written in pieces', () => {
    const group = outcomesOnly(Array.from({ length: 200_000 }, (_, index) => index % 2));
    const rule = findRule('grpo-or');
    const pieces = [...creditText(rule, group, rule.credit(group, {}))];
    expect(pieces.length).toBeGreaterThan(4);
    expect(JSON.parse(pieces.join('')).advantage).toHaveLength(200_000);
  });

  test('an advantage that is not finite is rejected with its turn', () => {
    const { rule, group, credit } = example('grpo-or');
    const wrong = (value: number) => ({
      ...credit,
      advantage: credit.advantage.map((A, turn) => (turn === 3 ? value : A)),
    });
    expect(() => written(rule, group, wrong(Infinity))).toThrow(
      'group "two turns", turn 3: advantage comes out as Infinity: the numbers of this group are too large',
    );
    expect(() => written(rule, group, wrong(NaN))).toThrow('turn 3: advantage comes out as NaN');
  });
});

describe('an input file of credit', () => {
  test('an input file can have a byte order mark, CRLF, empty lines, no last newline and duplicate ids', async () => {
    const { code, out } = await credit('--rule grpo-or', `\uFEFF${LINE.trim()}\r\n\r\n \n${LINE.trim()}`);
    expect(code).toBe(0);
    expect(lines(out).map(({ id }) => id)).toEqual(['g', 'g']);
  });

  test.each(['', '\n', ' \n\uFEFF\n'])('an input file without groups is rejected: %j', async (text) => {
    const { code, out, err } = await credit(`--rule grpo-or --out ${path('none.jsonl')}`, text);
    expect([code, out, err]).toEqual([2, '', `turnwise: ${path('input.jsonl')}: has no groups\n`]);
    expect(existsSync(path('none.jsonl'))).toBe(false);
  });

  test('a group without turns has one output line', async () => {
    const { code, out } = await credit('--rule grpo-or', '{"id": "none", "turns": []}\n');
    expect([code, lines(out).map(({ id }) => id)]).toEqual([0, ['none']]);
  });

  test('standard input is read in chunks that cut lines and characters at any position', async () => {
    const text = writeGroups(randomGroups(findRule('gigpo'), 3).map((group) => ({ ...group, id: `${group.id} 中` })));
    const bytes = Buffer.from(text);
    for (const size of [1, 7, 4096, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const { code, out } = await turnwise('credit --device cpu --rule gigpo -', {
        input: () => Readable.from(chunks),
      });
      expect(code).toBe(0);
      expect(out).toBe((await credit('--rule gigpo', text)).out);
    }
  });

  test('input lines longer than a chunk are read', async () => {
    const note = 'x'.repeat(3_000_000);
    const { code, out } = await credit('--rule grpo-or', `${LINE}${JSON.stringify({ ...GROUP, note })}\n`);
    expect([code, lines(out).length]).toEqual([0, 2]);
  });

  test('an input of 100,000 turns is read in bounded batches, and a larger group is a separate batch', async () => {
    const group = (index: number, size: number) =>
      `${JSON.stringify(
        outcomesOnly(
          Array.from({ length: size }, (_, turn) => (turn + index) % 3),
          `g${index}`,
        ),
      )}\n`;
    const sizes = Array.from({ length: 1000 }, (_, index) => (index === 500 ? 2000 : 98));
    let [read, written, maximum] = [0, 0, 0];
    async function* chunks() {
      for (const [index, size] of sizes.entries()) {
        read += size;
        maximum = Math.max(maximum, read - written);
        yield Buffer.from(group(index, size));
      }
    }
    const out: string[] = [];
    const limits = { turns: 500, tokens: 1, results: 1, bytes: 1e9 };
    const rule = findRule('grpo-or');
    const write = (text: string) => {
      out.push(text);
      if (text.endsWith('\n')) written += sizes[out.filter((piece) => piece.endsWith('\n')).length - 1];
    };
    const counts = await assignCredit(chunks(), { rule, parameters: {} }, write, limits);
    expect(counts).toMatchObject({ groups: 1000, turns: 99_902 });
    expect(counts.report.lines()).toEqual(['1000 groups']);
    expect(written).toBe(99_902);
    // Two batches at most: one is computed while the next one is read. The group of 2,000 turns is one batch.
    expect(maximum).toBeLessThanOrEqual(2000 + 2 * 500 + 98);
    expect(lines(out.join('')).map(({ id }) => id)).toEqual(sizes.map((_, index) => `g${index}`));
  });
});

describe('errors in the input of credit', () => {
  const turn = { parent: -1, reward: 0, outcome: 1 };
  const group = (...turns: object[]) => JSON.stringify({ id: 'bad', turns });

  test.each([
    ['invalid JSON', 'grpo-or', '{"id": "bad", ', /^turnwise: .*input\.jsonl, line 3: not JSON \(/],
    ['a list instead of a group', 'grpo-or', '[]', /line 3: a group must be an object, not \[\]/],
    ['a group without an id', 'grpo-or', '{"turns": []}', /line 3, field "id": is missing; a text is needed/],
    [
      'a turn without a reward',
      'grpo-or',
      group({ parent: -1 }),
      /line 3, group "bad", turn 0, field "reward": is missing/,
    ],
    [
      'an invalid parent',
      'grpo-or',
      group({ ...turn, parent: 0 }),
      /line 3, group "bad", turn 0, field "parent": 0 is not -1/,
    ],
    [
      'a turn without an outcome',
      'grpo-or',
      group({ parent: -1, reward: 0 }),
      /line 3, group "bad", turn 0, field "outcome": missing/,
    ],
    [
      'a tree for a rule that needs trajectories',
      'mt-grpo',
      group(turn, { ...turn, parent: 0 }, { ...turn, parent: 0 }),
      /line 3, group "bad", turn 0, field "parent": this rule needs trajectories/,
    ],
    ['a turn without test results', 'verpo', group(turn), /line 3, group "bad", turn 0, field "passed": missing/],
    [
      'a turn without critic values',
      'mt-ppo',
      group(turn),
      /line 3, group "bad", turn 0, field "(tokens|values)": missing/,
    ],
    ['a turn without a state', 'rtmc', group({ ...turn, solved: true }), /line 3, group "bad", turn 0, field "state"/],
  ])('an input with %s is reported with its position, and no output is written', async (_, rule, line, message) => {
    const good = writeGroups(randomGroups(findRule(rule), 1, [3, 2]).slice(0, 2));
    const { code, out, err } = await credit(`--rule ${rule} --out ${path('none.jsonl')}`, `${good}${line}\n${LINE}`);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
    expect(readdirSync(folder).filter((name) => name.startsWith('none'))).toEqual([]);
  });

  const fromInput = async (...chunks: Buffer[]) => {
    const input = () => Readable.from(chunks);
    const { code, out, err } = await turnwise('credit --device cpu --rule grpo-or -', { input });
    expect([code, out]).toEqual([2, '']);
    return err;
  };

  test('input bytes that are not UTF-8 are reported with their line', async () => {
    const run = (bytes: Buffer) => fromInput(Buffer.from(LINE), bytes);
    expect(await run(Buffer.from([0x7b, 0xff, 0x0a]))).toContain('standard input, line 2: not UTF-8 text');
    expect(await run(Buffer.from(`\uFEFF${LINE}`, 'utf16le'))).toContain('line 2: UTF-16, not UTF-8 text');
  });

  test('a compressed input is read, and a damaged one is reported', async () => {
    const line = 'credit --device cpu --rule grpo-or -';
    const [plain, packed] = [Buffer.from(LINE), gzipSync(LINE)].map((bytes) => ({
      input: () => Readable.from([bytes]),
    }));
    expect(await turnwise(line, packed)).toEqual(await turnwise(line, plain));
    const message = 'turnwise: standard input: damaged gzip data';
    expect(await fromInput(gzipSync(LINE).subarray(0, 30))).toContain(message);
  });

  test('an error while reading the input is reported', async () => {
    async function* broken() {
      yield Buffer.from(LINE);
      throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', errno: -5, syscall: 'read' });
    }
    const { code, out, err } = await turnwise('credit --device cpu --rule grpo-or -', {
      input: () => Readable.from(broken()),
    });
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('turnwise: standard input cannot be read (i/o error)\n');
  });

  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

  test.each([
    ['the group', nested(200_000), 'line 1: a group must be an object, not [[['],
    ['id', `{"id":${nested(200_000)},"turns":[]}`, 'line 1, field "id": [[['],
    ['turns', `{"id":"a","turns":${`{"b":`.repeat(2000)}1${'}'.repeat(2000)}}`, 'field "turns": {"b":{"b":'],
    ['a turn', `{"id":"a","turns":[${nested(200_000)}]}`, 'group "a", turn 0: a turn must be an object, not [[['],
    ['a known field', `{"id":"a","turns":[{"parent":-1,"reward":${nested(200_000)}}]}`, 'turn 0, field "reward": [[['],
    [
      'an unknown field',
      `{"id":"a","turns":[{"parent":-1,"reward":0,"note":${nested(200_000)}}]}`,
      'turn 0, field "note": nested deeper than 500 levels',
    ],
    ['an unknown field of the group', `{"id":"a","note":${nested(501)},"turns":[]}`, 'field "note": nested deeper'],
  ])('excessive nesting in %s is reported with its position', async (_, text, message) => {
    const { code, out, err } = await credit('--rule grpo-or', text);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(err.length).toBeLessThan(300);
  });

  test('a field with the maximum nesting of 500 levels is read', async () => {
    const turns = [{ parent: -1, reward: 0, outcome: 1, note: JSON.parse(nested(500)) }];
    expect((await credit('--rule grpo-or', JSON.stringify({ id: 'a', turns }))).code).toBe(0);
  });

  test('messages truncate long names and escape control characters', async () => {
    const id = `\u001b[2J\u0007\u202e${'x'.repeat(100_000)}`;
    const { code, err } = await credit('--rule grpo-or', JSON.stringify({ id, turns: [{ parent: -1 }] }));
    expect(code).toBe(2);
    expect(err).toContain(
      `group "\\u001b[2J\\u0007\\u202e${'x'.repeat(34)}…", turn 0, field "reward": is missing; a finite number is needed`,
    );
    const junk = await credit('--rule grpo-or', '{"id": \u001b[2J');
    expect(junk.err).toContain('not JSON');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must not be there
    for (const message of [err, junk.err]) expect(message.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u202e]/);
  });

  test.each(['mt-grpo', 'gigpo'])('a message of %s lists only the first of many continuations', async (rule) => {
    const many = Array.from({ length: 2000 }, () => ({ parent: 0, reward: 0, outcome: 1, state: 's', action: 'a' }));
    const { code, err } = await credit(
      `--rule ${rule}`,
      JSON.stringify({ id: 'bad', turns: [{ ...many[0], parent: -1 }, ...many] }),
    );
    expect(code).toBe(2);
    expect(err).toContain('but turns 1, 2, 3, 4, 5 and 1995 more all continue this turn');
  });

  test('the first wrong input line is reported, even if a later line is detected earlier', async () => {
    const { err } = await credit('--rule grpo-or', `${group({ parent: -1, reward: 0 })}\n{\n`);
    expect(err).toContain('line 1, group "bad", turn 0, field "outcome"');
  });

  test('a number beyond 1e+150 is reported with its position', async () => {
    const { code, out, err } = await credit('--rule grpo-or', `${group(turn, { ...turn, outcome: 1e300 })}\n`);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(
      'line 1, group "bad", turn 1, field "outcome": 1e+300 is beyond 1e+150, too large for 64-bit floats',
    );
  });
});

describe('wrong command lines of credit', () => {
  writeFileSync(path('good.jsonl'), LINE);
  const good = path('good.jsonl');
  test.each([
    [`--rule grpo ${good}`, `--rule: "grpo" is not one of ${RULES[0].name}, `],
    [good, `--rule is missing: one of ${RULES[0].name}, `],
    ['--rule grpo-or', 'FILE is missing: Groups of rollouts as JSON Lines'],
    ['--rule grpo-or nowhere.jsonl', 'there is no file nowhere.jsonl'],
    [`--rule grpo-or ${folder}`, 'is a folder, not a file of rollouts'],
    [
      `--rule mt-grpo --set apha=1 ${good}`,
      '--set: mt-grpo has no parameter "apha"; known: alpha, absent, profile, ddof,',
    ],
    [`--rule dr-grpo --profile trl ${good}`, '--profile: dr-grpo has no parameter "profile"; known: none'],
    [`--rule mt-grpo --set alpha=2 ${good}`, '--set for mt-grpo: alpha: "2" is not a number from 0 to 1'],
    [`--rule mt-grpo --set alpha ${good}`, '--set alpha: "alpha" is not NAME=VALUE'],
    [`--rule mt-grpo --set alpha=1 --set alpha=0 ${good}`, '--set: alpha is given twice'],
    [`--rule mt-grpo --set profile=trl --profile trl ${good}`, '--profile: profile is given twice'],
    [`--rule mt-grpo --profile mine ${good}`, 'profile: "mine" is not one of turnwise, trl,'],
    [`--rule murphy-mars --set intra=0 ${good}`, 'intra: "0" is not up to 8 whole numbers from 1'],
    [`--rule grpo-or --device tpu ${good}`, '--device: "tpu" is not one of cpu, gpu'],
    [`--rule grpo-or --out ${join(folder, 'no', 'x')} ${good}`, '--out: there is no folder'],
  ])('credit %s is rejected with exit code 2', async (line, message) => {
    await expectRejected(`credit ${line}`, message);
  });
});

describe('parameters of credit', () => {
  const [group] = randomGroups(findRule('murphy-mars'), 5, [33]).slice(-1);
  const advantage = async (flags: string) =>
    lines((await credit(`--rule murphy-mars ${flags}`, writeGroups([group]))).out);

  test('credit --set accepts a list with commas and several parameters', async () => {
    const rule = findRule('murphy-mars');
    const expected = rule.credit(group, { intra: '4/2', inter: '1' });
    const [line] = await advantage('--set intra=4,2 --set inter=1');
    expect(line.advantage).toEqual([...expected.advantage].map((A) => (Number.isNaN(A) ? null : A)));
    expect(await advantage('--set intra=4,2,inter=1')).toEqual([line]);
  });

  test('credit --profile NAME is equivalent to --set profile=NAME', async () => {
    const flags = await advantage('--profile trl');
    expect(flags).toEqual(await advantage('--set profile=trl'));
    expect(flags).not.toEqual(await advantage('--profile rllm'));
  });
});

describe('the device of credit', () => {
  const none = { openGpu: () => Promise.reject(new NoWebGpuError('There is no adapter.')) };
  const good = path('good.jsonl');

  test('credit runs on the CPU by default and opens no adapter', async () => {
    const openGpu = vi.fn(none.openGpu);
    const { code, out, err } = await turnwise(`credit --rule grpo-or ${good}`, { openGpu });
    expect([code, lines(out).length, err]).toEqual([0, 1, '1 group\n']);
    expect(openGpu).not.toHaveBeenCalled();
  });

  test('credit --device gpu without an adapter is an error that names the packages to install', async () => {
    const { code, out, err } = await turnwise(`credit --rule grpo-or --device gpu ${good}`, none);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^turnwise: There is no adapter\. .*mesa-vulkan-drivers.* --device cpu needs no adapter\.\n$/);
  });

  test('credit --device gpu with another failure is an error', async () => {
    const broken = { openGpu: () => Promise.reject(new Error('The driver crashed.')) };
    const { code, err } = await turnwise(`credit --rule grpo-or --device gpu ${good}`, broken);
    expect([code, err]).toEqual([1, 'turnwise: The driver crashed.\n']);
  });
});

describe('the output of credit', () => {
  test('Ctrl-C while credit waits for standard input leaves no file', async () => {
    const stop = new AbortController();
    const input = new PassThrough();
    input.write(LINE);
    setTimeout(() => stop.abort(), 20);
    const parts = { signal: stop.signal, input: () => input };
    const { code, out } = await turnwise(`credit --device cpu --rule grpo-or --out ${path('cut.jsonl')} -`, parts);
    expect([code, out]).toEqual([130, '']);
    expect(readdirSync(folder).filter((name) => name.startsWith('cut'))).toEqual([]);
  });

  test('the output of credit is stored until it is delivered, and passed on unchanged', async () => {
    let passed = '';
    const result = new WaitingText((text) => {
      passed += text;
    });
    const pieces = Array.from({ length: 200_000 }, (_, index) => `${index} 中\n`);
    for (const piece of pieces) result.write(piece);
    expect(passed).toBe('');
    await result.deliver();
    expect(passed).toBe(pieces.join(''));
    result.discard();
  });

  test('the output of credit is written no faster than it is read', async () => {
    let waiting = 0;
    const { terminal } = paperTerminal({
      out: () => {
        expect(waiting).toBe(0);
        waiting++;
      },
      drained: async () => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        waiting = 0;
      },
    });
    const result = openResult(terminal);
    for (let index = 0; index < 12; index++) result.write('x'.repeat(1 << 20));
    await result.deliver();
  });
});
