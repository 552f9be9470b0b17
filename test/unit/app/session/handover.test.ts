import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type HandoverState,
  initialHandover,
  receiveMessage,
  requestRun,
  sendCommand,
} from '../../../../src/app/session/handover.ts';
import { OpenRun } from '../../../../src/app/session/openRun.ts';
import type { Command, Message, Status } from '../../../../src/training/data/protocol.ts';
import { metricsOf, savedRun } from '../appFixtures.ts';

const metrics = (step: number): Message => ({ type: 'metrics', metrics: metricsOf(step) });
const checkpoint: Message = { type: 'checkpoint', saved: savedRun() };
const status = (value: Status): Message => ({ type: 'status', status: value });
const start = { type: 'start', play: true } as Command;

function ready(run?: number): Message {
  return { type: 'ready', step: 0, ...(run === undefined ? {} : { run }) } as Message;
}

/** Returns the state after the page requests a run. */
function request(state: HandoverState, run: OpenRun): HandoverState {
  return sendCommand(requestRun(state, run), start);
}

test('a handover has the phases requested, leaving and running', () => {
  let state = request(initialHandover(new OpenRun('a')), new OpenRun('b'));
  expect(state.phase).toBe('requested');
  ({ state } = receiveMessage(state, status('loading')));
  expect(state.phase).toBe('leaving');
  const last = receiveMessage(state, checkpoint);
  expect([last.about, last.isSaved, last.state.run.id]).toEqual(['previous', true, 'a']);
  ({ state } = receiveMessage(state, ready()));
  expect([state.phase, state.run.id]).toEqual(['running', 'b']);
});

test('updates after an opened earlier state of the same run are discarded', () => {
  const state = request(initialHandover(new OpenRun('a')), new OpenRun('a'));
  expect(receiveMessage(state, metrics(3)).about).toBe('neither');
});

test('the status of the previous run does not change whether the next run trains', () => {
  const paused = sendCommand(request(initialHandover(new OpenRun('a')), new OpenRun('b')), { type: 'pause' });
  expect(receiveMessage(paused, status('playing')).state.trains).toBe(false);
  const { state } = receiveMessage(paused, ready());
  expect(receiveMessage(state, status('playing')).state.trains).toBe(true);
});

test('every message is about its run under any sequence of requests', () => {
  const actions = fc.array(fc.constantFrom('request', 'work', 'work', 'work'), { maxLength: 40 });
  fc.assert(
    fc.property(actions, (sequence) => {
      const runs = [new OpenRun('run-0')];
      let state = initialHandover(runs[0] as OpenRun);
      /** Messages of the worker that have not arrived, each with its run. */
      const sent: { readonly message: Message; readonly run: OpenRun }[] = [];
      for (const action of sequence) {
        if (action === 'request') {
          const present = runs.at(-1) as OpenRun;
          const run = new OpenRun(`run-${runs.length}`);
          sent.push({ message: status('loading'), run: present }, { message: checkpoint, run: present });
          sent.push({ message: ready(runs.length), run }, { message: metrics(0), run });
          state = request(state, run);
          runs.push(run);
          continue;
        }
        const next = sent.shift();
        if (!next) continue;
        const received = receiveMessage(state, next.message);
        state = received.state;
        if (next.message.type === 'status') continue;
        // A run that the user left before it started is not reported as the present run.
        if (received.about !== 'neither') expect(state.run).toBe(next.run);
        if (received.about === 'present') expect(next.run).toBe(runs.at(-1));
      }
      for (const { message } of sent) ({ state } = receiveMessage(state, message));
      expect([state.phase, state.run, state.next]).toEqual(['running', runs.at(-1), runs.at(-1)]);
    }),
    { numRuns: 1000 },
  );
});
