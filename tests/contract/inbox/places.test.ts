import {v7 as uuid} from "uuid"
import {describe, expect, test} from "vitest"
import {makeButtonId} from "../../../server/database/buttons/button-id.ts"
import type {EndpointSpec} from "../../../server/endpoints/spec.ts"
import {toJson} from "../../../shared/json.ts"
import type {Incoming} from "../../../shared/sdk/adapter/incoming.ts"
import {h} from "../../../shared/sdk/content/elements.ts"
import {engines, open} from "../../support/database/databases.ts"
import {outboxRow} from "../../support/database/insert.ts"
import {until, whenOver} from "../../support/host/host.ts"
import {startInbox} from "../../support/messages/line-inbox.ts"

const [decide, name] = ["root/agents/action/decide", "root/bot/prompt/name"]
const elsewhere = "host/button/elsewhere"
const [ann, bob] = [{id: "ann"}, {id: "bob"}]
const [group, direct] = [(id: string) => ({id, type: 0}), (id: string) => ({id, type: 1})]

/** What a user can send to use an id or a number that the bot gave in a message. */
type Use = "button" | "form" | "number" | "quoted number" | "answer"

interface Case {
  readonly uses: readonly Use[]
  readonly sent: string
  /** Where it is used. */
  readonly from: Pick<Incoming, "channel" | "user">
  /** The handler that gets it; its own if this is the same place. */
  readonly handler: string
  /** The channel of the stored event, if not that of `from`. */
  readonly channel?: string
}

const all: readonly Use[] = ["button", "form", "number", "quoted number", "answer"]
const presses: readonly Use[] = ["button", "form"]
const typed: readonly Use[] = ["number", "quoted number", "answer"]

const cases: readonly Case[] = [
  {uses: all, sent: "asked", from: {channel: group("asked"), user: ann}, handler: "its own"},
  {uses: presses, sent: "asked", from: {channel: group("trusting"), user: ann}, handler: elsewhere},
  {uses: presses, sent: "asked", from: {channel: direct("trusting"), user: ann}, handler: elsewhere},
  {uses: presses, sent: "asked", from: {user: ann}, handler: elsewhere},
  {uses: typed, sent: "asked", from: {channel: group("trusting"), user: ann}, handler: "others"},
  {uses: typed, sent: "asked", from: {user: ann}, handler: "others"},
  {uses: ["answer"], sent: "asked", from: {channel: group("asked"), user: bob}, handler: "others"},
  {uses: all, sent: "ann", from: {user: ann}, handler: "its own"},
  {uses: [...presses, "number"], sent: "user:ann", from: {channel: direct("dm"), user: ann}, handler: "its own"},
  {uses: presses, sent: "user:ann", from: {channel: direct("dm"), user: bob}, handler: elsewhere},
  {uses: presses, sent: "user:ann", from: {channel: group("dm"), user: ann}, handler: elsewhere},
  {uses: ["number"], sent: "user:ann", from: {channel: direct("dm"), user: bob}, handler: "others"},
  {uses: ["number"], sent: "user:ann", from: {channel: group("dm"), user: ann}, handler: "others"},
  // This adapter names the channel of the message, in which the user's permission is judged.
  {uses: presses, sent: "@asked", from: {channel: group("1"), user: ann}, handler: "its own", channel: "1:5"},
  {uses: presses, sent: "@asked", from: {channel: group("2"), user: ann}, handler: elsewhere},
]

describe.each(engines)("what a message offers belongs to its place on $name", ({make}) => {
  test.each(cases.flatMap(({uses, ...rest}) => uses.map(use => ({use, ...rest}))))(
    "$use, sent to $sent, from $from",
    async ({use, sent, from, handler, channel = from.channel?.id}) => {
      const database = await open(await make())
      const message = uuid()
      const id = makeButtonId({handler: decide, data: "1", expires: 60_000, once: 0, asked: 0})
      const content = toJson(use === "answer" ? ["Name?"] : [h("button", {id}, "Yes")])
      await database.write([
        outboxRow(message, {channel: sent, content, created_at: Date.now(), state: "sent", platform_ids: '["p1"]'}),
        {
          sql: `INSERT INTO prompts (id, handler, endpoint, channel, user, data, expires_at, asked_seq)
          SELECT ?, ?, 'line', ?, 'id ann', 'null', ?, 0 WHERE ? = 'answer'`,
          args: [uuid(), name, sent, Date.now() + 60_000, use],
        },
      ])
      const isPress = presses.includes(use)
      const spec: Partial<EndpointSpec> = {
        features: isPress ? ["buttons"] : [],
        open: async () => ({
          send: async () => ({ids: []}),
          channelOf: (to, press) => (to === "@asked" && press.channel?.id === "1" ? "1:5" : undefined),
        }),
      }
      const {endpoint, receive} = await startInbox(database, {match: (_, asked = "others") => [asked]}, {spec})
      endpoint.open()
      whenOver(() => endpoint.close())
      await until("the connection", () => endpoint.state.is === "online")
      const text = use === "answer" ? "Ann" : use === "number" ? "1" : '<quote id="p1"/>1'
      const {sn} = await receive({
        id: uuid(),
        ...from,
        ...(isPress
          ? {type: "interaction/button", button: {id: `${message}:1`}, ...(use === "form" ? {form: {values: {}}} : {})}
          : {type: "message-created", message: {id: uuid(), content: text}}),
      })
      const [row] = await database.read(
        "SELECT m.handler, i.event ->> '$.channel.id' AS channel FROM inbox i JOIN inbox_marks m USING (seq) WHERE seq = ?",
        [sn],
      )
      const own = use === "answer" ? name : decide
      expect(row).toEqual({handler: handler === "its own" ? own : (handler ?? "others"), channel: channel ?? null})
    },
  )
})
