import { describe, expect, test } from 'vitest';
import { readViewAddress } from '../../../../src/app/address/viewAddress.ts';
import {
  inspectAddress,
  locatedFindings,
  readInspectPath,
  signalLines,
} from '../../../../src/app/inspector/logFindings.ts';
import { type Finding, GROUP_SORTS } from '../../../../src/diagnosis/diagnosis.ts';

describe('a link to a group', () => {
  test('a link to a group contains the order of the groups and the number of the group', () => {
    for (const sort of GROUP_SORTS) {
      const address = readViewAddress(inspectAddress(sort, 16));
      expect([address.view, readInspectPath(address.path)]).toEqual(['inspect', { sort, group: 17, problems: [] }]);
    }
    expect(readInspectPath([])).toEqual({ problems: [] });
  });

  test('invalid parts of a link to a group are omitted and reported', () => {
    expect(readInspectPath(['size', '0'])).toEqual({
      problems: [
        'The link names the order “size”, which is not one of file, disagreement, deviation, ties.',
        'The link names the group “0”, which is not a number from 1.',
      ],
    });
    expect(readInspectPath(['ties', '9999999999'])).toMatchObject({
      sort: 'ties',
      problems: [expect.stringContaining('9999999999')],
    });
  });
});

test('a finding has the positions of its groups, without groups that the file lacks', () => {
  const finding: Finding = {
    ...{ kind: 'truncated', confidence: 'medium', title: 't', evidence: [], next: 'n' },
    groups: ['b', 'missing', 'a'],
  };
  expect(locatedFindings([finding], ['a', 'b', 'b'])).toEqual([{ ...finding, groups: ['b', 'a'], at: [1, 0] }]);
});

describe('text on the signals of a group', () => {
  const signals = { deviation: 0.5, tie: undefined, opposed: 0.25, rules: ['logged', 'rtmc'] };

  test('the text on a group states its position, standard deviation and share of turns with opposite signs', () => {
    expect(signalLines(signals, 'deviation', 2, 10)).toEqual([
      'Position 3 of 10 in this order.',
      'Standard deviation of the outcomes: 0.50.',
      'Opposite signs under the advantages of the log and RTMC: 25 % of the turns.',
    ]);
  });

  test('the text on a group states the reason if its rollouts cannot be compared', () => {
    expect(signalLines({ ...signals, tie: 'all solved' }, 'file', 0, 10)).toEqual(['No comparison: all solved.']);
  });
});
