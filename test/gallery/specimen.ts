import type { LitElement, TemplateResult } from 'lit';

/** State in which an element is displayed. */
export type State = 'usual' | 'empty' | 'full' | 'error' | 'disabled';

/** One element in one state. */
export interface Specimen {
  readonly state: State;
  /** Difference from other specimens in the same state. */
  readonly note?: string;
  readonly content: () => TemplateResult;
  /** Action on the element after it is drawn, for example opening a part or passing a file. */
  readonly act?: (element: LitElement) => void;
  /** Reason why the specimen loads much data; it is then drawn only on request. */
  readonly onDemand?: string;
}

/** Specimens of a folder of src/app, by the name of the element. */
export type Specimens = Readonly<Record<string, readonly Specimen[]>>;

/** Opens all closed `details` in the shadow tree of an element, without nested elements. */
export function unfold(element: LitElement): void {
  for (const summary of element.renderRoot.querySelectorAll<HTMLElement>('details:not([open]) > summary'))
    summary.click();
}

/** Returns an action that clicks the parts of the shadow tree of an element that match a selector. */
export function press(selector: string): (element: LitElement) => void {
  return (element) => {
    for (const button of element.renderRoot.querySelectorAll<HTMLElement>(selector)) button.click();
  };
}

/** Returns an action that drops a file on an element. */
export function dropFile(name: string, text: string): (element: LitElement) => void {
  return (element) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], name));
    element.renderRoot.querySelector('.drop')?.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
  };
}
