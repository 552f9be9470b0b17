import { describe, expect, test } from 'vitest';
import { fixture, fixtureRows, imported, linesOf } from './importLogs.ts';

const [RESULT] = fixtureRows('verifiers/results.jsonl');
const [TRAJECTORY] = fixtureRows('verifiers/trajectory.jsonl');
const [EPISODE] = fixtureRows('verifiers/traces.jsonl');
const [TRACE] = fixtureRows('verifiers/traces-0.2.jsonl');

describe('results.jsonl', () => {
  test('results.jsonl is imported as one group per example', async () => {
    const { groups, notes } = await imported(fixture('verifiers/results.jsonl'), 'verifiers');
    expect(groups.map(({ id, example_id, answer, info }) => [id, example_id, answer, info])).toEqual([
      ['example-0', 0, 'George Eliot', { source: 'wiki' }],
      ['example-1', 1, 'Lima', { source: 'wiki' }],
    ]);
    expect(groups[0].prompt).toEqual(RESULT.prompt);
    const [first, second, third] = groups[0].turns;
    expect(first).toEqual({
      parent: -1,
      reward: 0,
      state: 'start',
      action: 'search(query="Middlemarch")',
      text: '',
      observation: [{ role: 'tool', tool_call_id: 'call_1', content: 'A novel by George Eliot.' }],
      tool_calls: [expect.stringContaining('"search"')],
    });
    expect(second).toMatchObject({
      parent: 0,
      reward: 0,
      outcome: 1.1,
      components: { correct_answer: 1, format_reward: 0.5, num_turns: 2 },
      text: 'George Eliot',
      reasoning_content: 'The result says so.',
      stop_condition: 'no_tools_called',
      is_completed: true,
      token_usage: { output_tokens: 31 },
    });
    // Completed does not mean solved, the token count covers two turns, and metrics are already in components.
    for (const field of ['solved', 'tokens', 'correct_answer']) expect(second).not.toHaveProperty(field);
    expect(third).toMatchObject({ parent: -1, outcome: 0.1, tokens: 5 });
    expect(notes).toContain('rollouts that ended in an error (field "error"): 1');
    expect(notes).toContain('1 group with a lone rollout: rules that compare rollouts give no credit there');
  });

  test('a rollout of results.jsonl without a turn is left out', async () => {
    const [, { leftOut }] = (await imported(fixture('verifiers/results.jsonl'), 'verifiers')).groups;
    expect(leftOut).toEqual([
      expect.objectContaining({ outcome: 0, turns: [], error: expect.objectContaining({ error: 'ModelError' }) }),
    ]);
  });

  test('results.jsonl of early versions is grouped by prompt', async () => {
    const { groups } = await imported(fixture('verifiers/results-0.1.5.jsonl'), 'verifiers');
    expect(groups.map(({ id, turns }) => [id, turns.map(({ outcome }) => outcome)])).toEqual([['prompt-0', [1, 0]]]);
    expect(groups[0].turns[0]).toMatchObject({ correct_answer: 1, average_reward: 0.5 });
  });

  test('results.jsonl of completion mode is imported with texts instead of messages', async () => {
    const row = { ...RESULT, prompt: 'Once', completion: ' upon a time' };
    const [{ prompt, turns }] = (await imported(linesOf([row]), 'verifiers')).groups;
    expect([prompt, turns[0].text, turns[0].tokens]).toEqual(['Once', ' upon a time', 31]);
  });

  test('results.jsonl of several tasks may repeat example numbers, which are grouped by task', async () => {
    const rows = ['gsm8k', 'wiki'].map((task) => ({ ...RESULT, task }));
    const { groups } = await imported(linesOf(rows), 'verifiers');
    expect(groups.map(({ id, task }) => [id, task])).toEqual([
      ['gsm8k-example-0', 'gsm8k'],
      ['wiki-example-0', 'wiki'],
    ]);
  });

  test('the import of results.jsonl retains content parts in addition to their text', async () => {
    const content = [
      { type: 'text', text: 'Look:' },
      { type: 'image_url', image_url: { url: 'data:' } },
    ];
    const row = { ...RESULT, completion: [{ role: 'assistant', content }] };
    const [{ turns }] = (await imported(linesOf([row]), 'verifiers')).groups;
    expect(turns[0]).toMatchObject({ text: 'Look:', content });
  });

  test.each([
    [{ completion: undefined }, 'column "completion": missing'],
    [{ completion: 3 }, 'column "completion": 3 is not a list or null'],
    [{ completion: ['hi'] }, 'column "completion[0]": "hi" is not a message'],
    [{ prompt: undefined }, 'column "prompt": missing'],
    [{ reward: 'best' }, 'column "reward": "best" is not a number or null'],
    [{ metrics: [1] }, 'column "metrics": [1] is not an object'],
    [{ example_id: {} }, 'column "example_id": {} is not a number or a string'],
    [{ trajectory: [1, 2] }, 'column "trajectory[0]": 1 is not an object'],
    [{ trajectory: [{ reward: 'x' }, {}] }, 'column "trajectory[0].reward": "x" is not a number or null'],
  ])('an invalid row of results.jsonl is an error: %j', async (parts, message) => {
    await expect(imported(linesOf([{ ...RESULT, ...parts }]), 'verifiers')).rejects.toThrow(`log, line 1, ${message}`);
  });
});

