import {withValue} from "./edit/text.ts"

/** The content of an entry; empty for a plugin that is found by its name. */
export interface NewEntry {
  readonly use?: string
  readonly enabled?: boolean
}

/**
 * Adds the entry `plugins.<name>` behind the others; every other character stays. Returns undefined if the text does
 * not allow this: `plugins` is an alias, or the file is broken. The name must be new.
 */
export const withPlugin = (text: string, name: string, entry: NewEntry = {}): string | undefined =>
  withValue(text, ["plugins", name], entry)
