import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { paths } from '../src/credit/arithmetic/chains.ts';
import type { Group, Turn } from '../src/rollouts/forest.ts';
import { readGroups, writeGroups } from '../src/rollouts/jsonLines.ts';

const root = join(import.meta.dirname, '..');
const FILE = 'src/app/inspector/same-groups.jsonl';

/** Fields of a turn that rules read or tables show. */
const FIELDS: readonly (keyof Turn)[] = [
  ...['parent', 'reward', 'outcome', 'solved', 'passed', 'state', 'action', 'validates', 'tokens'],
  ...['logProb', 'values', 'stateValue'],
];

/** Commands that record groups, by the name of their file. The output file is the last argument, or standard output. */
const COMMANDS = {
  search: train('search --preset mt-grpo --questions 8 --groupSize 4'),
  repair: train('repair --preset verpo --questions 6 --groupSize 4'),
  tree: train('repair --preset murphy --questions 6 --groupSize 4'),
  delayed: benchmark('delayed'),
  recovery: benchmark('recovery'),
  stopping: benchmark('stopping'),
} as const;

function train(world: string): string {
  return `npm run turnwise -- train --engine exact --seed 1 --steps 1 --environment ${world} --groups`;
}

function benchmark(process: string): string {
  return `python3 -m turnwise_rl benchmark --process ${process} --batch 4 --seeds 12 --groups`;
}

// `npm run record:same-groups -- FOLDER`
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write(
    'usage: npm run record:same-groups -- FOLDER\nFOLDER keeps what the commands record; a file that is there is not recorded again.\n',
  );
  process.exit(2);
}
mkdirSync(folder, { recursive: true });

