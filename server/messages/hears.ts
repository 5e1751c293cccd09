import type {HearsCall, HearsDefinition, Match} from "../../shared/sdk/plugin/hears.ts"
import type {SatoriEvent} from "../../shared/sdk/satori.ts"
import type {Reply, Session} from "../../shared/sdk/session.ts"
import type {Cooldowns} from "./command/cooldowns.ts"
import type {Handler} from "./handler.ts"
import {textOfEvent} from "./parse-content.ts"
import {mayUse} from "./permissions.ts"

/** A handler that hears the messages whose text matches its pattern. */
export interface HearsHandler extends Handler {
  readonly definition: HearsDefinition
  /** Takes a time that grows with the text alone. */
  readonly pattern: {
    test(text: string): boolean
    match(text: string): Match | undefined
  }
  readonly handle: (call: HearsCall<string>) => Reply
}

/** The patterns see so many UTF-16 units of a message. */
const longestText = 16_384

/** What the patterns see of a message; half a surrogate pair at the cut is left out. */
const heardText = ({message}: SatoriEvent): string => {
  const text = textOfEvent(message?.content).trim()
  return text.length <= longestText ? text : text.slice(0, longestText).replace(/[\uD800-\uDBFF]$/, "")
}

/** The handlers that hear this message, by id. Nobody hears a bot, so that two bots do not answer each other for ever. */
export const heardBy = (hears: ReadonlyMap<string, HearsHandler>, event: SatoriEvent): readonly string[] => {
  if (hears.size === 0 || event.user?.is_bot === true) return []
  const text = heardText(event)
  return [...hears.values()].filter(({pattern}) => mayHear(pattern, text)).map(({id}) => id)
}

/** A pattern that throws must not keep the event from being stored: its handler runs, and fails. */
const mayHear = ({test}: HearsHandler["pattern"], text: string): boolean => {
  try {
    return test(text)
  } catch {
    return true
  }
}

/**
 * Runs a handler for a message that it hears; in silence not, where the user lacks the permission or it is cooling down. Throws where
 * the pattern was changed after the message came in, and matches it no more.
 */
export const hear = (
  {id, definition, pattern, handle}: HearsHandler,
  session: Session,
  cooldowns: Cooldowns,
): Reply => {
  if (!mayUse(session.permission, definition.permission)) return undefined
  const match = pattern.match(heardText(session.event))
  if (match === undefined)
    throw new Error("the handler's pattern in the running generation does not match this message")
  return cooldowns.take({id, definition}, session).is === "free" ? handle({match, session}) : undefined
}
