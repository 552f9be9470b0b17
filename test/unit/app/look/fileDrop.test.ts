import { expect, test } from 'vitest';
import { type DroppedFile, FileDrop } from '../../../../src/app/look/fileDrop.ts';

/** Returns an entry of a dropped file with a text, as browsers pass it. */
function fileEntry(fullPath: string, text: string) {
  const file = new File([text], fullPath.split('/').at(-1) ?? '');
  return { isFile: true, isDirectory: false, fullPath, file: (resolve: (file: File) => void) => resolve(file) };
}

/** Returns an entry of a dropped folder. Its reader returns one entry in each batch. */
function folderEntry(fullPath: string, entries: readonly { readonly fullPath: string }[]) {
  const createReader = () => {
    const left = [...entries];
    return { readEntries: (resolve: (batch: readonly unknown[]) => void) => resolve(left.splice(0, 1)) };
  };
  return { isFile: false, isDirectory: true, fullPath, createReader };
}

test('files of one name in two dropped folders arrive with the paths of their folders, from all batches of the readers', async () => {
  const classes = ['morning', 'evening'].map((name) =>
    folderEntry(`/${name}`, [
      fileEntry(`/${name}/ada.json`, `${name} ada`),
      folderEntry(`/${name}/late`, [fileEntry(`/${name}/late/bo.json`, `${name} bo`)]),
    ]),
  );
  const passed: DroppedFile[] = [];
  const host = { addController() {}, removeController() {}, requestUpdate() {}, updateComplete: Promise.resolve(true) };
  const items = classes.map((entry) => ({ webkitGetAsEntry: () => entry }));
  const event = { preventDefault() {}, dataTransfer: { items, files: [] } } as unknown as DragEvent;
  await new FileDrop(host, (files) => passed.push(...files)).drop(event);
  const read = await Promise.all(passed.map(async ({ path, file }) => [path, await file.text()]));
  expect(read).toEqual([
    ['morning/ada.json', 'morning ada'],
    ['morning/late/bo.json', 'morning bo'],
    ['evening/ada.json', 'evening ada'],
    ['evening/late/bo.json', 'evening bo'],
  ]);
});
