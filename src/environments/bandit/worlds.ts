import type { NamedWorld } from '../descriptor.ts';

/**
 * Controls of worlds in which only the last turn has a reward. Only a rule that compares states distinguishes turns
 * there.
 */
const STATE_RULE = { rule: 'rtmc' };

/** Worlds of the bandit. Runs use the first world by default. */
export const BANDIT_WORLDS: readonly NamedWorld[] = [
  {
    name: 'two-turns',
    title: 'Key and door',
    shows: 'The first action takes a bait or a key, the second a door.',
    settings: {},
    controls: {},
  },
  {
    name: 'delayed',
    title: 'Delayed effect',
    shows: 'The first of 8 actions decides how probable reward 1 is, .8 or .2. The later actions change nothing.',
    sentence: 'The first of eight actions decides. Which turn gets the credit?',
    settings: { process: 'delayed' },
    controls: STATE_RULE,
  },
  {
    name: 'recovery',
    title: 'Recovery',
    shows: 'GOOD ends with reward 1. After BAD a second turn repairs the error, or gives up.',
    sentence: 'A second turn can repair an error. Which turn gets the credit?',
    settings: { process: 'recovery' },
    controls: STATE_RULE,
  },
  {
    name: 'stopping',
    title: 'Stopping',
    shows: 'In each of 5 turns the policy stops and collects 0, 2, 1, 3 or 0, or continues.',
    sentence: 'The agent chooses the turn in which it stops. Which turn gets the credit?',
    settings: { process: 'stopping' },
    controls: STATE_RULE,
  },
];
