/** Downloads a text as a file. A long text may be an array of parts, because the length of a string is limited. */
export function download(name: string, type: string, text: string | string[]): void {
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(new Blob(typeof text === 'string' ? [text] : text, { type }));
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}
