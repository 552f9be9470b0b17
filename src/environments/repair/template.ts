/**
 * Program with choice sites. `{A|B|C}` is a site whose first option is right; the other options are typical bugs.
 * `{A?B?C}` is a hidden convention: A is right for this problem, but the prompt does not state it.
 */
export interface Template {
  /** Text around the sites, [sites + 1]. */
  readonly parts: readonly string[];
  readonly sites: readonly Site[];
}

export interface Site {
  /** Texts of the options, with the right one first. */
  readonly options: readonly string[];
  /** True if the prompt does not determine the right option. */
  readonly hidden: boolean;
}

/**
 * Parses a template.
 * @throws {RangeError} for a site with fewer than two options
 */
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

/**
 * Returns the source of a choice of options.
 * @param choice index of the option of each site, [sites]
 */
export function renderTemplate({ parts, sites }: Template, choice: readonly number[]): string {
  return parts[0] + sites.map(({ options }, site) => options[choice[site]] + parts[site + 1]).join('');
}

/** Returns all choices, with the right program first. The last site changes fastest. */
export function allChoices({ sites }: Template): number[][] {
  return sites.reduce<number[][]>(
    (choices, { options }) => choices.flatMap((choice) => options.map((_, option) => [...choice, option])),
    [[]],
  );
}

/** Returns the text of a site. */
export function site(right: string, ...wrong: readonly string[]): string {
  return `{${[right, ...wrong].join('|')}}`;
}

/** Returns the text of a hidden convention whose right option has the index `right`. */
export function hiddenSite(options: readonly string[], right: number): string {
  return `{${[options[right], ...options.filter((_, index) => index !== right)].join('?')}}`;
}
