import {describe, expect, onTestFinished, test} from "vitest"
import {noPolicy} from "../../../server/endpoints/policy.ts"
import type {OutboxDraft} from "../../../server/outbox/draft.ts"
import {Outbox} from "../../../server/outbox/outbox.ts"
import {refused} from "../../../shared/sdk/adapter/refusal.ts"
import type {Sender} from "../../../shared/sdk/adapter/sender.ts"
import {h, type Node} from "../../../shared/sdk/content/elements.ts"
import {engines, log, open, until} from "../../support/database/databases.ts"

/** A platform that records its calls, and splits texts that start with "long". */
const notingSender = (done: string[]): Sender => ({
  send: async ({id, content}) => {
    const text = content.join("")
    if (text === "refuse") throw refused("not this one", {reason: "rejected", remediation: "Send another."})
    done.push(`send ${text}`)
    return {ids: text.startsWith("long") ? [`p-${id}-1`, `p-${id}-2`] : [`p-${id}`]}
  },
  edit: async ({message, content}) => void done.push(`edit ${message} ${content.join("")}`),
  delete: async ({message}) => void done.push(`delete ${message}`),
  unreact: async ({message, emoji}) => void done.push(`unreact ${message} ${emoji}`),
  call: async (method, params, _, id) => void done.push(`${method} ${id} ${JSON.stringify(params)}`),
})

type Act = Pick<OutboxDraft, "id" | "kind" | "content">

describe.each(engines)("an act, on $name,", ({make}) => {
  /** Stores acts one after the other, and waits until all are done. */
  const act = async (acts: readonly Act[], sender?: Partial<Sender>) => {
    const database = await open(await make())
    const outbox = new Outbox(database, log)
    const done: string[] = []
    const able = sender ?? notingSender(done)
    await outbox.start({sender: () => able as Sender, policy: () => noPolicy})
    onTestFinished(() => outbox.drain())
    for (const each of acts) await outbox.enqueue({...each, endpoint: "line", channel: "team"} as OutboxDraft)
    const read = () => database.read("SELECT id, state, reason FROM outbox ORDER BY seq")
    const isOver = async () => (await read()).every(({state}) => state !== "queued" && state !== "sending")
    await until("the acts to end", isOver)
    return {done, rows: (await read()).map(({id, state, reason}) => [id, state, reason])}
  }
  const message = (id: string, text = id): Act => ({id, kind: "message", content: [text]})

  test("is done in the order of its channel, on the message it refers to", async () => {
    const {done, rows} = await act([
      message("a"),
      {id: "b", kind: "edit", content: {message: {outbox: "a"}, content: ["better"]}},
      {id: "c", kind: "unreact", content: {message: {platform: "x"}, emoji: "+"}},
      {id: "d", kind: "delete", content: {message: {outbox: "a"}}},
      {id: "e", kind: "delete", content: {message: {platform: "theirs"}}},
      {id: "f", kind: "call", content: {method: "guild.member.mute", params: {user_id: "u"}}},
    ])
    expect(done).toEqual([
      "send a",
      "edit p-a better",
      "unreact x +",
      "delete p-a",
      "delete theirs",
      'guild.member.mute f {"user_id":"u"}',
    ])
    expect(rows.map(([id, state]) => `${id} ${state}`)).toEqual(["a", "b", "c", "d", "e", "f"].map(id => `${id} sent`))
  })

  test("is done on each part of a message that the platform has in parts", async () => {
    const {done} = await act([
      message("a", "long a"),
      {id: "b", kind: "edit", content: {message: {outbox: "a"}, content: ["short"]}},
      message("c", "long c"),
      {id: "d", kind: "delete", content: {message: {outbox: "c"}}},
    ])
    expect(done.filter(each => !each.startsWith("send"))).toEqual([
      "edit p-a-1 short",
      "delete p-a-2",
      "delete p-c-1",
      "delete p-c-2",
    ])
  })

  test("quotes a message of the bot by its platform id, or sends no quote when it was not sent", async () => {
    const quoting = (outbox: string) => [h("quote", {outbox, name: "bot"}), "so it is"]
    const quotes: unknown[] = []
    const note = (content: readonly Node[]) => void quotes.push(content)
    const {rows} = await act(
      [
        message("a"),
        message("b", "refuse"),
        {id: "c", kind: "message", content: quoting("a")},
        {id: "d", kind: "message", content: quoting("b")},
        {id: "e", kind: "message", content: quoting("gone")},
        {id: "f", kind: "edit", content: {message: {outbox: "d"}, content: quoting("a")}},
      ],
      {
        send: async ({id, content}) => {
          if (content[0] === "refuse") throw refused("not this one", {reason: "rejected", remediation: "Send another."})
          note(content)
          return {ids: [`p-${id}`]}
        },
        edit: async ({content}) => note(content),
      },
    )
    const quoted = [h("quote", {name: "bot", id: "p-a"}), "so it is"]
    expect(quotes).toEqual([["a"], quoted, ["so it is"], ["so it is"], quoted])
    expect(rows.map(([id, state]) => `${id} ${state}`)).toEqual([
      "a sent",
      "b failed",
      "c sent",
      "d sent",
      "e sent",
      "f sent",
    ])
  })

  test("fails by name when its message was not sent, or the endpoint does not support it", async () => {
    const {rows} = await act([
      message("a", "refuse"),
      {id: "b", kind: "edit", content: {message: {outbox: "a"}, content: ["better"]}},
      {id: "c", kind: "delete", content: {message: {outbox: "nothing"}}},
    ])
    expect(rows).toEqual([
      ["a", "failed", "rejected"],
      ["b", "failed", "message_not_sent"],
      ["c", "failed", "message_not_sent"],
    ])
    const plain = await act([{id: "d", kind: "delete", content: {message: {platform: "x"}}}], {
      send: async () => ({ids: []}),
    })
    expect(plain.rows).toEqual([["d", "failed", "unsupported"]])
  })
})
