import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Receives files that the user drops on an element or selects in its file field. */
export class FilesDrop implements ReactiveController {
  /** True while the user drags files over the element. */
  over = false;

  /** @param onFiles callback that receives the files of one drop or selection, at least one */
  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly onFiles: (files: readonly File[]) => void,
  ) {
    host.addController(this);
  }

  hostConnected(): void {}

  readonly choose = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    this.readFiles(input.files);
    // Without the reset, a second selection of the same files would not fire an event.
    input.value = '';
  };

  readonly drop = (event: DragEvent): void => {
    event.preventDefault();
    this.hover(false);
    this.readFiles(event.dataTransfer?.files);
  };

  readonly drag = (event: DragEvent): void => {
    event.preventDefault();
    this.hover(true);
  };

  readonly leave = (): void => this.hover(false);

  private readFiles(files: FileList | null | undefined): void {
    if (files && files.length > 0) this.onFiles([...files]);
  }

  private hover(over: boolean): void {
    if (over === this.over) return;
    this.over = over;
    this.host.requestUpdate();
  }
}
