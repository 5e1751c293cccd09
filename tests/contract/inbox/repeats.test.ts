import {describe, expect, test} from "vitest"
import type {EndpointSpec} from "../../../server/endpoints/spec.ts"
import {redactInbox} from "../../../server/inbox/user/redact.ts"
import type {Incoming} from "../../../shared/sdk/adapter/incoming.ts"
import {engines, log, open} from "../../support/database/databases.ts"
import {incoming} from "../../support/messages/line-endpoint.ts"
import {startInbox} from "../../support/messages/line-inbox.ts"

const said = (content: string, more: Partial<Incoming> = {}) => incoming("7", {message: {id: "7", content}, ...more})

const internal = (data: unknown): Incoming => ({id: "7", type: "internal", raw: {type: "state", data}})

type Rules = Partial<Pick<EndpointSpec, "claimedIds" | "varies">>

/** Two deliveries under one id, and whether the second one is the first again, by the rules of its adapter. */
const pairs: readonly (readonly [string, Rules, Incoming, Incoming, "same" | "differs"])[] = [
  ["the same again", {}, said("hello"), said("hello"), "same"],
  ["another time", {}, said("hello", {timestamp: 1}), said("hello", {timestamp: 2}), "same"],
  ["another name", {}, said("hello"), said("hello", {user: {id: "ann", name: "Ann"}}), "same"],
  [
    "a message's payload with another age",
    {},
    said("hello", {raw: {type: "m.room.message", data: {unsigned: {age: 5}}}}),
    said("hello", {raw: {type: "m.room.message", data: {unsigned: {age: 90}}}}),
    "same",
  ],
  ["another text", {}, said("hello"), said("goodbye"), "differs"],
  ["another user", {}, said("hello"), said("hello", {user: {id: "bob"}}), "differs"],
  ["another channel", {}, said("hello"), said("hello", {channel: {id: "d", type: 0}}), "differs"],
  ["a channel that varies", {varies: ["channel"]}, said("hi"), said("hi", {channel: {id: "d", type: 0}}), "same"],
  ["another file", {}, said('<img src="a"/>'), said('<img src="b"/>'), "differs"],
  ["an address that varies", {varies: ["elements"]}, said('x<img src="a"/>'), said('x<img src="b"/>'), "same"],
  ["a text beside it", {varies: ["elements"]}, said('x<img src="a"/>'), said('y<img src="a"/>'), "differs"],
  ["another emoji", {}, said("", {emoji: {id: "+"}}), said("", {emoji: {id: "-"}}), "differs"],
  [
    "another value of a form",
    {},
    said("", {form: {values: {a: "1"}}}),
    said("", {form: {values: {a: "2"}}}),
    "differs",
  ],
  ["another payload of an internal event", {}, internal({door: "open"}), internal({door: "shut"}), "differs"],
  ["one that varies", {varies: ["payload"]}, internal({qos: 0}), internal({qos: 1}), "same"],
]

describe.each(engines)("a repeated id on $name", ({make}) => {
  const start = async (database: Awaited<ReturnType<typeof open>>, rules: Rules = {}) => {
    const warnings: string[] = []
    const counting = {...log, warn: (text: string) => void warnings.push(text)}
    return {...(await startInbox(database, {}, {log: counting, spec: rules})), warnings}
  }
  const rowsOf = (database: Awaited<ReturnType<typeof open>>) =>
    database.read("SELECT seq, repeats FROM inbox ORDER BY seq")

  test.each(pairs)("with %s is counted, and stored again only if others may have the id", async (_, rules, ...more) => {
    const [first, second, verdict] = more
    const database = await open(await make())
    const own = await start(database, rules)
    await own.inbox.receive(own.endpoint, first)
    // Also by the next run.
    const isNew = verdict === "differs"
    for (const {inbox, endpoint, warnings} of [own, await start(database, rules)]) {
      for (const _ of [1, 2])
        expect(await inbox.receive(endpoint, second)).toEqual({sn: 1, duplicate: true, dropped: false})
      expect(inbox.repeats.of("line")).toEqual({same: 0, differs: 0, [verdict]: 2})
      expect(warnings.length).toBe(isNew ? 1 : 0)
    }
    expect(await rowsOf(database)).toEqual([{seq: 1, repeats: isNew ? 4 : 0}])
    const claimed = await start(await open(await make()), {...rules, claimedIds: true})
    const receipts = await claimed.inbox.receiveAll(claimed.endpoint, [first, second, first, second])
    expect(receipts.map(({sn, duplicate}) => [sn, duplicate])).toEqual([
      [1, false],
      [isNew ? 2 : 1, !isNew],
      [1, true],
      [isNew ? 2 : 1, true],
    ])
  })

  test("is compared in linear time, whatever an adapter calls content", async () => {
    const {inbox, endpoint} = await start(await open(await make()), {varies: ["elements"]})
    const hostile = "<".repeat(1_000_000)
    expect(await inbox.receive(endpoint, said(hostile))).toMatchObject({duplicate: false})
    expect(await inbox.receive(endpoint, said(hostile))).toMatchObject({duplicate: true})
    await expect(inbox.receive(endpoint, internal({circle: 1n}))).rejects.toMatchObject({code: "event_invalid"})
  })

  test("is not compared with content that was redacted, or that an older svc stored", async () => {
    const database = await open(await make())
    const {inbox, endpoint} = await start(database)
    await inbox.receive(endpoint, said("secret"))
    await redactInbox(database, 1, null, [])
    expect(await database.read("SELECT content_hash FROM inbox")).toEqual([{content_hash: null}])
    await inbox.receive(endpoint, said("public"))
    expect(inbox.repeats.of("line")).toEqual({same: 1, differs: 0})
  })
})
