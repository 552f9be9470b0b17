import { expect, test } from 'vitest';
import { defaultConfiguration, tablesFor } from '../../../../src/app/address/pageTables.ts';
import { DEFAULT_VIEW, readUrl, writeUrl } from '../../../../src/app/address/url.ts';
import {
  hasLinkedRule,
  LongLinkError,
  MAX_LINK_BYTES,
  readFragment,
  ruleFragment,
} from '../../../../src/app/customRule/ruleLink.ts';
import { encodeCustomRule } from '../../../../src/credit/rules/custom/customSource.ts';
import { ruleText } from '../../../pythonRules.ts';

const customRule = {
  file: 'my_rule.py',
  values: { alpha: 0.5, profile: 'trl' },
  source: `${ruleText('mt-grpo')}# äöü → 😀\n`,
};

test('a link holds the whole rule, in letters that an address may have', async () => {
  const hash = await ruleFragment(customRule);
  expect(hash).toMatch(/^#own=[\w-]+$/);
  expect(hash.length).toBeLessThan(customRule.source.length);
  expect(hasLinkedRule(hash)).toBe(true);
  expect(await readFragment(hash)).toEqual(customRule);
});

test('a rule that is too long for a link is refused, with its size', async () => {
  let state = 1;
  const noise = Array.from({ length: 20_000 }, () => {
    state = (state * 48271) % 2147483647;
    return String.fromCharCode(33 + (state % 90));
  }).join('');
  const rejection = await ruleFragment({ ...customRule, source: `# ${noise}` }).catch((error: unknown) => error);
  expect(rejection).toBeInstanceOf(LongLinkError);
  expect((rejection as LongLinkError).bytes).toBeGreaterThan(MAX_LINK_BYTES);
});

test.each([
  ['nothing', '#own='],
  ['no letters', '#own=???'],
  ['no compressed text', '#own=AAAA'],
  ['another place', '#learn'],
  ['too many letters', `#own=${'A'.repeat(MAX_LINK_BYTES + 1)}`],
])('a link with %s brings no rule', async (_, hash) => {
  expect(await readFragment(hash)).toBeUndefined();
});

test('a link that is cut off or unpacks to an oversized text adds no rule', async () => {
  const hash = await ruleFragment(customRule);
  for (const end of [hash.length - 1, hash.length - 40, 20])
    expect(await readFragment(hash.slice(0, end))).toBeUndefined();
  const bomb = await ruleFragment({ ...customRule, source: ' '.repeat(59_000) });
  expect(await readFragment(bomb)).toMatchObject({ file: 'my_rule.py' });
});

test('no query of an address brings a rule into a run: it has a mark in its place', () => {
  const base = defaultConfiguration('search');
  const name = encodeCustomRule(customRule);
  const link = writeUrl(
    { ...base, controls: { ...base.controls, rule: name }, schedule: [{ step: 3, changes: { rule: name } }] },
    DEFAULT_VIEW,
  );
  expect(link).toMatch(/rule=own-[0-9a-f]{8}&.*at=3:rule=own-[0-9a-f]{8}$/);
  const read = readUrl(`?v=1&rule=${encodeURIComponent(name)}&at=3:rule=${encodeURIComponent(name)}`);
  expect(read.configuration.controls.rule).toBe(tablesFor('search').rule.default);
  expect(JSON.stringify(read)).not.toContain('trajectories');
  expect(read.notices.length).toBeGreaterThan(0);
});
