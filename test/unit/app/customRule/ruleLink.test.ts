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
import { encodeCustomRule } from '../../../../src/credit/rules/custom/customRule.ts';
import { ruleText } from '../../../pythonRules.ts';

const customRule = {
  file: 'my_rule.py',
  values: { alpha: 0.5, profile: 'trl' },
  source: `${ruleText('mt-grpo')}# äöü → 😀\n`,
};

test('a link contains a complete custom rule in characters that are valid in an address', async () => {
  const hash = await ruleFragment(customRule);
  expect(hash).toMatch(/^#own=[\w-]+$/);
  expect(hash.length).toBeLessThan(customRule.source.length);
  expect(hasLinkedRule(hash)).toBe(true);
  expect(await readFragment(hash)).toEqual(customRule);
});

test('a custom rule that is too long for a link is rejected with its size [bytes]', async () => {
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
  ['an empty rule', '#own='],
  ['characters that are not base64url', '#own=???'],
  ['data that is not compressed text', '#own=AAAA'],
  ['the hash of another view', '#learn'],
  ['a rule that is too long', `#own=${'A'.repeat(MAX_LINK_BYTES + 1)}`],
])('a link with %s contains no custom rule', async (_, hash) => {
  expect(await readFragment(hash)).toBeUndefined();
});

test('a truncated link contains no custom rule, a rule of 59 KB that compresses well is read, and one of 110 KB is not', async () => {
  const hash = await ruleFragment(customRule);
  for (const end of [hash.length - 1, hash.length - 40, 20])
    expect(await readFragment(hash.slice(0, end))).toBeUndefined();
  const bomb = await ruleFragment({ ...customRule, source: ' '.repeat(59_000) });
  expect(await readFragment(bomb)).toMatchObject({ file: 'my_rule.py' });
  const long = await ruleFragment({ ...customRule, source: ' '.repeat(110_000) });
  expect(await readFragment(long)).toBeUndefined();
});

test('the query of an address contains only the digest of a custom rule, and a query cannot add a custom rule', () => {
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
