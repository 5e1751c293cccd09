import {typedKey} from "../../state/typed.ts"

/** An unapplied text, kept in the tab, with the hash of the file on which it is based. */
export interface Draft {
  readonly hash: string
  readonly text: string
}

/** Signing out deletes it, like everything else typed for a Host. */
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

/** Stores the draft; undefined deletes it. In a tab without storage, the text lasts as long as the page is open. */
export const keepDraft = (host: string, draft: Draft | undefined): void => {
  try {
    if (draft === undefined) sessionStorage.removeItem(nameOf(host))
    else sessionStorage.setItem(nameOf(host), JSON.stringify(draft))
  } catch {
    // The text is still in the editor.
  }
}
