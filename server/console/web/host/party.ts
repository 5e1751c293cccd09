import {partyPattern} from "../../../../shared/api/item-rules.ts"

/** The HTML pattern of a field for a person or an agent; a bare name is a person. */
export const partyField = "\\s*((user|agent):)?\\S{1,200}\\s*"

/** Is the text empty, a person or an agent? */
export const isParty = (text: string): boolean => text.trim() === "" || new RegExp(`^(?:${partyField})$`).test(text)

/** Returns `user:ada` for `ada`; undefined for an empty text. */
export const partyOf = (text: string): string | undefined => {
  const name = text.trim()
  if (name === "") return undefined
  return new RegExp(partyPattern).test(name) ? name : `user:${name}`
}
