import { expect, test } from 'vitest';
import { openingGroup } from '../../../src/app/picture/groupPicture.ts';
import { questionText, loadProblems as repairProblems } from '../../../src/environments/repair/repairTasks.ts';
import { loadProblems as repoProblems } from '../../../src/environments/repo/repoTasks.ts';
import { issueText } from '../../../src/environments/repo/workingCopy.ts';
import meeting from '../../../src/experiments/challenge/tasks/meeting.json' with { type: 'json' };
import tree from '../../../src/experiments/challenge/tasks/tree.json' with { type: 'json' };

const repair = (await repairProblems()).map(questionText);
const repo = [await repoProblems('one'), await repoProblems('two')]
  .flatMap((split) => Object.values(split).flat())
  .map(({ issue }) => issueText(issue));

test.each([
  'List: sum of numbers above 5',
  'List: count of multiples of 4',
  'Text: index of char "d", else −1',
  'List and value: index of value, else None',
  'Two lists: pairwise sum',
  'Two numbers: gcd',
  'Number: count digits',
])('a shipped problem of Repair has the question "%s"', (question) => {
  expect(repair).toContain(question);
});

test('no question of a shipped problem contains the name of an argument or of a file', () => {
  expect(repo).toContain('Bug: app returns too high a value');
  expect([...repair, ...repo].filter((question) => /\(|\.py|\bneg\b/.test(question))).toEqual([]);
});

test('recorded groups have the questions of the shipped problems', async () => {
  const questions = async (name: 'repair' | 'repo', { groups }: typeof tree | typeof meeting) => [
    (await openingGroup(name))?.question,
    ...groups.map(({ question }) => question),
  ];
  expect((await questions('repair', tree)).filter((question) => !repair.includes(question ?? ''))).toEqual([]);
  expect((await questions('repo', meeting)).filter((question) => !repo.includes(question ?? ''))).toEqual([]);
  expect((await openingGroup('bandit'))?.question).toMatch(/^payout table \d+$/);
});
