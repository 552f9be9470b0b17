import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { ViewController } from '../address/viewController.ts';
import { ThemeController } from '../look/themeController.ts';
import { strings } from '../strings/strings.ts';
import { viewStrings } from '../strings/viewStrings.ts';
import './viewLinks.ts';
import './turnwiseApp.ts';

/** Places whose code comes when they are first come to. */
const DEFERRED = {
  learn: () => import('../lessons/lessonsView.ts'),
  lab: () => import('../lab/labView.ts'),
  challenge: () => import('../challenge/challengeView.ts'),
} as const;
type Deferred = keyof typeof DEFERRED;

type Loading = 'yes' | 'done' | { readonly failed: string };

/**
 * The page with its places. A place is created when the user first opens it, and stays. A run therefore continues, and
 * nothing that was opened is lost while the user is elsewhere. The page has no shadow tree, and each place is an
 * element of the document.
 */
@customElement('tw-page')
export class Page extends LitElement {
  private readonly views = new ViewController(this, () => this.arrive());
  /** The colours are those of every place. */
  protected readonly theme = new ThemeController(this);
  private isStarted = false;
  /** Last position of the user in each place: a user who returns sees the place as it was left. */
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
    // A course page that shows a run without naming a place continues to show only the run.
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

  /** Renders a place that the user opened, or a note in its stead while its code is not loaded. */
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

  /** Another place, or another lesson, is a new page for the user: it begins at its top, and has a title. */
  private arrive(): void {
    scrollTo(0, 0);
    document.title = viewStrings.titles[this.views.at.view] ?? strings.title;
  }
}