describe('a trajectory in results.jsonl', () => {
  test('a trajectory in results.jsonl has separate rewards, tokens and advantages of its turns', async () => {
    const [{ turns }] = (await imported(fixture('verifiers/trajectory.jsonl'), 'verifiers')).groups;
    expect(turns.slice(0, 2)).toMatchObject([
      { reward: 0.25, tokens: 2, advantage: 0.6, text: '2', observation: [{ role: 'user', content: 'Higher.' }] },
      { reward: 1, outcome: 1.25, tokens: 3, text: '4', logged: { tokens: { completion_ids: [7, 8, 9] } } },
    ]);
    // The messages of the steps are in prompt and completion, and are not written again.
    for (const turn of turns) expect(turn).not.toHaveProperty('step');
  });

  test('turns of results.jsonl have reward 0 if every step of the trajectory has the reward of the rollout', async () => {
    const steps = (TRAJECTORY.trajectory as object[]).map((step) => ({ ...step, reward: 1.25 }));
    const [{ turns }] = (await imported(linesOf([{ ...TRAJECTORY, trajectory: steps }]), 'verifiers')).groups;
    expect(turns.map(({ reward }) => reward)).toEqual([0, 0]);
  });

  test('the import of results.jsonl retains the messages of a step whose prompt differs from the completion', async () => {
    const [first, second] = TRAJECTORY.trajectory as { prompt: object[] }[];
    const prompt = [{ role: 'user', content: 'In short: higher than 2.' }];
    const row = { ...TRAJECTORY, trajectory: [first, { ...second, prompt }] };
    const [{ turns }] = (await imported(linesOf([row]), 'verifiers')).groups;
    expect(turns[0]).not.toHaveProperty('step');
    expect(turns[1].step).toMatchObject({ prompt });
  });

  test('a trajectory in results.jsonl with a different number of steps than turns is retained unchanged', async () => {
    const { groups, notes } = await imported(fixture('verifiers/trajectory.jsonl'), 'verifiers');
    expect(groups[0].turns[4]).toMatchObject({ outcome: 1, tokens: 1, trajectory: [] });
    expect(notes).toContain('trajectories with other turns than their completion, kept but not used: 1');
  });
});

