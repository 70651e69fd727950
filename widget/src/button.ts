import { signIn } from "./flow";
import { read } from "./options";
import { provider } from "./provider";
import { build, emit, render, viewOf } from "./view";

/** Brings the spans in root to life. Doing it again brings them up to date. */
export function scan(root: ParentNode): void {
  root.querySelectorAll<HTMLElement>("span[data-client-id]").forEach(upgrade);
}

/** Watches the document for spans that are added. */
export function watch(): void {
  new MutationObserver((records) => {
    // A parent that grew a thousand children is looked through once.
    new Set(records.map(({ target }) => target as Element)).forEach(scan);
  }).observe(document, { subtree: true, childList: true });
}

function upgrade(span: HTMLElement): void {
  // A page with buttons of two providers says whose each is.
  if (![undefined, provider.base].includes(span.dataset.provider)) return;
  try {
    const options = read(span);
    const known = viewOf(span);
    if (known) return render(known, options);
    // Another copy of this script was first.
    if (span.shadowRoot) return;
    if (/token/.test(options.response))
      console.warn("Bonafide: data-response exposes tokens", span);
    const view = build(span);
    view.link.onclick = (event) => click(span, event);
    render(view, options);
    emit(span, "ready");
  } catch (error) {
    console.error("Bonafide:", error, span);
  }
}

function click(span: HTMLElement, event: MouseEvent): void {
  // A new tab or window is the browser's business.
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  // The second half of a double click means the first.
  if (event.detail < 2) signIn(span, true).catch(console.warn);
}
