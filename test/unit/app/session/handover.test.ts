import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type HandoverState,
  initialHandover,
  receiveMessage,
  renameRun,
  requestRun,
  sendCommand,
} from '../../../../src/app/session/handover.ts';
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
function request(state: HandoverState, id: string): HandoverState {
  return sendCommand(requestRun(state, id), start);
}

test('a handover has the phases requested, leaving and running', () => {
  let state = request(initialHandover('a'), 'b');
  expect(state.phase).toBe('requested');
  ({ state } = receiveMessage(state, status('loading')));
  expect(state.phase).toBe('leaving');
  const last = receiveMessage(state, checkpoint);
  expect([last.about, last.isSaved, last.state.id]).toEqual(['previous', true, 'a']);
  ({ state } = receiveMessage(state, ready()));
  expect([state.phase, state.id]).toEqual(['running', 'b']);
});

test('updates after an opened earlier state of the same run are discarded', () => {
  const state = request(initialHandover('a'), 'a');
  expect(receiveMessage(state, metrics(3)).about).toBe('neither');
});

test('the status of the previous run does not change whether the next run trains', () => {
  const paused = sendCommand(request(initialHandover('a'), 'b'), { type: 'pause' });
  expect(receiveMessage(paused, status('playing')).state.trains).toBe(false);
  const { state } = receiveMessage(paused, ready());
  expect(receiveMessage(state, status('playing')).state.trains).toBe(true);
});

test('every message has the id of its run under any sequence of requests and renames', () => {
  const actions = fc.array(fc.tuple(fc.constantFrom('request', 'work', 'work', 'work', 'rename'), fc.nat(9)), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(actions, (sequence) => {
      let state = initialHandover('run-0');
      /** Current ids of the runs, by number. A renamed run has a new id. */
      const ids = ['run-0'];
      /** Messages of the worker that have not arrived, each with the number of its run. */
      const sent: { readonly message: Message; readonly run: number }[] = [];
      let present = 0;
      for (const [action, argument] of sequence) {
        if (action === 'request') {
          const run = ids.length;
          ids.push(`run-${run}`);
          state = request(state, `run-${run}`);
          sent.push({ message: status('loading'), run: present }, { message: checkpoint, run: present });
          sent.push({ message: ready(run), run }, { message: metrics(argument), run });
          present = run;
        } else if (action === 'rename') {
          const run = argument % ids.length;
          const [id, newId] = [ids[run] ?? '', `renamed-${argument}-${ids.length}-${sent.length}`];
          ids[run] = newId;
          state = renameRun(state, id, newId);
        } else {
          const next = sent.shift();
          if (!next) continue;
          const received = receiveMessage(state, next.message);
          state = received.state;
          if (next.message.type === 'status') continue;
          // A run that the user left before it started is not reported as the present run.
          if (received.about === 'present') expect([next.run, state.id]).toEqual([ids.length - 1, ids[next.run]]);
          if (received.about === 'previous') expect(state.id).toBe(ids[next.run]);
        }
      }
      expect(state.nextId).toBe(ids.at(-1));
      for (const { message } of sent) ({ state } = receiveMessage(state, message));
      expect([state.phase, state.id]).toEqual(['running', ids.at(-1)]);
    }),
    { numRuns: 1000 },
  );
});
