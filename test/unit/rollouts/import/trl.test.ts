import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findRule } from '../../../../src/credit/rules.ts';
import { fixture, fixtureRows, imported, linesOf } from './importLogs.ts';

const ROWS = fixtureRows('trl/completions_00010.jsonl');
const WEIGHTS = new Map([
  ['accuracy_reward', 1],
  ['format_reward', 1],
]);

/** Returns the table in the types of pandas: step and num_calls are int64, rewards and advantage nullable float64. */
function parquet(codec: 'SNAPPY' | 'GZIP' | 'UNCOMPRESSED'): ArrayBuffer {
  const type = (name: string) => (/^(prompt|completion)$/.test(name) ? 'STRING' : 'DOUBLE');
  const columnData = Object.keys(ROWS[0]).map((name) => {
    const data = ROWS.map((row) => row[name]);
    if (!/^(step|num_calls)$/.test(name)) return { name, data, type: type(name) } as const;
    return { name, data: data.map((value) => BigInt(value as number)), type: 'INT64' } as const;
  });
  return parquetWriteBuffer({ columnData, codec, compressors: { GZIP: (bytes) => new Uint8Array(gzipSync(bytes)) } });
}

describe('the completions table', () => {
  test('a completions table of TRL is imported as one group per prompt and step', async () => {
    const { groups, notes } = await imported(fixture('trl/completions_00010.snappy.parquet'), 'trl');
    expect(groups.map(({ id, step, prompt }) => [id, step, prompt])).toEqual([
      ['step-10/prompt-0', 10, ROWS[0].prompt],
      ['step-10/prompt-1', 10, ROWS[4].prompt],
    ]);
    const [{ turns }] = groups;
    expect(turns.map(({ parent, reward, outcome }) => [parent, reward, outcome])).toEqual([
      [-1, 0, undefined],
      [0, 0, 1.5],
      [-1, 0, 0.5],
      [-1, 0, undefined],
      [3, 0, 0.5],
      [-1, 0, 0],
    ]);
    expect(turns[0].text).toBe(
      'Let me compute.\n<tool_call>\n{"name": "calculator", "arguments": {"expression": "17 * 24"}}\n</tool_call>',
    );
    expect(turns[0].observation).toEqual([{ role: 'user', content: '<tool_response>\n408\n</tool_response>' }]);
    expect(turns[1]).toEqual({
      parent: 0,
      reward: 0,
      state: 'calculator(expression="17 * 24")',
      action: 'answer',
      outcome: 1.5,
      components: { accuracy_reward: 1, format_reward: 0.5 },
      text: 'The answer is 408.',
      num_calls: 2,
      advantage: ROWS[0].advantage,
    });
    expect(notes).toContain('8 rows read; 2 groups, 8 rollouts and 9 turns made');
    expect(notes).toContain('reward = accuracy_reward + format_reward');
    expect(notes).toContain('kept in turns: num_calls (7), advantage (7), format_reward (3)');
  });

  test('the reward of a TRL table omits missing values, and a rollout without any reward is left out', async () => {
    const [, group] = (await imported(fixture('trl/completions_00010.zstd.parquet'), 'trl')).groups;
    expect(group.turns.map(({ outcome, components, format_reward }) => [outcome, components, format_reward])).toEqual([
      [1, { accuracy_reward: 1 }, null],
      [0, { accuracy_reward: 0 }, null],
      [1, { accuracy_reward: 1 }, null],
    ]);
    expect(group.leftOut).toEqual([
      {
        turns: [{ text: '', state: 'start', action: 'answer' }],
        accuracy_reward: null,
        format_reward: null,
        num_calls: 1,
        advantage: 0,
      },
    ]);
  });

  test('GRPO-OR with the profile "trl" computes the advantages that TRL logged', async () => {
    const { groups } = await imported(fixture('trl/completions_00010.jsonl'), 'trl', WEIGHTS);
    const rule = findRule('grpo-or');
    for (const group of groups) {
      const { advantage } = rule.credit(group, { profile: 'trl' });
      group.turns.forEach((turn, index) => {
        if (turn.advantage !== undefined) expect(advantage[index]).toBeCloseTo(turn.advantage as number, 6);
      });
    }
  });

  test.each(['SNAPPY', 'GZIP', 'UNCOMPRESSED'] as const)(
    'a completions table of TRL in Parquet has the groups of the JSON Lines file, codec %s',
    async (codec) => {
      const lines = await imported(fixture('trl/completions_00010.jsonl'), 'trl', WEIGHTS);
      expect(await imported(parquet(codec), 'trl')).toEqual(lines);
    },
  );

  test.each([
    ['a list of rows', ROWS],
    ['lists by column', Object.fromEntries(Object.keys(ROWS[0]).map((name) => [name, ROWS.map((row) => row[name])]))],
    [
      'objects by column',
      Object.fromEntries(
        Object.keys(ROWS[0]).map((name) => [name, Object.fromEntries(ROWS.map((row, index) => [index, row[name]]))]),
      ),
    ],
    ['columns and data', { columns: Object.keys(ROWS[0]), index: [0], data: ROWS.map((row) => Object.values(row)) }],
  ])('a completions table of TRL in JSON has the groups of the JSON Lines file: %s', async (_, value) => {
    const lines = await imported(fixture('trl/completions_00010.jsonl'), 'trl', WEIGHTS);
    expect(await imported(JSON.stringify(value), 'trl', WEIGHTS)).toEqual(lines);
    expect(await imported(JSON.stringify(value, null, 2), 'trl', WEIGHTS)).toEqual(lines);
  });

  test('a completions table of TRL in the format of Weights & Biases is imported', async () => {
    const { groups } = await imported(fixture('trl/completions_10.table.json'), 'trl', WEIGHTS);
    expect(groups).toHaveLength(1);
    expect(groups[0].turns).toHaveLength(6);
  });

  test('a completions table of messages is imported with tool calls and tool responses', async () => {
    const [group] = (await imported(fixture('trl/conversational.json'), 'trl')).groups;
    expect(group.prompt).toEqual([
      { role: 'system', content: 'Use the tool.' },
      { role: 'user', content: 'What is 17 * 24?' },
    ]);
    expect(group.turns[0]).toEqual({
      parent: -1,
      reward: 0,
      state: 'start',
      action: 'calculator(expression="17 * 24")',
      text: '',
      observation: [{ role: 'tool', name: 'calculator', content: '408' }],
      tool_calls: [{ type: 'function', function: { name: 'calculator', arguments: { expression: '17 * 24' } } }],
    });
    expect(group.turns[1].outcome).toBeCloseTo(1.2, 12);
  });
});

