/** States of the gallery that are compared with the compiled program: each page as it opens, and with each choice. */

import { first, sets } from "./controls";
import type { Request } from "./engine";
import { PAGES } from "./pages/index";
import { key } from "./pages/page";

export function states(): { key: string; run: Request }[] {
  return PAGES.flatMap((page) => {
    const opening = first(page);
    const others = page.controls.flatMap((control) =>
      control.kind === "choice" ? control.options.map((option) => ({ ...opening, [control.id]: option.label })) : [],
    );
    const known = new Map([opening, ...others].map((values) => [key(page, values, 1), values]));
    return [...known].map(([name, values]) => ({
      key: name,
      run: { text: page.scenario, form: "toml", seed: 1, set: sets(page, values), every: page.every, records: true },
    }));
  });
}
