import {describe, expect, test} from "vitest"
import {metricBy} from "../../../server/console/web/host/metrics.ts"
import {summaryOf, timelineOf} from "../../../server/console/web/host/timeline.ts"
import {fieldsOf} from "../../../server/console/web/pages/plugins/fields.ts"
import {ownAddress} from "../../../server/console/web/state/accounts.svelte.ts"
import {bytes, duration} from "../../../server/console/web/texts/format.ts"
import type {GapView} from "../../../shared/api/endpoints.ts"
import type {Envelope} from "../../../shared/events/event-stream.ts"
import {Type} from "../../../shared/type.ts"
import {envelopeOf} from "./envelope.ts"

const begin = Date.parse("2026-11-21T10:00:00Z")
const at = (minutes: number) => new Date(begin + minutes * 60_000).toISOString()

const event = (minutes: number, type: Envelope["type"], state?: string, runtimeId = "first") =>
  envelopeOf(type, {state}, {at: at(minutes), runtimeId, ...(state === undefined ? {} : {endpoint: "irc~libera"})})

const online = {name: "irc~libera", state: "online"} as const

/** `online 10` means ten minutes online. */
const read = (segments: ReturnType<typeof timelineOf>) =>
  segments.map(({state, from, to}) => `${state} ${Math.round((to - from) / 60_000)}`)

describe("an endpoint's past", () => {
  test("comes from the events, is unknown before them, and ends with the current state", () => {
    const events = [event(10, "endpoint.state", "online"), event(30, "endpoint.state", "reconnecting")]
    const segments = timelineOf({...online, since: at(35)}, events, [], begin, begin + 60 * 60_000)
    expect(read(segments)).toEqual(["unknown 10", "online 20", "reconnecting 5", "online 25"])
    expect(summaryOf(segments)).toEqual({online: 0.9, breaks: 1})
  })

  test("comes from its current state alone if there are no events", () => {
    expect(read(timelineOf({...online, since: at(-60)}, [], [], begin, begin + 60_000 * 60))).toEqual(["online 60"])
  })

  test("includes the Host's stop, up to the endpoint's next state", () => {
    const events = [
      event(0, "endpoint.state", "online"),
      event(20, "host.stopping"),
      event(30, "endpoint.state", "online", "second"),
      event(31, "host.started", undefined, "second"),
    ]
    expect(read(timelineOf({...online, since: at(30)}, events, [], begin, begin + 40 * 60_000))).toEqual([
      "online 20",
      "down 10",
      "online 10",
    ])
  })

  test("is unknown from the last event before a kill, unless the Host recorded its end", () => {
    const events = [
      event(0, "endpoint.state", "online"),
      event(30, "endpoint.state", "online", "second"),
      event(31, "host.started", undefined, "second"),
    ]
    const past = (gaps: readonly GapView[]) =>
      read(timelineOf({...online, since: at(30)}, events, gaps, begin, begin + 40 * 60_000))
    expect(past([])).toEqual(["unknown 30", "online 10"])
    const gap = {
      seq: 1,
      endpoint: "irc~libera",
      from: at(25),
      to: at(30),
      reason: "host_ended",
      planned: false,
      backfill: null,
    } as const
    expect(past([gap])).toEqual(["online 25", "down 5", "online 10"])
    expect(past([{...gap, endpoint: "irc~other"}])).toEqual(["unknown 30", "online 10"])
  })
})

test("a page of metrics is read by a label", () => {
  const page = '# HELP a b\nsvc_x{box="in",state="dead"} 2\nsvc_x{state="held",box="out"} 1\nsvc_xy{state="dead"} 9\n'
  expect(metricBy(page, "svc_x", "state")).toEqual({dead: 2, held: 1})
})

test.each([
  ["http://a/console/", "http://a"],
  ["http://a/bot/console/#/inbox/1", "http://a/bot"],
  ["https://a/console/console/?x#token=b", "https://a/console"],
])("the Host of %s is at %s", (href, address) => expect(ownAddress({href})).toBe(address))

test("the settings in a schema become a form: one field each, with nested ones by their keys", () => {
  const schema = Type.Object({
    key: Type.Secret({description: "Of the service"}),
    level: Type.Union([Type.Literal("low"), Type.Literal("high")]),
    tone: Type.Object({loud: Type.Boolean(), rate: Type.Optional(Type.Number())}),
    rooms: Type.Optional(Type.Array(Type.String())),
  })
  const config = {key: "[secret]", level: "low", tone: {loud: false}, rooms: ["#a"]}
  const written = [{path: "tone.loud", file: "svc.config.yml", line: 4, column: 7}]
  const fields = fieldsOf(JSON.parse(JSON.stringify(schema)), config, written)
  expect(fields.map(({path, kind, value, isRequired}) => ({path, kind, value, isRequired}))).toEqual([
    {path: "key", kind: "secret", value: "[secret]", isRequired: true},
    {path: "level", kind: "choice", value: "low", isRequired: true},
    {path: "tone.loud", kind: "flag", value: false, isRequired: true},
    {path: "tone.rate", kind: "number", value: undefined, isRequired: false},
    {path: "rooms", kind: "other", value: ["#a"], isRequired: false},
  ])
  expect(fields.map(({place}) => place)).toEqual([undefined, undefined, "svc.config.yml:4:7", undefined, undefined])
  expect(fields[1]?.choices).toEqual(["low", "high"])
  expect(fieldsOf(null, undefined, [])).toEqual([])
})

test("durations and sizes are short", () => {
  expect([0, 59, 60, 3600, 3660, 90_000, 864_000].map(duration)).toEqual([
    "0 s",
    "59 s",
    "1 min",
    "1 h",
    "1 h 1 min",
    "1 d 1 h",
    "10 d",
  ])
  expect([0, 1023, 1536, 250 * 1024 ** 2].map(bytes)).toEqual(["0 B", "1023 B", "1.5 KB", "250 MB"])
})
