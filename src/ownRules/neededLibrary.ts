/** A definition at the left margin: a function, a class, a constant, an import, with its comments and decorators before it. */
interface Block {
  readonly names: readonly string[];
  readonly text: string;
}

const blocks = new Map<string, readonly Block[]>();

/**
 * Returns the part of the library that a rule can reach, by the words in its text: compiling the rest would take longer
 * than the rule itself. Blank lines replace the parts that are left out, so that lines keep their numbers.
 */
export function neededLibrary(library: string, texts: readonly string[]): string {
  const all = blocks.get(library) ?? blocksOf(library);
  blocks.set(library, all);
  const needed = new Set<Block>(all.filter(({ names }) => names.length === 0));
  const words = new Set([...texts, ...[...needed].map(({ text }) => text)].flatMap(wordsOf));
  for (let before = -1; before < needed.size; ) {
    before = needed.size;
    for (const block of all) {
      if (needed.has(block) || !block.names.some((name) => words.has(name))) continue;
      needed.add(block);
      for (const word of wordsOf(block.text)) words.add(word);
    }
  }
  return all.map((block) => (needed.has(block) ? block.text : block.text.replace(/[^\n]/g, ''))).join('');
}

function wordsOf(text: string): string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

/** Cuts at lines that begin a definition. Any other line belongs to the definition before it. */
function blocksOf(library: string): Block[] {
  const made: { names: string[]; text: string }[] = [{ names: [], text: '' }];
  for (const line of library.split(/(?<=\n)/)) {
    const name = /^(?:def|class) (\w+)|^(\w+)(?:: .+)? = /.exec(line);
    if (name) made.push({ names: [name[1] ?? name[2]], text: '' });
    made[made.length - 1].text += line;
  }
  return made;
}
