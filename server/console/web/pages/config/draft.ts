import {typedKey} from "../../state/typed.ts"

/** A text that was not applied yet, kept in the tab: with the hash of the file that it was made from. */
export interface Draft {
  readonly hash: string
  readonly text: string
}

/** Signing out forgets it, as all that is typed for a Host. */
const nameOf = (host: string) => typedKey(host, "configuration")

export const readDraft = (host: string): Draft | undefined => {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(nameOf(host)) ?? "null")
    if (typeof kept !== "object" || kept === null || !("hash" in kept) || !("text" in kept)) return undefined
    return {hash: String(kept.hash), text: String(kept.text)}
  } catch {
    return undefined
  }
}

/** Without a draft, none is kept. A tab without storage keeps it as long as the page is open. */
export const keepDraft = (host: string, draft: Draft | undefined): void => {
  try {
    if (draft === undefined) sessionStorage.removeItem(nameOf(host))
    else sessionStorage.setItem(nameOf(host), JSON.stringify(draft))
  } catch {
    // The text is still in the editor.
  }
}
