import { describe, expect, test } from 'vitest';
import { LineSource, parsePythonJson } from '../../../../src/rollouts/import/logFile.ts';
import { splitOutput } from '../../../../src/rollouts/import/messages.ts';
import { callsOf } from '../../../../src/rollouts/import/turnSignals.ts';
import { fixtureRows, logOf } from './importLogs.ts';

const QWEN = 'system\nS\nuser\nQ\nassistant\n';
/** Returns the role and the content of each message of an output. */
const split = (prompt: string, output: string) =>
  splitOutput(prompt, output).map(({ role, content }) => [role, content]);

describe('calls in the text of a turn', () => {
  const calls = (text: string) => callsOf({ text, fields: {} });

  test('callsOf returns calls in the order of the text, with sorted JSON arguments', () => {
    const json = '<tool_call>\n{"name": "add", "arguments": {"b": 2, "a": 1}}\n</tool_call>';
    expect(calls(`I add. ${json} <search> cats\nand dogs </search>`)).toEqual([
      'add(a=1, b=2)',
      'search(cats\nand dogs)',
    ]);
  });

  test('a call in the text of a turn ends at the closing tag of the same name, or at the end of the text', () => {
    expect(calls('<search>a</code> <code>b</search> c')).toEqual(['search(a</code> <code>b)']);
    expect(calls('<code>a</code><bash>ls')).toEqual(['code(a)', 'bash(ls)']);
    expect(calls('<bash>ls</bash> <bash>')).toEqual(['bash(ls)', 'bash()']);
    expect(calls('a < b and <b>')).toEqual([]);
  });
});

describe('splitOutput', () => {
  test('splitOutput returns one message if the role lines of an output form no conversation', () => {
    for (const output of ['', 'A', 'A\n', 'A\nuser\nB', 'user\n', 'One:\nassistant\nTwo', 'A\nuser\nB\ntool\nC']) {
      expect(split(QWEN, output)).toEqual([['assistant', output]]);
    }
  });

  test('splitOutput splits at role lines if the prompt has role lines or the output begins with one', () => {
    const output = 'A\nuser\nB\nassistant\nC\n\ntool\nD\n\nassistant\n';
    const parts = [
      ['assistant', 'A'],
      ['user', 'B'],
      ['assistant', 'C\n'],
      ['tool', 'D\n'],
      ['assistant', ''],
    ];
    expect(split(QWEN, output)).toEqual(parts);
    // The template of Qwen3 may open a think block, or open and close it.
    expect(split(`${QWEN}<think>\n`, output)).toEqual(parts);
    expect(split(`${QWEN}<think>\n\n</think>\n\n`, output)).toEqual(parts);
    // Outputs in some logs of verl begin with the role.
    expect(split('Q', `assistant\n${output}`)).toEqual(parts);
    // Llama 3 without its special tokens has no newline before a role.
    expect(split('system\n\nSuser\n\nQassistant\n\n', output)).toEqual([['assistant', output]]);
    expect(split('Q', output)).toEqual([['assistant', output]]);
  });

  test('splitOutput returns consecutive tool messages separately', () => {
    expect(split(QWEN, 'A\ntool\nB\ntool\nC\nassistant\nD')).toEqual([
      ['assistant', 'A'],
      ['tool', 'B'],
      ['tool', 'C'],
      ['assistant', 'D'],
    ]);
  });

  test('splitOutput ignores role lines in tool responses, and assigns the text before them to the policy', () => {
    const responses = '<tool_response>\nassistant\nuser\n</tool_response>\n<tool_response>\n1\n</tool_response>';
    expect(split(QWEN, `I am the\nuser\nhere.\nuser\n${responses}\nassistant\nC`)).toEqual([
      ['assistant', 'I am the\nuser\nhere.'],
      ['user', responses],
      ['assistant', 'C'],
    ]);
  });

  test('splitOutput accepts a complete or truncated tool response at the end', () => {
    for (const response of ['<tool_response>\n1\n</tool_response>', '<tool_response>\n1\nassistant\n2']) {
      expect(split(QWEN, `A\nuser\n${response}`)).toEqual([
        ['assistant', 'A'],
        ['user', response],
      ]);
    }
  });

  test.each([
    ['ChatML', 'A<|im_end|>\n<|im_start|>user\nB<|im_end|>\n<|im_start|>assistant\nC<|im_end|>'],
    [
      'Llama 3',
      'A<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nB<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nC',
    ],
    ['Gemma', 'A<end_of_turn>\n<start_of_turn>user\nB<end_of_turn>\n<start_of_turn>model\nC<end_of_turn>\n'],
  ])('splitOutput splits at the markers of %s', (_, output) => {
    expect(split('Q', output)).toEqual([
      ['assistant', 'A'],
      ['user', 'B'],
      ['assistant', 'C'],
    ]);
  });

  test('splitOutput splits the example in the documentation of verl', () => {
    // docs/sglang_multiturn/sandbox_fusion.rst, shortened.
    const output =
      'assistant\n<think>\n<tool_call>\n{}\n</tool_call>\ntool\n220000.0\n\nassistant\n<think>\n</think>\n\n#### 220000.0';
    expect(split('user\nQ\nassistant\n', output).map(([role]) => role)).toEqual(['assistant', 'tool', 'assistant']);
  });
});

