import {Problem} from "../../shared/problems.ts"

/**
 * The path segment of what an action is for: one that is named, or with `--held` everything that is held. Throws
 * `request_invalid` for both and for neither; `hint` says how it is named.
 */
export const selectionOf = (
  what: "event" | "message",
  named: string | undefined,
  isHeld: boolean,
  hint: string,
): string => {
  if (isHeld === (named === undefined)) return named === undefined ? "held" : encodeURIComponent(named)
  const one = what === "event" ? "an event" : "a message"
  const detail = isHeld ? `--held is instead of ${one}, and ${named} is one` : `which ${what}?`
  throw new Problem("request_invalid", detail, {hint})
}
