import { css, type ReactiveController, type ReactiveControllerHost } from 'lit';
import type { UserFile } from '../../rollouts/import/userFiles.ts';

/** Looks of a place to drop files on (`drop`, `over`), of the field in it (`choose`), and of what is said of a refused one. */
export const fileDropStyles = css`
  .drop { display: flex; flex-wrap: wrap; gap: 0.375rem 0.75rem; align-items: center;
    border: 1.5px dashed var(--line-2); border-radius: 8px; font-size: 0.875rem; }
  .drop.over { border-color: var(--accent); border-style: solid; background: var(--hover); }
  .choose { position: relative; }
  .choose input { position: absolute; inset: 0; width: 100%; opacity: 0; cursor: pointer; }
  .choose:focus-within { outline: 2px solid var(--focus); outline-offset: 2px; }
  .alert { margin-top: 0.5rem; padding: 0.5rem 0.75rem; border: 1px solid var(--bad); border-radius: 6px;
    background: var(--bad-ground); color: var(--bad); font-size: 0.875rem; overflow-wrap: anywhere; }
  .alert span { color: var(--ink); }
`;

/** Files and folders that are dropped on an element or chosen in its fields. */
export class FileDrop implements ReactiveController {
  /** A file hangs over the element. */
  over = false;

  /** @param onFiles gets the files that were given at once, at least one */
  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly onFiles: (files: readonly (UserFile & { readonly file: File })[]) => void,
  ) {
    host.addController(this);
  }

  hostConnected(): void {}

  readonly choose = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    this.pass([...(input.files ?? [])].map(userFile));
    // The same file may be chosen again after a change.
    input.value = '';
  };

  readonly drop = async (event: DragEvent): Promise<void> => {
    event.preventDefault();
    this.hover(false);
    const { items, files } = event.dataTransfer ?? {};
    // Entries exist during the event only; a file that a script made has no entry.
    const entries = [...(items ?? [])].map((item) => item.webkitGetAsEntry?.() ?? undefined);
    const plain = [...(files ?? [])].map(userFile);
    if (!entries.some((entry) => entry?.isDirectory)) return this.pass(plain);
    this.pass((await Promise.all(entries.map((entry) => (entry ? filesIn(entry) : [])))).flat());
  };

  readonly drag = (event: DragEvent): void => {
    event.preventDefault();
    this.hover(true);
  };

  readonly leave = (): void => this.hover(false);

  private pass(files: readonly (UserFile & { readonly file: File })[]): void {
    if (files.length > 0) this.onFiles(files);
  }

  private hover(over: boolean): void {
    if (over === this.over) return;
    this.over = over;
    this.host.requestUpdate();
  }
}

/** A file of a folder that was chosen has its path in it. */
function userFile(file: File): UserFile & { readonly file: File } {
  return { path: file.webkitRelativePath || file.name, file };
}

/** Returns the files of a dropped entry and of the folders in it. */
async function filesIn(entry: FileSystemEntry): Promise<readonly (UserFile & { readonly file: File })[]> {
  const path = entry.fullPath.replace(/^\//, '');
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: (UserFile & { readonly file: File })[] = [];
  for (;;) {
    // A reader returns some of the entries at a time, and none at the end.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return files;
    for (const inner of entries) files.push(...(await filesIn(inner)));
  }
}
