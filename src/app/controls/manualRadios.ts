const STRIDES: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * Handles the keys of radio buttons whose choice has an immediate effect. Arrows, Home and End move only the focus;
 * Enter and Space choose. By default, a browser chooses each radio button that the arrows reach.
 */
export function manualRadios(event: KeyboardEvent): void {
  const focused = event.target;
  const group = event.currentTarget as Element;
  if (!(focused instanceof HTMLInputElement) || focused.type !== 'radio') return;
  if (event.key === 'Enter') {
    event.preventDefault();
    focused.click();
    return;
  }
  const radios = [...group.querySelectorAll<HTMLInputElement>('input[type=radio]:enabled')];
  const at = radios.indexOf(focused);
  const stride = STRIDES[event.key];
  const ends: Readonly<Record<string, number>> = { Home: 0, End: radios.length - 1 };
  const next = stride === undefined ? ends[event.key] : (at + stride + radios.length) % radios.length;
  if (next === undefined) return;
  event.preventDefault();
  radios[next]?.focus();
}
