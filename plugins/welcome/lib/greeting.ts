import {type Content, type Element, mention} from "svc-runtime"
import {type Batch, mostNamed, type Person} from "./settings.ts"

/** The longest name that a greeting shows, in characters. */
const longestName = 60

/** Returns a name on one line. */
export const nameOf = ({id, name, nick}: {id: string; name?: string | undefined; nick?: string | undefined}): string =>
  [...(nick || name || id).replace(/\s+/g, " ").trim()].slice(0, longestName).join("") || id

type Part = string | Element

/** Returns a list such as "Ann, Bob and 3 others" in a language. `others` is its last part, empty if there is none. */
export const listOf = (people: readonly Person[], others: string, language: string, isMention: boolean): Part[] => {
  const parts: Part[] = people.map(person => (isMention ? mention(person) : person.name))
  if (others !== "") parts.push(others)
  // The formatter sees numbers, because a name may be equal to its own words.
  const formatted = new Intl.ListFormat(language).formatToParts(parts.map((_, index) => String(index)))
  return formatted.map(({type, value}) => (type === "element" ? (parts[Number(value)] ?? "") : value))
}

/** Returns the text with its places in braces filled in. Every value is plain text or a mention. */
export const fill = (text: string, values: Readonly<Record<string, readonly Part[]>>): Content =>
  text.split(/(\{\w+\})/).flatMap(piece => values[/^\{(\w+)\}$/.exec(piece)?.[1] ?? ""] ?? [piece])

/** Returns the batch with one more who joined. */
export const withJoined = (batch: Batch, person: Person): Batch =>
  batch.joined.some(({id}) => id === person.id)
    ? batch
    : batch.joined.length < mostNamed
      ? {...batch, joined: [...batch.joined, person]}
      : {...batch, more: batch.more + 1}

/**
 * Returns the batch without one who left, so that the bot greets nobody who is gone. With `isSaid`, it says goodbye to
 * those whom it has greeted.
 */
export const withLeft = (batch: Batch, person: Person, isSaid: boolean): Batch => {
  const joined = batch.joined.filter(({id}) => id !== person.id)
  if (joined.length < batch.joined.length) return {...batch, joined}
  if (batch.more > 0) return {...batch, more: batch.more - 1}
  if (!isSaid) return batch
  return batch.left.length < mostNamed ? {...batch, left: [...batch.left, person]} : {...batch, gone: batch.gone + 1}
}