describe('traces.jsonl', () => {
  test('traces.jsonl is imported as one group per rollout group and agent', async () => {
    const { groups, notes } = await imported(fixture('verifiers/traces.jsonl'), 'verifiers');
    expect(groups.map(({ id, step }) => [id, step])).toEqual([['step-7/group-5d0f8a52-solver', 7]]);
    const [{ turns, prompt, task, leftOut }] = groups;
    expect(prompt).toEqual([
      { role: 'system', content: 'Search, then answer.' },
      { role: 'user', content: 'Who wrote Middlemarch?' },
    ]);
    expect(task).toMatchObject({ data: { answer: 'George Eliot' } });
    expect(turns.slice(0, 2)).toMatchObject([
      {
        parent: -1,
        reward: 0,
        tokens: 3,
        text: '',
        observation: [{ role: 'tool', content: 'A novel by George Eliot.' }],
        advantages: [0.5, 0.5, 0.5],
        call: { usage: { completion_tokens: 3 } },
      },
      { parent: 0, outcome: 1.1, tokens: 2, components: { correct: 1, format: 0.1 }, id: 't0', episode: { id: 'e0' } },
    ]);
    expect(leftOut).toMatchObject([{ id: 't2', ok: false, turns: [{ text: '' }] }]);
    expect(notes).toEqual(
      expect.arrayContaining([
        '4 rows read; 1 group, 3 rollouts and 4 turns made',
        '1 rollout without a reward: kept apart, in "leftOut"',
        'traces of agents that are not trained (judges, modelled users), left out: 1',
        'messages not of the policy whose token ids are left out: 5',
        'episodes without a trace, left out: 1',
        'rollouts that ended in an error (field "errors"): 1',
      ]),
    );
  });

  test('a trace whose context was rewritten is imported as one rollout, with a note', async () => {
    const { groups, notes } = await imported(fixture('verifiers/traces.jsonl'), 'verifiers');
    expect(groups[0].turns.slice(2)).toMatchObject([
      { parent: -1, reward: 0, tokens: 5, text: 'Let me think.' },
      {
        parent: 2,
        outcome: 0.2,
        tokens: 4,
        text: 'Jane Austen',
        continues: -1,
        context: [{ role: 'user', content: 'Summary: nothing yet.' }],
        // A call that failed belongs to no turn.
        calls: [expect.objectContaining({ error: { type: 'ProviderError', message: '503' } })],
      },
    ]);
    expect(notes).toContain('turns whose context was rewritten (field "continues"): 1');
  });

  test('messages after the last turn of a trace are the observation of that turn', async () => {
    const nodes = [...(TRACE.nodes as object[]), { parent: 1, message: { role: 'tool', content: 'done' } }];
    const [{ turns }] = (await imported(linesOf([{ ...TRACE, nodes }]), 'verifiers')).groups;
    expect(turns).toMatchObject([{ text: 'George Eliot', observation: [{ role: 'tool', content: 'done' }] }]);
  });

  test('traces.jsonl of version 0.2 has one trace per line and is grouped by task', async () => {
    const { groups } = await imported(fixture('verifiers/traces-0.2.jsonl'), 'verifiers');
    expect(groups.map(({ id, turns }) => [id, turns.map(({ outcome }) => outcome)])).toEqual([
      ['task-3', [1, 0]],
      ['task-4', [1]],
    ]);
  });

  test('an episode of traces.jsonl may have several rollouts of a group', async () => {
    const [trace] = EPISODE.traces as object[];
    const { groups, notes } = await imported(linesOf([{ ...EPISODE, traces: [trace, trace] }]), 'verifiers');
    expect(groups[0].turns.map(({ parent }) => parent)).toEqual([-1, 0, -1, 2]);
    expect(notes).toContain('messages not of the policy whose token ids are left out: 6');
  });

  test.each([
    [{ nodes: [{ parent: 0, message: { role: 'user' } }] }, 'column "nodes[0].parent": 0 is not an earlier node'],
    [{ nodes: [{ message: 'hi' }] }, 'column "nodes[0].message": "hi" is not a message'],
    [{ nodes: ['hi'] }, 'column "nodes[0]": not an object'],
    [{ task: undefined }, 'column "task": missing'],
    [{ rewards: undefined }, 'column "rewards": missing'],
    [{ rewards: { right: 'yes' } }, 'column "rewards.right": neither a number nor {score, weight}'],
    [{ traces: [1] }, 'column "traces[0]": not an object'],
  ])('an invalid row of traces.jsonl is an error: %j', async (parts, message) => {
    await expect(imported(linesOf([{ ...TRACE, ...parts }]), 'verifiers')).rejects.toThrow(`log, line 1, ${message}`);
  });
});
