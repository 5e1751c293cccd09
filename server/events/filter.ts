import {eventTypes} from "../../shared/events/events.ts"
import {Problem} from "../../shared/problems.ts"

/** The events that a client wants; undefined for all. */
export type Filter = ((event: {readonly type: string; readonly endpoint: string | undefined}) => boolean) | undefined

const partsOf = (list: string | undefined): readonly string[] =>
  (list ?? "")
    .split(",")
    .map(part => part.trim())
    .filter(part => part !== "")

/** Types are named in full, or before the dot (`message.*`). Throws `request_invalid` for an unknown type. */
export const createFilter = (types: string | undefined, endpoints: string | undefined): Filter => {
  const names = partsOf(types).flatMap(namesOf)
  const wantedTypes = names.length === 0 ? undefined : new Set(names)
  const wantedEndpoints = partsOf(endpoints)
  if (wantedTypes === undefined && wantedEndpoints.length === 0) return undefined
  return ({type, endpoint}) =>
    (wantedTypes?.has(type) ?? true) &&
    (wantedEndpoints.length === 0 || (endpoint !== undefined && wantedEndpoints.includes(endpoint)))
}

const namesOf = (part: string): readonly string[] => {
  const known = Object.keys(eventTypes)
  const found = part === "*" ? known : known.filter(name => name === part || matches(name, part))
  if (found.length > 0) return found
  throw new Problem("request_invalid", `types: there is no event type ${part.slice(0, 100)}`, {
    hint: "docs/reference/events.md lists the types; message.* matches all that begin with message.",
  })
}

const matches = (name: string, part: string) => part.endsWith(".*") && name.startsWith(part.slice(0, -1))