/** Returns a group that a command records. The command runs only if its file does not exist. */
function recorded(name: keyof typeof COMMANDS, id: string): Source {
  const file = join(folder, `${name}.jsonl`);
  const command = COMMANDS[name];
  if (!existsSync(file)) {
    const toFile = command.startsWith('npm');
    const result = spawnSync(toFile ? `${command} "$FILE" --out "$FILE.metrics"` : command, {
      ...{ shell: true, cwd: toFile ? root : join(root, 'python'), env: { ...process.env, FILE: file } },
      ...{ stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' },
    });
    if (result.status !== 0) throw new Error(`${command} ended with ${result.status}`);
    if (!toFile) writeFileSync(file, result.stdout);
  }
  return { group: named(readGroups(readFileSync(file, 'utf8')), id, file), source: `\`${command}\`, ${id}.` };
}

/** Returns a group of a file of this repository. */
function ofFile(file: string, id: string): Source {
  return { group: named(readGroups(readFileSync(join(root, file), 'utf8')), id, file), source: `\`${file}\`, ${id}.` };
}

/** Returns some rollouts of the group that the page shows when it opens. */
function opening(name: string, rollouts: readonly number[]): Source {
  const file = `src/app/picture/opening/${name}.json`;
  const { forest } = JSON.parse(readFileSync(join(root, file), 'utf8')) as { readonly forest: Group };
  const chosen = rollouts.map((index) => paths(forest)[index]);
  const turns = chosen.flat();
  const group = {
    id: forest.id,
    turns: turns.map((turn) => ({ ...forest.turns[turn], parent: turns.indexOf(forest.turns[turn].parent) })),
  };
  return { group, source: `\`${file}\`, rollouts ${rollouts.join(', ')}.` };
}

function named(groups: readonly Group[], id: string, file: string): Group {
  const group = groups.find((group) => group.id === id);
  if (!group) throw new Error(`${file} has no group "${id}"`);
  return group;
}

interface Source {
  readonly group: Group;
  readonly source: string;
}

/** Returns a turn with the fields of FIELDS. Numbers have 6 decimals. */
function shortTurn(turn: Turn): Turn {
  const entries = Object.entries(turn).filter(([name]) => (FIELDS as readonly string[]).includes(name));
  return JSON.parse(
    JSON.stringify(Object.fromEntries(entries), (_, value) =>
      typeof value === 'number' ? Number(value.toFixed(6)) : value,
    ),
  ) as Turn;
}

/**
 * Groups of docs/reference/same-groups.md, in order: id, source, and the sentences above the table. A test compares the
 * sentences with the credit.
 */
const GROUPS: readonly (readonly [id: string, source: Source, note: string])[] = [
  [
    'search-memory-pays',
    recorded('search', 'step-0-group-1'),
    'Memory has outcome 1, and a search has outcome 0.2. GRPO-OR gives the searches −0.866 and the turns without a search +0.866. Under MT-GRPO the turn rewards offset this difference: all first turns get 0.',
  ],
  [
    'search-equal-outcomes',
    recorded('search', 'step-0-group-4'),
    'All outcomes are 0.2, so GRPO-OR gives 0 to every turn. MT-GRPO compares turn rewards: the search for the right document (turn 2) gets +1.25, and the turns without a search get −0.808.',
  ],
  [
    'search-tool-lost',
    ofFile('test/fixtures/lessons/tool-dies.jsonl', 'step-64-group-2'),
    'No rollout calls the search tool. All first turns have the same reward, so MT-GRPO gives the same credit as GRPO-OR, and no credit favors a search.',
  ],
  [
    'repair-fixed',
    recorded('repair', 'step-0-group-21'),
    'Turns 1 and 5 are wrong programs, which turns 2 and 6 repair. MT-GRPO gives them +1.08, more than the program of turn 0 that is right at once. VeRPO gives them +0.112, less than that program.',
  ],
  [
    'repair-tree',
    recorded('tree', 'step-0-group-1'),
    'Four programs continue turn 0. Murphy-MaRS credits turn 0 with the best of them and gives it 0, the same as the programs that are right at once. TreeGRPO gives it their weighted mean, −0.526.',
  ],
  [
    'repository-states',
    opening('repo', [0, 1, 6, 7]),
    'GDPO gives the failed rollout of 12 turns (turns 20 to 31) the largest credit, +5.63, because only this rollout has rewards at the last turns. RTMC gives turns 6 and 13 equal credit: same state, same action.',
  ],
  [
    'bandit-bait',
    ofFile('test/fixtures/lessons/true-worth.jsonl', 'step-3-group-1'),
    'The first action c leads to outcome 1 after turns 0, 2 and 6, and to outcome 0 after turns 10 and 14. RTMC gives the action the same credit everywhere, +0.312. GRPO-OR gives it +1.19 or −0.879.',
  ],
  [
    'delayed-effect',
    recorded('delayed', 'delayed-seed-4'),
    'Only first turns change the return, and in turn 0 the action GOOD fails by chance. VinePPO with exact values gives turn 0 +0.300 and turns 1 to 6 0. GRPO-OR gives −1.50 to all eight turns.',
  ],
  [
    'error-recovery',
    recorded('recovery', 'recovery-seed-2'),
    'Turn 0 is an error, and turn 1 repairs it. VinePPO with exact values gives the error −0.250. GRPO-OR gives both turns +0.866.',
  ],
  [
    'when-to-stop',
    recorded('stopping', 'stopping-seed-5'),
    'In turn 4 the policy is right to continue, and turns 5 and 6 are errors. VinePPO with exact values gives +0.813, −0.375 and −0.250. GRPO-OR gives −0.387 to all three turns.',
  ],
];

const groups = GROUPS.map(([id, { group, source }, note]) => ({
  ...{ id, note, source },
  ...(group.outcomeIsTotal === undefined ? {} : { outcomeIsTotal: group.outcomeIsTotal }),
  turns: group.turns.map(shortTurn),
}));
writeFileSync(join(root, FILE), writeGroups(groups));
process.stdout.write(`${FILE}: ${groups.length} groups\n`);
