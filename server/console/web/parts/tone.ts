/** How something is: never told by a colour alone. */
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

/** The tone of a state by its name; `idle` for one that says neither. */
export const toneOf = (state: string): Tone => tones[state] ?? "idle"
