import {textOfMessage} from "../../shared/sdk/content/parse-content.ts"
import type {SatoriEvent} from "../../shared/sdk/content/satori.ts"
import type {HearsCall, HearsDefinition, Match} from "../../shared/sdk/plugin/hears.ts"
import type {EventFilter} from "../../shared/sdk/session/handler.ts"
import type {Reply, Session} from "../../shared/sdk/session/session.ts"
import {composed, pastBlanks, trimSpace} from "../../shared/sdk/text/typed.ts"
import {tryOr} from "../../shared/try-or.ts"
import {mayUse} from "./command/permissions.ts"
import type {FilterIndex} from "./filters.ts"
import {cooldownsOf} from "./limits/cooldowns.ts"
import type {Turns} from "./limits/limits.ts"
import type {Handler} from "./session/handler.ts"

/** A handler for messages whose text matches its pattern. */
export interface HearsHandler extends Handler {
  readonly definition: HearsDefinition
  readonly filter?: EventFilter
  /** Matches in linear time. */
  readonly pattern: {test(text: string): boolean; match(text: string): Match | undefined}
  readonly handle: (call: HearsCall<string>) => Reply
}

/** The most UTF-16 units of a message that patterns see. */
const longestText = 16_384

/** Returns the text that patterns see: composed accents, plain spaces, and no half of a surrogate pair at the cut. */
const heardText = (event: SatoriEvent): string => {
  const written = textOfMessage(event)
  const text = trimSpace(written.slice(pastBlanks(written, 0)))
  const seen = text.length <= longestText ? text : text.slice(0, longestText).replace(/[\uD800-\uDBFF]$/, "")
  return composed(seen).replace(/\p{Zs}/gu, " ")
}

/** Returns the ids of the handlers that match. Messages of bots never do: two bots must not reply to each other. */
export const heardBy = (
  hearing: FilterIndex<HearsHandler>,
  event: SatoriEvent,
  endpoint: string,
): readonly string[] => {
  const wanting = event.user?.is_bot === true ? [] : hearing.of(event, endpoint)
  if (wanting.length === 0) return []
  const text = heardText(event)
  return wanting.filter(({pattern}) => mayHear(pattern, text)).map(({id}) => id)
}

/** Returns whether a pattern matches. One that throws does: the event is stored, and its handler runs and fails. */
const mayHear = ({test}: HearsHandler["pattern"], text: string): boolean => tryOr(() => test(text), true)

/**
 * Runs a handler for a matching message. Does nothing if the user lacks the permission or the handler is cooling down.
 * Throws if the pattern has changed since the message arrived and no longer matches.
 */
export const hear = (
  {id, definition, pattern, handle}: HearsHandler,
  session: Session,
  turns: Pick<Turns, "take">,
): Reply => {
  if (!mayUse(session.permission, definition.permission)) return undefined
  const match = pattern.match(heardText(session.event))
  if (match === undefined)
    throw new Error("the handler's pattern in the running generation does not match this message")
  const cooldowns = cooldownsOf({id, definition}, session)
  if (cooldowns.length === 0) return handle({match, session})
  return turns.take(cooldowns).then(turn => (turn.is === "free" ? handle({match, session}) : undefined))
}
