import type { ProviderSettings } from "../index";

/** The provider that this page signs in with, once configured. */
export const provider = {
  // A disc with a check mark cut out.
  mark: "M12 1a11 11 0 1 0 .1 0zm-2 16-5-5 2-2 3 3 6-6 2 2z",
} as ProviderSettings & {
  /** Base address with a slash at its end. */
  base: string;
};

/** Takes the settings over; the address falls back on that of the running script. */
export function configure(settings: ProviderSettings): void {
  const script = document.currentScript;
  // An <img name="currentScript"> smuggled into the page would stand in the
  // script's place and choose the provider, hence instanceof.
  const base = settings.baseURL || (script instanceof HTMLScriptElement && new URL("..", script.src).href);
  if (!base) throw Error("Bonafide: no baseURL");
  Object.assign(provider, settings, { base: base.replace(/\/*$/, "/") });
}
