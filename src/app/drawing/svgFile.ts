/**
 * Properties that style sheets set on a chart, and that its file must therefore include. Children inherit all of them
 * except opacity.
 */
const PROPERTIES = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linejoin',
  'stroke-linecap',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'font-style',
  'text-anchor',
  'paint-order',
] as const;

/**
 * Returns a chart of the page as the text of a standalone SVG file. Its style sheet has each combination of styles
 * once, without inherited values.
 * @param dress adds surrounding text of the page to the copy
 */
export function svgFile(svg: SVGSVGElement, dress: (copy: SVGSVGElement) => void = () => {}): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = [svg, ...svg.querySelectorAll<SVGElement>('*')];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>('*')];
  const classes = new Map<string, string>();
  originals.forEach((original, index) => {
    const target = copies[index];
    if (!target) return;
    for (const name of ['style', 'class', ...PROPERTIES]) target.removeAttribute(name);
    if (/^(title|desc)$/.test(original.localName)) return;
    const declarations = readStyle(original, original === svg);
    if (declarations === '') return;
    const name = classes.get(declarations) ?? nameOf(declarations);
    classes.set(declarations, name);
    target.setAttribute('class', name);
  });
  // Removes elements that only the page needs: the cursor, and the invisible wide lines for the pointer.
  originals.forEach((original, index) => {
    if (original.matches('.cursor, .hit')) copies[index]?.remove();
  });
  const { width, height } = svg.viewBox.baseVal;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.style.background = getComputedStyle(document.documentElement).getPropertyValue('--surface');
  const style = document.createElementNS(copy.namespaceURI, 'style');
  style.textContent = [...classes].map(([declarations, name]) => `.${name} { ${declarations} }`).join('\n');
  copy.prepend(style);
  dress(copy);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

/** Returns a class name derived from the declarations, so that charts in one document do not conflict. */
function nameOf(declarations: string): string {
  let hash = 0;
  for (const character of declarations) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return `t${hash.toString(36)}`;
}

/** Returns the styles of an element that differ from its parent's styles, or all styles for the outermost element. */
function readStyle(element: Element, outermost: boolean): string {
  const style = getComputedStyle(element);
  const around = element.parentElement && !outermost ? getComputedStyle(element.parentElement) : undefined;
  return PROPERTIES.flatMap((property) => {
    const value = style.getPropertyValue(property);
    const inherited = property === 'opacity' ? '1' : around?.getPropertyValue(property);
    return value === inherited ? [] : `${property}: ${plainColour(value)};`;
  }).join(' ');
}

/** Converts mixed colours for programs other than browsers: `color(srgb 0.5 0.25 1)` becomes `rgb(128, 64, 255)`. */
export function plainColour(value: string): string {
  return value.replace(/color\(srgb ([^)]*)\)/g, (_, parts: string) => {
    const [channels = '', alpha] = parts.split('/');
    const numbers = channels.trim().split(/\s+/);
    const [r, g, b] = numbers.map((channel) => Math.round(255 * Math.min(1, Math.max(0, Number(channel)))));
    return alpha === undefined ? `rgb(${r}, ${g}, ${b})` : `rgba(${r}, ${g}, ${b}, ${alpha.trim()})`;
  });
}
