import {type EventType, eventTypes} from "../../../shared/sdk/content/satori.ts"
import type {Instance} from "../../plugins/instance.ts"
import {didYouMean} from "../../runtime/text/suggest.ts"

const known: ReadonlySet<string> = new Set<EventType>(eventTypes)

/** Notes for people about handlers of events that the Satori protocol does not have. */
export const findUnknownEvents = (instances: readonly Pick<Instance, "path" | "registrations">[]): readonly string[] =>
  instances.flatMap(({path, registrations}) => {
    const types = new Set(registrations.handlers.map(({type}) => type))
    const unknown = [...types].filter(type => !known.has(type) && !type.includes("/"))
    return unknown.map(
      type => `${path} listens for "${type}", which is not an event of Satori${didYouMean(type, eventTypes)}`,
    )
  })
