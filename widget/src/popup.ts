import { failure } from "./failure";

/** What the relay script on the redirect page says. */
export interface Message {
  /** Address of the redirect page, response included. */
  url: string;
  /** Where its server wants the user to go, when it has used the response itself. */
  next?: string;
}

const enum Limit {
  Poll = 500, // milliseconds
  Grace = 4, // polls until a window that looks closed is taken for it, and one that is back for silent
  LongGrace = 120, // the same when it may only look so
}

/** Opens an empty window in the middle of this one, or nothing where popups fail. */
export function openPopup(): Window | null | undefined {
  // Phones, and the browsers inside their apps, lose the popup or the page behind it.
  if (matchMedia("(pointer:coarse)").matches) return;
  const left = screenX + (outerWidth - 480) / 2;
  const top = screenY + (outerHeight - 720) / 2;
  const popup = open("", "", `popup,width=480,height=720,left=${left},top=${top}`);
  // Some blockers hand out a window that is closed already.
  return popup?.closed ? null : popup;
}

/** A popup that is waited for. */
export interface Wait {
  popup: Window;
  /** Gives up, as if the popup had been closed. */
  stop?: () => void;
}

/**
 * Waits for the first message that is accepted, and closes the popup.
 * Calls doubt when the popup may have been closed but nobody can tell, and tells the console
 * when the popup is back and says nothing.
 */
export function waitFor(wait: Wait, accepts: (message: Message) => boolean, doubt: () => void): Promise<Message> {
  const { popup } = wait;
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel("bonafide");
    const end = () => {
      clearInterval(timer);
      channel.close();
      removeEventListener("message", receive);
    };
    const stop = (wait.stop = () => {
      end();
      reject(failure("popup_closed"));
    });

    // Anyone can post to this window. Ours comes from this origin and, but for
    // the channel, whose events name no source, from the popup.
    const receive = ({ data, origin, source }: MessageEvent) => {
      if (origin != location.origin || (source && source != popup) || !accepts(data)) return;
      // The relay closes its window on this, which also works where this page can't.
      channel.postMessage(data.url);
      end();
      popup.close();
      resolve(data);
    };
    channel.onmessage = receive;
    addEventListener("message", receive);

    // A Cross-Origin-Opener-Policy makes an open window look closed. It did not,
    // so far, if the window was seen on another page; otherwise only a user
    // who is back on this page may have closed it, and may as well have not.
    let connected = false;
    let gone = 0;
    let back = 0;
    const timer = setInterval(() => {
      if (!popup.closed) {
        try {
          if (!popup.location.host) return; // no page so far
          if (back++ == Limit.Grace) console.warn("Bonafide: no callback.js");
        } catch {} // a page of another origin
        connected = true;
      } else if (document.hasFocus()) {
        if (gone++ == (connected ? Limit.Grace : Limit.LongGrace)) stop();
        else if (gone == Limit.Grace) doubt();
      }
    }, Limit.Poll);
  });
}