describe('the reward of the table', () => {
  const row = (accuracy: number, format: number, advantage: number, more: object = {}) => {
    return { step: 1, prompt: 'p', completion: 'c', accuracy, format, ...more, advantage };
  };

  test('the reward of a completions table is the sum with the specified weights', async () => {
    // 1 + 0.5 * 0.4 = 1.2 and 0.5 * 0.8 = 0.4: the first rollout has the higher reward
    const rows = linesOf([row(1, 0.4, 0.7), row(0, 0.8, -0.7)]);
    const weights = new Map([
      ['accuracy', 1],
      ['format', 0.5],
    ]);
    const { groups, notes } = await imported(rows, 'trl', weights);
    expect(groups[0].turns.map(({ outcome }) => outcome)).toEqual([1.2, 0.4]);
    expect(groups[0].turns[0].components).toEqual({ accuracy: 1, format: 0.2 });
    expect(notes).toContain('reward = accuracy + 0.5 format');
  });

  test('the import of a TRL table fails if logged advantages contradict the sum of rewards, unless weights are specified', async () => {
    // The sums are 1.4 and 3.8, but the first rollout has the higher advantage: the run used other weights.
    const rows = linesOf([row(1, 0.4, 0.7), row(0, 3.8, -0.7)]);
    await expect(imported(rows, 'trl')).rejects.toThrow(
      'log, column "advantage": in 1 of 1 groups the logged advantages do not follow from accuracy + format: which columns',
    );
    const { notes } = await imported(rows, 'trl', new Map([['format', 1]]));
    expect(notes).toContain('in 1 of 1 groups the logged advantages do not follow from format');
  });

  test('the logged advantages of a TRL table may have any scale', async () => {
    for (const scale of [1, 0.01, 37]) {
      const rows = [1, 0, 0, 1].map((accuracy, index) => row(accuracy, 0, (index % 3 === 0 ? 0.5 : -0.5) * scale));
      expect((await imported(linesOf(rows), 'trl')).notes).toContain('reward = accuracy + format');
    }
    expect((await imported(linesOf([row(1, 0, 0), row(1, 0, 0)]), 'trl')).groups).toHaveLength(1);
    await expect(imported(linesOf([row(1, 0, 0.5), row(1, 0, -0.5)]), 'trl')).rejects.toThrow('do not follow');
  });

  test('a completions table without advantages is imported, as older versions of TRL write it', async () => {
    const rows = [1, 0].map((reward) => ({ step: '20', prompt: 'p', completion: 'c', reward }));
    const [group] = (await imported(linesOf(rows), 'trl')).groups;
    expect([group.id, group.step]).toEqual(['step-20/prompt-0', 20]);
    expect(group.turns.map(({ outcome, components }) => [outcome, components])).toEqual([
      [1, { reward: 1 }],
      [0, { reward: 0 }],
    ]);
  });

  test.each([
    [[{ step: 1, prompt: 'p', completion: 'c', note: 'x', advantage: 0 }], undefined, 'log: no column between'],
    [[row(1, 0, 0)], new Map([['speed', 1]]), 'log, column "speed": no column of numbers'],
    [[row(1, 0, 0, { note: 'x' })], new Map([['note', 1]]), '; those are accuracy, format'],
  ])('a completions table without a usable reward column is an error: %j', async (rows, weights, message) => {
    await expect(imported(linesOf(rows), 'trl', weights)).rejects.toThrow(message);
  });
});

