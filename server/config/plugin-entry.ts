import {withValue} from "./edit/text.ts"

/** What an entry says; nothing of it for a plugin that is found by its name. */
export interface NewEntry {
  readonly use?: string
  readonly enabled?: boolean
}

/**
 * A configuration with the entry `plugins.<name>` behind the others, and every other character as it was. Undefined where
 * the text does not allow that: `plugins` is an alias, or the file is broken. The name must not be there yet.
 */
export const withPlugin = (text: string, name: string, entry: NewEntry = {}): string | undefined =>
  withValue(text, ["plugins", name], entry)