describe("Python's JSON", () => {
  test('parsePythonJson returns null for NaN and infinities outside strings, and counts them', () => {
    const text = '{"a": NaN, "b": [Infinity, -Infinity, -1], "c": "NaN \\\\", "NaN": "\\"Infinity\\\\\\" NaN"}';
    expect(parsePythonJson(text)).toEqual({
      value: { a: null, b: [null, null, -1], c: 'NaN \\', NaN: '"Infinity\\" NaN' },
      notNumbers: 3,
    });
    expect(parsePythonJson('{"a": "NaN"}')).toEqual({ value: { a: 'NaN' }, notNumbers: 0 });
  });

  test.each(['{"a": NaN', '{"a": NaNs}', '{"a": undefined}', '"open NaN'])(
    'parsePythonJson throws a SyntaxError for %s',
    (text) => {
      expect(() => parsePythonJson(text)).toThrow(SyntaxError);
    },
  );
});

describe('LineSource', () => {
  const read = async (content: string | Uint8Array) => {
    const source = new LineSource(logOf(content));
    const entries = [];
    for await (const { row, at } of source.rows()) {
      // Every row can be read again at its position.
      expect((await source.at(at)).columns).toEqual(row.columns);
      entries.push([row.location.line, row.columns]);
    }
    return entries;
  };

  test('LineSource accepts empty lines, carriage returns, a byte order mark and no newline at the end', async () => {
    expect(await read('\uFEFF{"a": 1}\r\n\r\n  \n{"a": "ä"}')).toEqual([
      [1, { a: 1 }],
      [4, { a: 'ä' }],
    ]);
    expect(await read('')).toEqual([]);
  });

  test('LineSource joins lines and characters that extend over several pieces of a file', async () => {
    // Lines are shorter and longer than the pieces of 1 MiB, and characters have three bytes.
    const rows = [1, 349_520, 349_521, 349_522, 349_523, 700_000, 2].map((length) => ({ text: '€'.repeat(length) }));
    const content = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    expect(await read(content)).toEqual(rows.map((row, index) => [index + 1, row]));
    expect(await read(content.trimEnd())).toHaveLength(rows.length);
  });

  test.each([
    ['{"a": 1}\n{"a": \n', 'log, line 2: not JSON'],
    ['\n\n[1]\n', 'log, line 3: [1] is not an object'],
    ['{"a": 1}\nnull', 'log, line 2: null is not an object'],
    [Uint8Array.of(0x7b, 0xff, 0x7d), 'log, line 1: not UTF-8 text'],
  ])('LineSource throws an error for %s', async (content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });
});

test('the prompts in the verl fixture end with the line "assistant", as in the template of Qwen', () => {
  for (const { input } of fixtureRows('verl/10.jsonl')) expect(input).toMatch(/\nassistant\n$/);
});