describe('a damaged Parquet file', () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  beforeAll(() => void process.on('unhandledRejection', note));
  afterAll(() => void process.off('unhandledRejection', note));
  /** Returns true if no rejection was unhandled. Node reports them at the end of a turn of the event loop. */
  const isAllHandled = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return unhandled.length === 0;
  };

  test('a Parquet file with columns that its schema lacks is an error, and no rejection is unhandled', async () => {
    const bytes = fixture('trl/damaged.snappy.parquet');
    await expect(imported(bytes, 'trl')).rejects.toThrow(
      'log: not a Parquet file that can be read: its footer is damaged or cut off',
    );
    expect(await isAllHandled()).toBe(true);
  });

  test('the error for a damaged Parquet page names its column', async () => {
    const bytes = new Uint8Array(parquet('SNAPPY'));
    // The header of the first page of the first column begins after the four letters PAR1.
    bytes.fill(0xff, 4, 12);
    await expect(imported(bytes, 'trl')).rejects.toThrow(/^log: .* its column "step" is damaged$/);
    expect(await isAllHandled()).toBe(true);
  });

  test('a truncated or changed Parquet file is imported, or fails with an ImportError', async () => {
    const complete = fixture('trl/completions_00010.snappy.parquet');
    const outcome = (bytes: Uint8Array) => imported(bytes, 'trl').then(() => 'read', String);
    const plain = /^(read|ImportError: log(, (row|line) \d+)?(, column ".*")?: .*)$/;
    for (let at = 0; at < complete.length; at += 29) {
      const changed = complete.slice();
      changed[at] ^= 1 << (at % 8);
      expect(await outcome(changed)).toMatch(plain);
      const cut = await outcome(complete.slice(0, at));
      expect(cut).toMatch(plain);
      expect(cut).not.toMatch(/read$|undefined|function|null/);
    }
    expect(await isAllHandled()).toBe(true);
  });
});

describe('an invalid completions table', () => {
  test.each([
    ['[1]', 'log, row 1: 1 is not an object'],
    ['{\n "completion": 3\n}', 'log, row 1, column "prompt": missing; the row has completion'],
    ['{"completion": ["a"], "prompt": ["p", "q"]}', 'log, column "prompt": 2 rows, where "completion" has 1'],
    ['{"completion": ["a"], "prompt": 1}', 'log, column "prompt": 1 is neither a list nor an object of cells'],
    ['{"columns": ["a", "b"], "data": [[1, 2], [1]]}', 'log, row 2: [1] is not a list of 2 cells'],
    ['[{"prompt": "p"', 'log: not JSON'],
    ['{"prompt": "p"', 'log, line 1: not JSON'],
    ['PAR1 and no more', 'log: not a Parquet file that can be read'],
    [linesOf([{ prompt: 'p' }]), 'log, line 1, column "completion": missing; the row has prompt'],
    [linesOf([{ prompt: 'p', completion: 4 }]), 'log, line 1, column "completion": 4 is not a string'],
    [linesOf([{ prompt: 'p', completion: [{ content: 'c' }] }]), 'column "completion[0].role": undefined is not a'],
    [linesOf([{ step: {}, prompt: 'p', completion: 'c' }]), 'log, line 1, column "step": {} is not a number'],
  ])('an invalid completions table is an error: %s', async (content, message) => {
    await expect(imported(content, 'trl')).rejects.toThrow(message);
  });
});

describe('the table of TurnwiseGRPOTrainer', () => {
  test('MT-GRPO computes the turn advantages of a TurnwiseGRPOTrainer table from its turn rewards', async () => {
    const file = fixture('trl/turnwise_00002.parquet');
    const unread = await imported(file, 'trl');
    expect(unread.notes).toContain(
      'column turn_rewards could hold rewards of turns: --turn-rewards turn_rewards takes them',
    );
    const { groups, notes } = await imported(file, 'trl', undefined, { turnRewards: 'turn_rewards' });
    expect(notes).toContain('8 rows read; 1 group, 8 rollouts and 17 turns made');
    const rule = findRule('mt-grpo');
    // TRL's constants: epsilon 1e-4, ddof 1.
    const { advantage } = rule.credit(groups[0], {
      alpha: 0.5,
      absent: 'leave',
      epsilon: 1e-4,
      ddof: '1',
      scale: 'std',
      singleton: 'zero',
    });
    for (const [at, turn] of groups[0].turns.entries()) expect(turn.advantage).toBeCloseTo(advantage[at], 9);
    expect(groups[0].turns.some(({ reward }) => reward > 0)).toBe(true);
  });
});
