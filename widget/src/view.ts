import { prepare, startURL } from "./authorize";
import css from "./button.css";
import { Text, texts } from "./labels";
import type { Options } from "./options";
import { provider } from "./provider";

/** The parts of a button. */
export interface View {
  link: HTMLAnchorElement;
  status: HTMLElement;
  texts?: string[];
}

const views = new WeakMap<object, View>();

/** The button that a span has become, if it has. */
export function viewOf(span: object): View | undefined {
  return views.get(span);
}

/** Builds a button in a shadow root, which hides the link that serves those without JavaScript. */
export function build(span: HTMLElement): View {
  // Made of objects, since a strict page admits no style element of others. A
  // browser too old for it throws while that link is still there.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    `:host{--brand:${provider.color};--text:${provider.labelColor};--path:path(evenodd,"${provider.mark}")}` + css,
  );
  const root = span.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [sheet];
  const link = root.appendChild(document.createElement("a"));
  const status = root.appendChild(document.createElement("output"));
  link.part = "button";
  status.part = "status";
  link.dir = status.dir = "auto";
  const view = { link, status };
  views.set(span, view);
  return view;
}

/** Brings a button up to date with its options. */
export function render(view: View, options: Options): void {
  const { link, status } = view;
  const all = texts(options.lang || navigator.language);
  // What is not among them is Verify, which stands before them.
  const type = ["signin", "signup", "continue"].indexOf((options.type || options.op)!);
  const verb = all[Text.SignIn + type];
  view.texts = all;
  link.textContent = options.text || all[Text.Pattern].replace("*", verb).replace("%", () => provider.name);
  status.lang = all[Text.Language];
  link.lang = options.text ? "" : status.lang;
  // Where the browser goes by itself, into a new tab for one. What needs a
  // secret of this tab begins on this page.
  if (options.inPage) link.href = location.href;
  else startURL(options, prepare(options, false)).then((url) => (link.href = url));
}

/** Says, to screen readers too, how the sign-in of a button stands. */
export function show(span: object, text?: Text, busy = false): void {
  const view = views.get(span);
  if (!view) return;
  view.link.ariaBusy = view.link.ariaDisabled = `${busy}`;
  view.status.textContent = view.texts![text!] || "";
}

/** Dispatches one of our events; false when a listener prevented it. */
export function emit(where: EventTarget, name: string, detail?: object): boolean {
  return where.dispatchEvent(
    new CustomEvent("bonafide:" + name, { bubbles: true, composed: true, cancelable: true, detail }),
  );
}
