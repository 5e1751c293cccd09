import {Value} from "typebox/value"
import {describe, expect, test} from "vitest"
import {fold, reconnects, sentenceOfFlaps} from "../../../server/console/web/pages/events/fold.ts"
import {detailOf, searchedOf, sentenceOf, textOf} from "../../../server/console/web/pages/events/sentence.ts"
import type {Told} from "../../../server/console/web/state/live.svelte.ts"
import {en} from "../../../server/console/web/texts/en.ts"
import type {Envelope} from "../../../shared/events/event-stream.ts"
import {type EventType, eventTypes} from "../../../shared/events/events.ts"
import type {TSchema} from "../../../shared/type.ts"
import {envelopeOf} from "./envelope.ts"

const begin = Date.parse("2026-11-26T07:02:00Z")

const eventOf = (type: EventType, data: object, more: Partial<Envelope> = {}) =>
  envelopeOf(type, data, {endpoint: "irc~libera", runId: "01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e", ...more})

interface Shape {
  readonly type?: string
  readonly format?: string
  readonly private?: boolean
  readonly anyOf?: readonly Shape[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
}

/** A value of a schema with everything set, but without private properties for a demo token. */
const sampleOf = (schema: Shape, isDemo: boolean): unknown => {
  const {anyOf, properties, items, type, format} = schema
  if (anyOf !== undefined) return sampleOf(anyOf.find(each => each.type !== "null") ?? {}, isDemo)
  if (properties !== undefined) {
    const shown = Object.entries(properties).filter(([, each]) => !(isDemo && each.private === true))
    return Object.fromEntries(shown.map(([key, each]) => [key, sampleOf(each, isDemo)]))
  }
  if (items !== undefined) return [sampleOf(items, isDemo)]
  if (format === "date-time") return new Date(begin).toISOString()
  if (type === "integer" || type === "number") return 7
  if (type === "string" && !("enum" in schema)) return "words"
  return Value.Create(schema as TSchema)
}

const types = Object.keys(eventTypes) as EventType[]

describe.each([true, false])("for a demo token: %s", isDemo => {
  test.each(types)("%s is a complete sentence", type => {
    const schema = eventTypes[type].data as Shape
    const text = textOf(sentenceOf(eventOf(type, sampleOf(schema, isDemo) as object)))
    expect(text).toMatch(/^\S.*[.:]/)
    expect(text).not.toMatch(/undefined|null|NaN|\{|\[object/)
    expect(detailOf(eventOf(type, sampleOf(schema, isDemo) as object))).not.toMatch(/undefined|null|\[object/)
  })
})

test("a sentence names an event's data in each of its forms", () => {
  const own = ["endpoint", "event", "generation", "run", "cause", "causes", "text"]
  for (const [key, template] of Object.entries({...en.sentences.byType, ...en.sentences.variants})) {
    const [type = ""] = key.split("/")
    const {properties = {}} = eventTypes[type as EventType].data as Shape
    const unknown = [...template.matchAll(/\{(\w+)\}/g)]
      .map(([, name = ""]) => name)
      .filter(name => !own.includes(name) && !Object.hasOwn(properties, name))
    expect({key, unknown}).toEqual({key, unknown: []})
  }
})

const read = (type: EventType, data: object) => {
  const event = eventOf(type, data)
  const links = sentenceOf(event).flatMap(({href}) => (href === undefined ? [] : [href]))
  return [textOf(sentenceOf(event)), detailOf(event), ...links]
}

test("a sentence says who did what and why, and links to the named items", () => {
  expect(
    read("message.failed", {sn: 12, handler: "root/greeter/command/hello", attempt: 2, error: "in a bad mood"}),
  ).toEqual([
    "greeter/command/hello failed on inbox event 12, in attempt 2.",
    "in a bad mood",
    "#/plugins/greeter",
    "#/inbox/12",
  ])
  expect(
    read("message.sent", {message: "01995b1e-6f0a-4d5e6f", attempt: 1, sn: 12, reason: null, error: null}),
  ).toEqual([
    "irc~libera sent message …4d5e6f in answer to inbox event 12.",
    "",
    "#/endpoints/irc~libera",
    "#/outbox/01995b1e-6f0a-4d5e6f",
    "#/inbox/12",
  ])
  expect(read("job.failed", {job: "nightly", trigger: "manual", reason: "error", error: "the disk"})).toEqual([
    "Run …5c6d7e of the job nightly failed. svc does not retry it.",
    "Reason: error. the disk",
    "#/jobs/nightly/01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e",
    "#/jobs/nightly",
  ])
  expect(read("workroom.item_claimed", {item: 3, actor: "user:ada"})).toEqual([
    "user:ada started to work on work item 3.",
    "",
    "#/workroom/3",
  ])
  expect(read("workroom.item_claimed", {item: 3})[0]).toBe("Someone started to work on work item 3.")
  expect(read("ingress.resumed", {reason: "operator", reasons: ["release"]})[0]).toBe(
    "operator no longer pauses ingress; release still does.",
  )
  expect(read("log.error", {level: "error", suppressed: 0, plugin: "greeter", message: "no luck"})[0]).toBe(
    "The plugin greeter logged an error: no luck",
  )
})

test("a search covers an event's sentence, type and data; pages link here with `sn 12`", () => {
  const text = searchedOf(eventOf("message.handled", {sn: 12, handler: "root/greeter/command/hello", attempt: 1}))
  for (const wanted of ["sn 12", "message.handled", "irc~libera", "greeter/command/hello handled inbox event 12"]) {
    expect(text).toContain(wanted)
  }
})

const flap = (minutes: number, state: string, endpoint = "irc~libera", runtimeId = "first"): Envelope =>
  eventOf(
    "endpoint.state",
    {state, admission: "open"},
    {endpoint, runtimeId, at: new Date(begin + minutes * 60_000).toISOString()},
  )

/** Events in the page's order, newest first. */
const toldOf = (events: readonly Envelope[]): Told[] => events.toReversed().map((event): Told => ({is: "event", event}))

/** An endpoint that goes online and offline this many times, each time within a minute. */
const flapping = (times: number, endpoint?: string, runtimeId?: string): Envelope[] =>
  Array.from({length: times}, (_, index) => [
    flap(index, "reconnecting", endpoint, runtimeId),
    flap(index + 0.5, "online", endpoint, runtimeId),
  ]).flat()

const kindsOf = (events: readonly Envelope[]) =>
  fold(toldOf(events)).map(row => (row.is === "flaps" ? `${row.endpoint} ${row.events.length}` : row.is))

test("a flapping endpoint is one row, with the events in between beside it", () => {
  const events = flapping(14)
  const message = eventOf("message.received", {sn: 1, type: "message"})
  const rows = fold(toldOf([...events.slice(0, 9), message, ...events.slice(9)]))
  expect(rows.map(({is}) => is)).toEqual(["flaps", "event"])
  const [first] = rows
  if (first?.is !== "flaps") throw new Error("the row is not folded")
  expect(first.events).toHaveLength(28)
  expect(reconnects(first.events)).toBe(14)
  expect(textOf(sentenceOfFlaps(first))).toMatch(/^irc~libera reconnected 14 times between \S.* and \S.*\.$/)
  expect(sentenceOfFlaps(first)[0]?.href).toBe("#/endpoints/irc~libera")
})

test("two endpoints that fail together have a row each; few, other or later states do too", () => {
  const both = flapping(3).flatMap((event, index) => [event, ...flapping(3, "telegram").slice(index, index + 1)])
  expect(kindsOf(both)).toEqual(["telegram 6", "irc~libera 6"])
  expect(kindsOf(flapping(1))).toEqual(["event", "event"])
  expect(kindsOf([...flapping(2), ...flapping(2, "irc~libera", "second")])).toEqual(["irc~libera 4", "irc~libera 4"])
  expect(kindsOf([...flapping(2), flap(60, "reconnecting"), flap(61, "online")])).toEqual([
    "event",
    "event",
    "irc~libera 4",
  ])
})

test("rows are not folded over missing events, and an endpoint that was never online says so", () => {
  const gap: Told = {is: "gap", at: 0, gap: {reason: "evicted", from: "e-1", to: "e-2", resumeAt: "e-2"}}
  const events = flapping(2)
  const rows = fold([...toldOf(events.slice(2)), gap, ...toldOf(events.slice(0, 2))])
  expect(rows.map(({is}) => is)).toEqual(["event", "event", "gap", "event", "event"])
  const tries = ["connecting", "offline", "connecting", "offline"].map((state, index) => flap(index, state))
  const [row] = fold(toldOf(tries))
  expect(row?.is === "flaps" && textOf(sentenceOfFlaps(row))).toMatch(
    /changed its state 4 times .* did not come online/,
  )
})
