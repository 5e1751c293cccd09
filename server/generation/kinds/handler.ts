import {capabilityId} from "../../../shared/ids.ts"
import {type EventType, eventTypes, hasPayload} from "../../../shared/sdk/content/satori.ts"
import type {Plugin} from "../../../shared/sdk/plugin/plugin.ts"
import type {EventCall} from "../../../shared/sdk/plugin/webhook.ts"
import type {EventHandlerDefinition} from "../../../shared/sdk/session/handler.ts"
import type {Reply} from "../../../shared/sdk/session/session.ts"
import type {TSchema} from "../../../shared/type.ts"
import {requireFit} from "../../messages/forms/prompt.ts"
import {type EventHandler, type Wants, wantsKey} from "../../messages/session/handler.ts"
import {didYouMean} from "../../runtime/text/suggest.ts"
import {createNaming, readArguments, requireFilter, requireHandling} from "./checks.ts"
import {declarationsOf, publishEach, type Setup} from "./kind.ts"

type Definition = EventHandlerDefinition<TSchema> & {readonly [wantsKey]?: Wants}

/** Returns a handler of events that passes the payload on. It throws `event_invalid` for one that does not fit. */
export const withData =
  (id: string, schema: TSchema | undefined, handle: (call: EventCall<never>) => Reply): EventHandler["handle"] =>
  session => {
    const data = session.event._data
    requireFit(id, {data: schema}, data)
    return handle({data: data as never, session})
  }

type Declared = Pick<EventHandler, "id" | "type" | "handle"> & {readonly definition: Definition}

export const handlers = (setup: Setup) => {
  const declared: Declared[] = []
  const naming = new Map<string, ReturnType<typeof createNaming>>()
  const on: Plugin["on"] = (type: string, second: unknown, third?: unknown) => {
    const what = setup.begin("on", type)
    const read = readArguments<Definition, Declared["handle"] & Parameters<typeof withData>[2]>(
      "on",
      what,
      second,
      third,
    )
    const {data} = read.definition
    requireHandling(what, read.definition)
    if (data !== undefined && !hasPayload(type))
      throw new Error(`${what}: data needs an event with a payload: internal, or a type such as forge/push`)
    requireFilter(what, read.definition)
    const nameOf = naming.get(type) ?? createNaming(what)
    naming.set(type, nameOf)
    const id = capabilityId(setup.owner, "handler", `${type}.${nameOf(read.definition)}`)
    declared.push({id, type, ...read, handle: data === undefined ? read.handle : withData(id, data, read.handle)})
  }
  return declarationsOf({
    methods: {on},
    declared,
    publish: at =>
      publishEach(at, "handler", declared, ({id, type, definition, handle}): EventHandler => {
        const wants = definition[wantsKey]
        return {
          ...at.handler(id, definition),
          ...(wants === undefined ? {} : {wants}),
          filter: definition,
          type,
          handle,
        }
      }),
    notes: () => findUnknownEvents(setup.owner, declared),
  })
}

const known: ReadonlySet<string> = new Set<EventType>(eventTypes)

/** Notes for people about handlers of events that the Satori protocol does not have. */
const findUnknownEvents = (owner: string, handlers: readonly Pick<Declared, "type">[]): readonly string[] => {
  const types = new Set(handlers.map(({type}) => type))
  const unknown = [...types].filter(type => !known.has(type) && !type.includes("/"))
  return unknown.map(type => `${owner} listens for "${type}", which is no Satori event${didYouMean(type, eventTypes)}`)
}
