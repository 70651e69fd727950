/**
 * Types of the sign-in button: its attributes, its events and window.Bonafide.
 * README.md is the manual; this file is the reference.
 */

/** The response types of the authorization endpoint. All but "code" hand tokens to the page. */
export type ResponseType =
  | "code"
  | "token"
  | "id_token"
  | "code id_token"
  | "code token"
  | "code id_token token";

/** One sign-in. Each member is the data attribute of the same name: clientId is data-client-id. */
export interface SignInOptions {
  /** Identifier of the application, from its registration. */
  clientId?: string;
  /** The registered redirect URI, to the letter: https, or http on a loopback host. */
  redirect?: string;
  /** Scopes, separated by spaces or commas. "openid" when absent. */
  scopes?: string;
  /** Another name for scopes. */
  scope?: string;
  /** "code" when absent. */
  response?: ResponseType | string;
  /** Where the site's own server begins the flow. Takes the place of redirect and of all parameters below. */
  start?: string;
  /** "popup" opens a window where the browser allows it; "redirect", the default, leaves the page. */
  display?: "redirect" | "popup" | string;
  /** Marks a public client: the script makes state, nonce and a PKCE verifier (RFC 7636). Present is yes, as in HTML. */
  pkce?: true | string;
  /** Made by the site's server and checked there. */
  state?: string;
  /** Made by the site's server and checked there against the ID token. */
  nonce?: string;
  /** S256 challenge of a verifier that the site's server keeps. */
  codeChallenge?: string;
  /** The site's own identifier for the user, returned with the data. At most 255 characters. */
  eid?: string;
  /** The screen that opens first. */
  op?: "signin" | "signup" | string;
  /** Fills in the account (OpenID Connect Core section 3.1.2.1). */
  loginHint?: string;
  /** "none", "login", "consent", "select_account" (OpenID Connect Core section 3.1.2.1). */
  prompt?: string;
  /** "off" leaves out the browser's own dialog, which is asked first where provider and browser have it. */
  fedcm?: "off" | string;
  /** Language of button and screens, for example "fr-CA". Else the page's lang, else the browser's. */
  lang?: string;
  /** Name of a function on window, "onSignIn" or "app.onSignIn", called with the result in place of the default action. */
  callback?: string;
  /** What the label says. Else op, else "verify". */
  type?: "signin" | "signup" | "continue" | "verify" | string;
  /** The label, when none of the four types says it. */
  text?: string;
  /** Looks: the provider's brand when absent. */
  theme?: "light" | "dark" | "auto" | "outline" | string;
  /** Height: 37, 44 (when absent) or 52 pixels, more where the reader has chosen larger text. */
  size?: "small" | "medium" | "large" | string;
  /** "icon" shows the mark alone; the label is then its name for screen readers. */
  shape?: "icon" | string;
}

/** What came back: the parameters of the authorization response, and what the script made for the exchange. */
export interface SignInResult {
  code?: string;
  state?: string;
  /** Checked: the provider's issuer (RFC 9207). */
  iss?: string;
  /** Set by handleRedirect only; elsewhere an error rejects. */
  error?: string;
  error_description?: string;
  id_token?: string;
  access_token?: string;
  token_type?: string;
  expires_in?: string;
  scope?: string;
  /** PKCE verifier, to be sent with the code. Handed over once. */
  code_verifier?: string;
  /** To be compared with the nonce of the ID token. */
  nonce?: string;
  /** To be sent with the code, to the letter. */
  redirect_uri?: string;
  /** Where the redirect page says to go next; its server has used the code already. */
  next?: string;
  [parameter: string]: string | undefined;
}

/** Why a sign-in ended without a result. */
export interface SignInFailure {
  /**
   * A code that the provider reported (RFC 6749 section 4.1.2.1, OpenID Connect Core section 3.1.2.6), or
   * popup_closed: the window was closed, as far as anyone can tell;
   * invalid_issuer: another server answered (RFC 9207);
   * invalid_options: an attribute is missing or not allowed, error_description says which;
   * unsupported: the browser lacks or forbids something, error_description says what.
   * Promises also reject with in_progress, when a popup is open already and was brought to the front,
   * and prevented, when a listener prevented the start event.
   */
  error: string;
  error_description?: string;
}

/** What the promises reject with. */
export type SignInError = Error & SignInFailure;

/** What a button knows about its provider. The served script brings it along. */
export interface ProviderSettings {
  /** Base address of the provider, for example "https://id.example". Else the address of the script says. */
  baseURL?: string;
  /** The provider's name, as in "Verify with Bonafide". */
  name: string;
  /** Colour of the button, as #rrggbb. */
  color: string;
  /** Colour of its label, as #rrggbb. */
  labelColor: string;
  /** The provider's mark: data of one SVG path in a box of 24 by 24, filled by the even-odd rule. A check mark when absent. */
  mark?: string;
  /** Whether the provider answers browsers that ask for their users (Federated Credential Management API). */
  fedcm?: boolean;
}

/** The scripts of the provider. v1.js brings all but handleRedirect, callback.js brings that. */
export interface BonafideAPI {
  /**
   * Names the provider and brings the spans of the document to life, those added later included.
   * The served script does this itself; a page calls it after importing the npm package.
   * Throws when the address of the provider is unknown.
   */
  init(settings: ProviderSettings): void;
  /**
   * Brings the spans inside root to life, and brings those that live up to date with their attributes.
   * For shadow trees, which the document does not show, and after a change of data-text, data-type or data-lang.
   */
  scan(root: ParentNode): void;
  /**
   * Signs in, from a button or from code. In a popup it resolves with the result and goes nowhere;
   * with a redirect the page is left and the promise never settles. Rejects with a SignInError.
   * To be called in a click handler, before anything asynchronous, or browsers block the popup.
   */
  signIn(target: HTMLElement | SignInOptions): Promise<SignInResult>;
  /**
   * On the redirect page of a public client: the response to what this tab has asked for, once, and
   * undefined when there is none. Its error member is set when the provider reported an error.
   * Takes the response out of the page's address.
   */
  handleRedirect(): SignInResult | undefined;
}

/** Dispatched when a span has become a button. */
export type ReadyEvent = CustomEvent<null>;
/** Dispatched before anything opens. Prevent it to stop. */
export type StartEvent = CustomEvent<null>;
/** Dispatched when a popup brought a result. Prevent it to stay on the page. */
export type SuccessEvent = CustomEvent<SignInResult>;
/** Dispatched when the user declined: error is access_denied or popup_closed. */
export type CancelEvent = CustomEvent<SignInFailure>;
/** Dispatched when it failed. */
export type ErrorEvent = CustomEvent<SignInFailure>;

interface BonafideEventMap {
  "bonafide:ready": ReadyEvent;
  "bonafide:start": StartEvent;
  "bonafide:success": SuccessEvent;
  "bonafide:cancel": CancelEvent;
  "bonafide:error": ErrorEvent;
}

declare global {
  interface Window {
    Bonafide: BonafideAPI;
  }
  var Bonafide: BonafideAPI;
  interface HTMLElementEventMap extends BonafideEventMap {}
  interface DocumentEventMap extends BonafideEventMap {}
  interface WindowEventMap extends BonafideEventMap {}
}
