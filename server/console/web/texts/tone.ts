/** The tone of a state. Colour is never its only sign. */
export type Tone = "good" | "warn" | "bad" | "idle"

const tones: Readonly<Record<string, Tone>> = {
  online: "good",
  active: "good",
  ready: "good",
  open: "good",
  sent: "good",
  handled: "good",
  verified: "good",
  succeeded: "good",
  done: "good",
  complete: "good",
  yes: "good",
  info: "good",
  connecting: "warn",
  reconnecting: "warn",
  warn: "warn",
  paused: "warn",
  held: "warn",
  unknown: "warn",
  quarantined: "bad",
  failed: "bad",
  dead: "bad",
  blocked: "bad",
  refused: "bad",
  error: "bad",
  fatal: "bad",
  no: "bad",
}

/** Returns the tone of a state by its name; `idle` for any other name. */
export const toneOf = (state: string): Tone => tones[state] ?? "idle"
