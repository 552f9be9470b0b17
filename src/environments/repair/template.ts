/**
 * Programs with choice sites. `{A|B|C}` is a site whose first option is right and whose others are typical bugs;
 * `{A?B?C}` a hidden convention: A is right for this problem, but its prompt does not say which.
 */
export interface Template {
  /** [sites + 1]: the text around the sites. */
  readonly parts: readonly string[];
  readonly sites: readonly Site[];
}

export interface Site {
  /** Texts, the right one first. */
  readonly options: readonly string[];
  /** True if the prompt does not determine the right option. */
  readonly hidden: boolean;
}

/** Reads a template from its text. @throws {RangeError} for a site with fewer than two options */
export function parseTemplate(text: string): Template {
  const parts: string[] = [];
  const sites: Site[] = [];
  let end = 0;
  for (const match of text.matchAll(/\{([^{}]*)\}/g)) {
    const hidden = match[1].includes('?');
    const options = match[1].split(hidden ? '?' : '|');
    if (options.length < 2) throw new RangeError(`site ${match[0]} has one option`);
    parts.push(text.slice(end, match.index));
    sites.push({ options, hidden });
    end = match.index + match[0].length;
  }
  return { parts: [...parts, text.slice(end)], sites };
}

/** The source that a choice of options gives. @param choice [sites] index of the option of each */
export function renderTemplate({ parts, sites }: Template, choice: readonly number[]): string {
  return parts[0] + sites.map(({ options }, site) => options[choice[site]] + parts[site + 1]).join('');
}

/** All choices, the right program first; the last site changes fastest. */
export function allChoices({ sites }: Template): number[][] {
  return sites.reduce<number[][]>(
    (choices, { options }) => choices.flatMap((choice) => options.map((_, option) => [...choice, option])),
    [[]],
  );
}

/** The text of a site. */
export function site(right: string, ...wrong: readonly string[]): string {
  return `{${[right, ...wrong].join('|')}}`;
}

/** The text of a hidden convention whose right option is number `right`. */
export function hiddenSite(options: readonly string[], right: number): string {
  return `{${[options[right], ...options.filter((_, index) => index !== right)].join('?')}}`;
}
