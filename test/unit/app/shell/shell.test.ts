import { describe, expect, it } from 'vitest';
import { defaultConfiguration } from '../../../../src/app/address/pageTables.ts';
import { DEFAULT_VIEW, readUrl } from '../../../../src/app/address/url.ts';
import { PLAYGROUND_PANELS } from '../../../../src/app/address/viewAddress.ts';
import { Pace } from '../../../../src/app/controls/transport.ts';
import { arxivOf, type FormulaPiece, formulaPieces, webAddressOf } from '../../../../src/app/glossary/ruleText.ts';
import { listTerms, questionLegend } from '../../../../src/app/glossary/terms.ts';
import { shortLabel } from '../../../../src/app/inspector/rolloutTree.ts';
import { Answers } from '../../../../src/app/look/answers.ts';
import { frameCode, frameQuery } from '../../../../src/app/shell/sharePanel.ts';
import { targetsOf } from '../../../../src/app/shell/targets.ts';
import { glossaryStrings } from '../../../../src/app/strings/glossaryStrings.ts';
import { strings } from '../../../../src/app/strings/strings.ts';
import { RULES } from '../../../../src/credit/rules.ts';
import { ENVIRONMENT_NAMES } from '../../../../src/training/data/configuration.ts';

describe('messages next to buttons', () => {
  it('each location on the page retains its newest message, and every change is reported', () => {
    let changes = 0;
    const answers = new Answers(() => changes++);
    answers.failed('runs', 'damaged');
    answers.done('share', 'copied');
    answers.done('runs', 'opened');
    expect(answers.at('runs')).toEqual({ text: 'opened', failed: false });
    expect(answers.at('share')).toEqual({ text: 'copied', failed: false });
    answers.clear();
    expect([answers.at('runs'), answers.at('share'), changes]).toEqual([undefined, undefined, 4]);
  });
});

describe('an embedded page', () => {
  const configuration = { ...defaultConfiguration('repair'), seed: 7 };

  it('an embedded page has the run and panels of its link', () => {
    const view = { ...DEFAULT_VIEW, panels: ['chart', 'group'] } as const;
    expect(readUrl(frameQuery(configuration, view))).toMatchObject({
      configuration: { environment: 'repair', seed: 7 },
      view: { embed: true, panels: ['chart', 'group'] },
    });
  });

  it('the frame address names the default panels, so that the frame continues to show them', () => {
    expect(readUrl(frameQuery(configuration, DEFAULT_VIEW)).view.panels).toEqual(PLAYGROUND_PANELS);
  });

  it('the frame has the additional runs', () => {
    const additional = [{ ...configuration, seed: 8 }];
    const query = frameQuery(configuration, DEFAULT_VIEW, additional);
    expect(readUrl(query).additionalRuns).toMatchObject([{ seed: 8 }]);
  });

  it('the HTML code of a frame escapes its address and title', () => {
    expect(frameCode('https://a.example/?v=1&x="<', 'A & B')).toContain(
      'src="https://a.example/?v=1&amp;x=&quot;&lt;" title="A &amp; B"',
    );
  });
});

describe('the table of contents', () => {
  it('the table of contents has each panel of a view once, in the order of the page', () => {
    const all = Object.keys(strings.shell.contents.targets);
    const targets = all.filter((target) => !['inspector', 'truth', 'python'].includes(target));
    expect(targetsOf(DEFAULT_VIEW)).toEqual(targets);
    expect(targetsOf(DEFAULT_VIEW, 'inspect')).toEqual(['inspector', 'truth', 'share', 'words']);
    expect(targetsOf(DEFAULT_VIEW, 'play', true)).toEqual(all);
    const some = { ...DEFAULT_VIEW, panels: ['curves', 'group', 'runs'] } as const;
    expect(targetsOf(some)).toEqual(['curves', 'group', 'runs', 'share', 'words']);
    expect(targetsOf({ ...some, embed: true })).toEqual(['curves', 'group', 'runs']);
    expect(targetsOf(some)).toBe(targetsOf(some));
  });
});

