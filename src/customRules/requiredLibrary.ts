/** Top-level function, class or constant of the library, with the lines up to the next definition. */
interface Block {
  readonly names: readonly string[];
  readonly text: string;
}

const blocks = new Map<string, readonly Block[]>();

/**
 * Returns the part of the library that a rule can use, according to the identifiers in its text. Compiling the rest
 * would take longer than the rule itself. Blank lines replace the omitted parts, so that line numbers do not change.
 */
export function selectRequiredLibrary(library: string, texts: readonly string[]): string {
  const all = blocks.get(library) ?? blocksOf(library);
  blocks.set(library, all);
  const required = new Set<Block>(all.filter(({ names }) => names.length === 0));
  const identifiers = new Set([...texts, ...[...required].map(({ text }) => text)].flatMap(findIdentifiers));
  for (let before = -1; before < required.size; ) {
    before = required.size;
    for (const block of all) {
      if (required.has(block) || !block.names.some((name) => identifiers.has(name))) continue;
      required.add(block);
      for (const identifier of findIdentifiers(block.text)) identifiers.add(identifier);
    }
  }
  return all.map((block) => (required.has(block) ? block.text : block.text.replace(/[^\n]/g, ''))).join('');
}

function findIdentifiers(text: string): string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

/** Splits a library at lines that start a definition. Any other line belongs to the definition before it. */
function blocksOf(library: string): Block[] {
  const segments: { names: string[]; text: string }[] = [{ names: [], text: '' }];
  for (const line of library.split(/(?<=\n)/)) {
    const name = /^(?:def|class) (\w+)|^(\w+)(?:: .+)? = /.exec(line);
    if (name) segments.push({ names: [name[1] ?? name[2]], text: '' });
    segments[segments.length - 1].text += line;
  }
  return segments;
}
