import { scan, watch } from "./button";
import { signIn } from "./flow";
import { configure, provider } from "./provider";

// Nothing here touches the document before init, so that servers that render
// pages can import this file too.
globalThis.Bonafide = {
  ...globalThis.Bonafide,
  init(settings) {
    const { base } = provider;
    configure(settings);
    scan(document);
    if (!base) watch();
  },
  scan,
  signIn: (target) => signIn(target),
};
