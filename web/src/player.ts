/** Moves the drawing through simulated time. */

import type { Drawing } from "./network";
import { round } from "./curves";
import type { Records } from "./records";

/** Seconds of the page's time for which a loss or notice is seen. */
const FLASH = 0.4;

export class Player {
  private drawing: Drawing | null = null;
  private records: Records | null = null;
  private at = 0;
  private length = 1;
  private playing = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  private before = 0;

  constructor(
    private readonly button: HTMLButtonElement,
    private readonly slider: HTMLInputElement,
    private readonly speed: HTMLSelectElement,
    private readonly clock: HTMLElement,
  ) {
    button.addEventListener("click", () => this.toggle());
    slider.addEventListener("input", () => {
      this.at = Number(slider.value) * this.length;
    });
    this.label();
    requestAnimationFrame((now) => this.frame(now));
  }

  /** Shows another run; the instant shown stays where both have it. */
  take(drawing: Drawing, records: Records, length: number): void {
    if (length !== this.length || this.at >= length) this.at = 0;
    this.drawing = drawing;
    this.records = records;
    this.length = length;
  }

  /** Simulated seconds in a second of the page. */
  pace(value: number): void {
    const known = [...this.speed.options].map((option) => Number(option.value));
    const nearest = known.reduce((best, one) => (Math.abs(Math.log(one / value)) < Math.abs(Math.log(best / value)) ? one : best));
    this.speed.value = String(nearest);
  }

  private toggle(): void {
    this.playing = !this.playing;
    this.label();
  }

  private label(): void {
    this.button.textContent = this.playing ? "Stop" : "Play";
  }

  private frame(now: number): void {
    const passed = Math.min(0.1, (now - this.before) / 1000);
    this.before = now;
    const { drawing, records } = this;
    if (drawing !== null && records !== null) {
      const pace = Number(this.speed.value);
      if (this.playing) this.at += passed * pace;
      if (this.playing && this.at > records.complete) this.at = records.complete > 0 && records.complete >= this.length * 0.99 ? 0 : this.at;
      this.at = Math.min(this.at, Math.max(records.complete, 0));
      const dots = drawing.draw(records, this.at, FLASH * pace);
      this.slider.value = String(this.at / this.length);
      this.clock.textContent = `${round(this.at)} s of ${round(this.length)} s, ${dots} ${dots === 1 ? "packet" : "packets"} on the way`;
    }
    requestAnimationFrame((next) => this.frame(next));
  }
}
