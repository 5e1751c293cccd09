import {partyPattern} from "../../../../shared/api/item-rules.ts"

/** What a field for a person or an agent takes, as an HTML pattern: a bare name is a person's. */
export const partyField = "\\s*((user|agent):)?\\S{1,200}\\s*"

/** Is it nobody, a person or an agent? */
export const isParty = (text: string): boolean => text.trim() === "" || new RegExp(`^(?:${partyField})$`).test(text)

/** `ada` is `user:ada`; undefined where nobody is named. */
export const partyOf = (text: string): string | undefined => {
  const name = text.trim()
  if (name === "") return undefined
  return new RegExp(partyPattern).test(name) ? name : `user:${name}`
}
