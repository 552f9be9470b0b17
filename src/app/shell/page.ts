import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { ViewController } from '../address/viewAddress.ts';
import { ThemeController } from '../look/themeController.ts';
import { viewStrings } from '../strings/shellStrings.ts';
import { strings } from '../strings/strings.ts';
import './viewLinks.ts';
import './turnwiseApp.ts';

/** Views whose code is loaded when the user first opens them. */
const DEFERRED = {
  learn: () => import('../lessons/lessonsView.ts'),
  lab: () => import('../lab/labView.ts'),
  challenge: () => import('../challenge/challengeView.ts'),
} as const;
type Deferred = keyof typeof DEFERRED;

type Loading = 'yes' | 'done' | { readonly failed: string };

/**
 * Page with its views. A view is created when the user first opens it and then stays in the document. A run therefore
 * continues, and each view retains its state, while the user is in another view. The page has no shadow tree, so each
 * view is an element of the document.
 */
@customElement('tw-page')
export class Page extends LitElement {
  private readonly views = new ViewController(this, () => this.arrive());
  /** Theme of all views. */
  protected readonly theme = new ThemeController(this);
  private isStarted = false;
  /** Last path in each view, so that a user who returns sees the view unchanged. */
  private readonly paths: Partial<Record<Deferred, readonly string[]>> = {};
  @state() private loading: Readonly<Partial<Record<Deferred, Loading>>> = {};
  private readonly embed = new URLSearchParams(location.search).has('embed');

  protected override createRenderRoot(): this {
    return this;
  }

  protected override render() {
    const { view, path } = this.views.at;
    const play = view === 'play' || view === 'inspect' || view === 'python';
    this.isStarted ||= play;
    if (view in DEFERRED) {
      const deferred = view as Deferred;
      this.paths[deferred] = path;
      if (this.loading[deferred] === undefined) void this.load(deferred);
    }
    // An embedded page whose address names no view shows only the run, without links to other views.
    const links = !this.embed || this.views.named;
    const follow = (event: CustomEvent<string>) => this.views.replace(event.detail);
    return html`${links ? html`<tw-places .view=${view}></tw-places>` : nothing}
      ${this.isStarted ? html`<tw-app ?hidden=${!play} ?issinglepanel=${!links} .view=${play ? view : 'play'} .path=${path} @place-address=${follow}></tw-app>` : nothing}
      ${this.renderDeferred('learn', html`<tw-lessons .path=${this.paths.learn ?? []} ?embed=${this.embed} ?hidden=${view !== 'learn'} @place-address=${follow}></tw-lessons>`)}
      ${this.renderDeferred('lab', html`<tw-lab .path=${this.paths.lab ?? []} ?embed=${this.embed} ?hidden=${view !== 'lab'} @place-address=${follow}></tw-lab>`)}
      ${this.renderDeferred('challenge', html`<tw-challenge .path=${this.paths.challenge ?? []} ?embed=${this.embed} ?hidden=${view !== 'challenge'}></tw-challenge>`)}`;
  }

  protected override firstUpdated(): void {
    const title = viewStrings.titles[this.views.at.view];
    if (title !== undefined) document.title = title;
  }

  /** Renders a view that the user has opened, or a note if its code is not loaded. */
  private renderDeferred(view: Deferred, element: TemplateResult) {
    const loading = this.loading[view] ?? (this.views.at.view === view ? 'yes' : undefined);
    if (loading === undefined) return nothing;
    const note =
      loading === 'done'
        ? element
        : loading === 'yes'
          ? html`<p class="place-note" role="status">${viewStrings.loading[view]}</p>`
          : html`<p class="place-note" role="alert">${viewStrings.notLoaded[view](loading.failed)}
              <button @click=${() => this.load(view)}>${viewStrings.again}</button></p>`;
    return html`<div ?hidden=${this.views.at.view !== view}>${note}</div>`;
  }

  private async load(view: Deferred): Promise<void> {
    this.loading = { ...this.loading, [view]: 'yes' };
    try {
      await DEFERRED[view]();
      this.loading = { ...this.loading, [view]: 'done' };
    } catch (error) {
      const failed = error instanceof Error ? error.message : String(error);
      this.loading = { ...this.loading, [view]: { failed } };
    }
  }

  /** Scrolls to the top and sets the title, because another view or lesson is a new page for the user. */
  private arrive(): void {
    scrollTo(0, 0);
    document.title = viewStrings.titles[this.views.at.view] ?? strings.title;
  }
}