describe('time left', () => {
  it('the time left follows the latest steps, and is undefined for fewer than four reports', () => {
    const pace = new Pace();
    const reported = [100, 99, 98, 97, 96].map((left, index) => {
      pace.note(left, 500 * index);
      return pace.secondsLeft;
    });
    expect(reported).toEqual([undefined, undefined, undefined, 48.5, 48]);
    // From here, the pace is half. After forty steps, only the new pace counts.
    for (let left = 95; left > 40; left--) pace.note(left, 2000 + 1000 * (96 - left));
    expect(pace.secondsLeft).toBeCloseTo(41, 6);
  });

  it('the time left restarts with another task, and a step that is reported twice counts once', () => {
    const pace = new Pace();
    for (let step = 0; step < 10; step++) pace.note(10 - step, 1000 * step);
    expect(pace.secondsLeft).toBeCloseTo(1, 6);
    pace.note(1, 60_000);
    expect(pace.secondsLeft).toBeCloseTo(1, 6);
    pace.note(500, 61_000);
    expect(pace.secondsLeft).toBeUndefined();
  });
});

describe('short labels', () => {
  it.each([
    ['answer v32', 10, 'answer v32'],
    ['answer v32', 7, 'ans…v32'],
    ['answer v32', 4, '…v32'],
    ['answer v32', 3, '…32'],
    ['modify app.py x y', 9, 'modify…y'],
    ['view helper.py', 8, 'vie…r.py'],
    ['finish', 3, '…sh'],
  ])('the label %s in at most %i characters is %s', (text, letters, label) => {
    expect(shortLabel(text, letters)).toBe(label);
    expect(shortLabel(text, letters).length).toBeLessThanOrEqual(letters);
  });

  it('short labels distinguish actions with the same beginning', () => {
    const labels = ['v3', 'v12', 'v32', 'v40'].map((value) => shortLabel(`answer ${value}`, 6));
    expect(new Set(labels).size).toBe(4);
  });
});

describe('formulas', () => {
  const plain = (pieces: string | readonly FormulaPiece[]): string =>
    typeof pieces === 'string'
      ? pieces
      : pieces
          .map(
            ({ level, pieces: inner }) =>
              ({ line: plain(inner), super: `⟨${plain(inner)}⟩`, sub: `[${plain(inner)}]` })[level],
          )
          .join('');

  it.each([
    ['A^O_i = normalise R^O_i', 'A⟨O⟩[i] = normalise R⟨O⟩[i]'],
    ['Σ_{l=k}^{K_i−1} α^{l−k} A^I_{i,l}', 'Σ[l=k]⟨K[i]−1⟩ α⟨l−k⟩ A⟨I⟩[i,l]'],
    ['R_i = decay^(K_i − 1) if solved', 'R[i] = decay⟨K[i] − 1⟩ if solved'],
    ['1/(n−1)', '1/(n−1)'],
  ])('the formula %s has superscripts and subscripts', (text, drawn) => {
    expect(plain(formulaPieces(text))).toBe(drawn);
  });

  it('the formulas of all rules are parsed completely, without remaining carets', () => {
    for (const { formula } of RULES)
      for (const line of formula) expect(plain(formulaPieces(line)), line).not.toMatch(/[\^_]/);
  });
});

describe('the glossary', () => {
  it('every paper with an arXiv number or a GitHub address has a link', () => {
    const references = RULES.map(({ paper }) => paper.reference).filter((text) => /arxiv|github/i.test(text));
    expect(references.length).toBeGreaterThan(0);
    for (const reference of references) {
      const source = arxivOf(reference) ?? webAddressOf(reference);
      expect(source, reference).toMatch(/^(\d{4}\.\d{5}|github\.com\/[\w./-]+)$/);
    }
  });

  it('the terms of each panel are in the glossary and listed once', () => {
    for (const environment of ENVIRONMENT_NAMES) {
      for (const panel of ['curves', 'controls', 'group', 'inspector', 'truth'] as const) {
        const terms = listTerms(panel, environment);
        expect(new Set(terms).size).toBe(terms.length);
        for (const term of terms) expect(glossaryStrings.meanings[term]).toHaveLength(2);
      }
    }
  });

  it('the glossary explains the question of each environment', () => {
    expect(questionLegend('search', 'Mira: born in?')).toBe('The answer is a city, such as Quito.');
    expect(questionLegend('search', 'Mira: taught by, born in?')).toMatch(
      /a search finds a person, .* a city, such as Quito\.$/,
    );
    expect(questionLegend('search', 'something else')).toBeUndefined();
    expect(questionLegend('repair', 'List: every 2 from first')).toContain('arguments');
    expect(questionLegend('repo', 'Bug: app returns too low a value')).toContain('first failing test');
  });
});
