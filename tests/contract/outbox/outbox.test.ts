import {expect, test} from "vitest"
import {noPolicy} from "../../../server/endpoints/policy.ts"
import {Outbox} from "../../../server/outbox/outbox.ts"
import {localDatabase, open} from "../../support/database/databases.ts"
import {until} from "../../support/host/process.ts"
import {log} from "../../support/host/silence.ts"

test("an endpoint that comes back between two messages of one batch sends them in their order", async () => {
  const outbox = new Outbox(await open(await localDatabase()), log)
  const sent: string[] = []
  let isOnline = false
  const sender = {
    send: async ({id}: {id: string}) => {
      sent.push(id)
      return {ids: [id]}
    },
  }
  await outbox.start({sender: () => (isOnline ? sender : undefined), policy: () => noPolicy})
  const enqueue = (id: string) =>
    outbox.enqueue({id, kind: "message", endpoint: "line", channel: "team", content: [id]})
  const before = enqueue("before")
  isOnline = true
  await Promise.all([before, enqueue("after")])
  await until("both to be sent", () => sent.length === 2)
  expect(sent).toEqual(["before", "after"])
  await outbox.drain()
})
