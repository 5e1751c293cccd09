import {join} from "node:path"
import {v7 as uuid} from "uuid"
import {expect, test} from "vitest"
import {noPolicy} from "../../../server/endpoints/policy.ts"
import {Inbox} from "../../../server/inbox/inbox.ts"
import {Outbox} from "../../../server/outbox/outbox.ts"
import {isProblem} from "../../../shared/problems.ts"
import {log, memoryFolder, open, until} from "../../support/database/databases.ts"
import {type Death, MortalDatabase} from "../../support/database/mortal-database.ts"
import {lineEndpoint} from "../../support/messages/line-endpoint.ts"

/** Two handlers answer each event in its channel; one of them also answers in a common channel. */
const start = async () => {
  const database = await open({dialect: "sqlite", file: join(memoryFolder(), "data.sqlite")})
  const mortal = new MortalDatabase(database)
  const outbox = new Outbox(mortal, log)
  const inbox = new Inbox(mortal, outbox, uuid(), log)
  const runs: string[] = []
  const sent: string[] = []
  const draft = (channel: string, text: string) =>
    ({id: uuid(), kind: "message", endpoint: "line", channel, content: [text]}) as const
  await outbox.start({
    sender: () => ({
      send: async ({id, channel, content}) => {
        sent.push(`${channel}: ${content}`)
        return {ids: [id]}
      },
    }),
    policy: () => noPolicy,
  })
  await inbox.start({
    match: () => ["one", "two"],
    nest: handlers => ({around: [], within: handlers}),
    run: async ({event}, handler) => {
      const {id: channel = ""} = event.channel ?? {}
      const text = `${handler} ${event.message?.id}`
      runs.push(text)
      return {is: "handled", sends: [draft(channel, text), ...(handler === "one" ? [draft("all", text)] : [])]}
    },
  })
  const endpoint = lineEndpoint(inbox)
  /** Delivers an event like a platform does: repeatedly, until it is acknowledged. */
  const deliver = async (channel: string, id: string): Promise<unknown> => {
    const event = {id, type: "message-created", channel: {id: channel, type: 0}, message: {id, content: id}}
    return inbox.receive(endpoint, event).catch(error => {
      if (isProblem(error, "database_outcome_unknown")) return deliver(channel, id)
      throw error
    })
  }
  const ended = () =>
    until("all to end", async () => {
      const [row] = await database.read(`SELECT
        (SELECT count(*) FROM inbox_marks WHERE state <> 'handled') + (SELECT count(*) FROM outbox WHERE state <> 'sent')
        + (SELECT count(*) = 0 FROM outbox) AS n`)
      return row?.n === 0
    })
  return {mortal, deliver, ended, runs, sent}
}

const events = [
  ["a", "1"],
  ["a", "2"],
  ["b", "3"],
] as const

/** The number of these events' writes is below this limit: stored, claimed, ended, sent, in groups. */
const mostWrites = 16

const lost = (["before", "after"] as const).flatMap(death =>
  Array.from({length: mostWrites}, (_, writes): [Death, number] => [death, writes]),
)

test("each event is handled once and each reply sent once, whichever write's answer is lost", async () => {
  await Promise.all(
    lost.map(async ([death, writes]) => {
      const {mortal, deliver, ended, runs, sent} = await start()
      mortal.forget(writes, death)
      await Promise.all(events.map(([channel, id]) => deliver(channel, id)))
      await ended()
      const where = `${death} write ${writes}`
      expect(
        runs.filter(text => text.startsWith("one")).filter(text => text !== "one 3"),
        where,
      ).toEqual(["one 1", "one 2"])
      expect(runs.toSorted(), where).toEqual(["one 1", "one 2", "one 3", "two 1", "two 2", "two 3"])
      expect(sent.toSorted(), where).toEqual([
        "a: one 1",
        "a: one 2",
        "a: two 1",
        "a: two 2",
        "all: one 1",
        "all: one 2",
        "all: one 3",
        "b: one 3",
        "b: two 3",
      ])
    }),
  )
})
