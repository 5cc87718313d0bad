/** Sliders and choices of a page of the gallery. */

import { make } from "./elements";
import type { Control, Page, Sets } from "./pages/page";

/** The choices of the reader, as text by the control's id. */
export type Values = Record<string, string>;

export function first(page: Page): Values {
  return Object.fromEntries(page.controls.map((control) => [control.id, String(control.first)]));
}

/** The values that the controls set, in their order. A value that a control does not have is its first one. */
export function sets(page: Page, values: Values): Sets {
  return page.controls.flatMap((control) => one(control, values[control.id] ?? String(control.first)));
}

function one(control: Control, value: string): Sets {
  if (control.kind === "slider") {
    const number = control.values.find((candidate) => String(candidate) === value);
    return control.sets(number ?? control.first);
  }
  const found = control.options.find((option) => option.label === value);
  return (found ?? control.options.find((option) => option.label === control.first))?.sets ?? [];
}

/** Puts the controls of a page into `home` and calls `changed` with each new state. */
export function show(home: HTMLElement, page: Page, values: Values, changed: (values: Values) => void): void {
  home.replaceChildren();
  for (const control of page.controls) {
    const set = (value: string): void => {
      values[control.id] = value;
      changed(values);
    };
    const value = values[control.id] ?? String(control.first);
    home.append(control.kind === "slider" ? slider(control, value, set) : choice(control, value, set));
  }
}

function slider(control: Control & { kind: "slider" }, value: string, set: (value: string) => void): HTMLElement {
  const at = Math.max(0, control.values.findIndex((candidate) => String(candidate) === value));
  const output = make("output", {}, `${control.values[at]} ${control.unit}`);
  const input = make("input", {
    type: "range", min: "0", max: String(control.values.length - 1), step: "1", value: String(at), id: `control-${control.id}`,
    "aria-valuetext": `${control.values[at]} ${control.unit}`,
  });
  input.addEventListener("input", () => {
    const chosen = control.values[Number(input.value)]!;
    output.textContent = `${chosen} ${control.unit}`;
    input.setAttribute("aria-valuetext", output.textContent);
    set(String(chosen));
  });
  return make("div", { class: "control" }, make("label", { for: input.id }, control.label, " ", output), input);
}

function choice(control: Control & { kind: "choice" }, value: string, set: (value: string) => void): HTMLElement {
  const group = make("fieldset", { class: "control" }, make("legend", {}, control.label));
  for (const option of control.options) {
    const input = make("input", { type: "radio", name: `control-${control.id}`, value: option.label });
    input.checked = option.label === value;
    input.addEventListener("change", () => set(option.label));
    group.append(make("label", { class: "option" }, input, option.label));
  }
  return group;
}
