import {agePattern} from "../../../shared/duration.ts"
import type {EventFilter, HandlerDefinition, HandlerOrder, Named} from "../../../shared/sdk/session/handler.ts"
import type {TimerDefinition} from "../../../shared/sdk/session/timer.ts"
import {isId} from "../../../shared/sdk/session/values.ts"
import {filterKeys, idsOf} from "../../messages/filters.ts"
import {type Keyed, requireKeys} from "../checks/keys.ts"

/** How long a question may wait for its answer, in seconds. */
export const longestWait = 30 * 24 * 60 * 60

const mostRetries = 10

const handlerOrders: readonly HandlerOrder[] = ["channel", "user", "none"]

export const requireName = (what: string, name: string): void => {
  if (!/^[\w-]{1,64}$/.test(name)) throw new Error(`${what}: use 1 to 64 letters, digits, _ and - only`)
}

/** Reads an optional definition and a function. Throws without the latter, and for a key that this kind cannot have. */
export const readArguments = <D, H>(
  kind: Keyed,
  what: string,
  second: unknown,
  third: unknown,
  needed = "a handler",
): {readonly definition: D; readonly handle: H} => {
  const [definition, handle] = third === undefined ? [{}, second] : [second, third]
  if (typeof handle !== "function") throw new TypeError(`${what} needs ${needed}`)
  requireKeys(what, definition, kind)
  // Plugins may be JavaScript: the checks of each kind follow.
  return {definition: definition as D, handle: handle as H}
}

export const requireHandling = (
  what: string,
  {
    retries = 0,
    maxAge = "never",
    maxLate = "never",
    order = "channel",
  }: HandlerDefinition & Pick<TimerDefinition, "maxLate">,
): void => {
  if (!Number.isInteger(retries) || retries < 0 || retries > mostRetries)
    throw new Error(`${what}: retries must be a whole number from 0 to ${mostRetries}`)
  if (!handlerOrders.includes(order)) throw new Error(`${what}: order must be channel, user or none`)
  for (const [key, limit] of Object.entries({maxAge, maxLate}))
    if (typeof limit !== "string" || !new RegExp(agePattern).test(limit))
      throw new Error(`${what}: ${key} must be a duration such as 2m or 1h, or never`)
}

/** Throws for a filter that no event can pass. */
export const requireFilter = (what: string, filter: EventFilter): void => {
  for (const key of filterKeys) {
    const ids: unknown = idsOf(filter, key)
    if (ids !== undefined && !(Array.isArray(ids) && ids.length > 0 && ids.every(isId)))
      throw new Error(`${what}: ${key} must be an id, or a list of one or more ids`)
  }
}

/** Returns a function for a declaration's id: its name, else its number among the unnamed ones; no name is a number. */
export const createNaming = (what: string) => {
  const names = new Set<string>()
  let nameless = 0
  return ({name}: Named): string => {
    if (name === undefined) return String(nameless++)
    if (!/^[A-Za-z][\w-]{0,63}$/.test(name))
      throw new Error(`${what}: a name must start with a letter and have only letters, digits, _ and -`)
    if (names.has(name)) throw new Error(`${what}: the name ${name} is given twice`)
    names.add(name)
    return name
  }
}
