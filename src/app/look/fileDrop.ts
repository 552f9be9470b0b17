import { css, type ReactiveController, type ReactiveControllerHost } from 'lit';
import type { UserFile } from '../../rollouts/import/userFiles.ts';

/** Styles of a drop area for files (`drop`, `over`), of its file field (`choose`) and of an error message (`alert`). */
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

/** File of a drop or selection; `path` begins with the name of the dropped folder. */
export type DroppedFile = UserFile & { readonly file: File };

/** Receives files and folders that the user drops on an element or selects in its file fields. */
export class FileDrop implements ReactiveController {
  /** True while the user drags a file over the element. */
  over = false;

  /** @param onFiles callback that receives the files of one drop or selection, at least one */
  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly onFiles: (files: readonly DroppedFile[]) => void,
  ) {
    host.addController(this);
  }

  hostConnected(): void {}

  readonly choose = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    this.pass([...(input.files ?? [])].map(userFile));
    // Without the reset, a second selection of the same file would not fire an event.
    input.value = '';
  };

  readonly drop = async (event: DragEvent): Promise<void> => {
    event.preventDefault();
    this.hover(false);
    const { items, files } = event.dataTransfer ?? {};
    // Entries exist only during the event. A file that a script created has no entry.
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

  private pass(files: readonly DroppedFile[]): void {
    if (files.length > 0) this.onFiles(files);
  }

  private hover(over: boolean): void {
    if (over === this.over) return;
    this.over = over;
    this.host.requestUpdate();
  }
}

/** Returns a file with its path. A file of a selected folder has a path relative to the folder's parent. */
function userFile(file: File): DroppedFile {
  return { path: file.webkitRelativePath || file.name, file };
}

/** Returns the files of a dropped entry and of the folders in it. */
async function filesIn(entry: FileSystemEntry): Promise<readonly DroppedFile[]> {
  const path = entry.fullPath.replace(/^\//, '');
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: DroppedFile[] = [];
  for (;;) {
    // A reader returns the entries in batches, and an empty batch at the end.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return files;
    for (const inner of entries) files.push(...(await filesIn(inner)));
  }
}
