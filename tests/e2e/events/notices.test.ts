import {expect, test} from "vitest"
import {holdDatabase} from "../../support/database/stranger.ts"
import {readEvents, readHistoryOf} from "../../support/events/reader.ts"
import {expectProblem, fullAndDemo, startHost, until} from "../../support/host/host.ts"
import {echoPlugin, handledAll, post} from "../../support/messages/inbox-ledger.ts"

const {env} = fullAndDemo
const config = fullAndDemo.config("echo")

test("connected clients get a notice of a failing database and of its recovery, and neither is stored", async () => {
  const host = await startHost({own: true, config, env, plugins: {echo: echoPlugin}})
  expect((await post(host, "before")).status).toBe(202)
  await handledAll(host)
  await until("the events of the start and of the message", async () => {
    const types = (await readHistoryOf(host)).map(({type}) => type)
    return types.includes("host.started") && types.includes("message.sent")
  })
  const full = await readEvents(host)
  const demo = await readEvents(host, {token: env.DEMO_TOKEN})
  for (const reader of [full, demo]) await reader.hello()
  const stranger = await holdDatabase(host.project.path(".svc/data.sqlite"))
  const beforeFailing = await readHistoryOf(host)
  await expectProblem(await post(host, "during"), 503, "database_busy")
  const [failing] = await until("the notice", () => full.notices().length > 0 && full.notices())
  expect(failing).toEqual({
    what: "database_failing",
    code: "database_busy",
    message: expect.stringContaining("locked"),
    since: expect.any(String),
  })
  expect(await readHistoryOf(host)).toEqual(beforeFailing)

  stranger.child.kill("SIGKILL")
  await stranger.finished
  expect((await post(host, "during")).status).toBe(202)
  await handledAll(host)
  await until("the second notice", () => full.notices().length === 2 && demo.notices().length === 2)
  expect(full.notices()[1]).toMatchObject({what: "database_recovered", since: failing?.since})
  expect(demo.notices()).toEqual(full.notices().map(({message: _, ...notice}) => notice))
  await until("the event of the sent message", () => full.envelopes().some(({type}) => type === "message.sent"))

  // A notice has no id, so that no client resumes from it. The event log holds only the events that were stored.
  expect(full.received.filter(({event}) => event === "notice").map(({id}) => id)).toEqual([undefined, undefined])
  const stored = (await readHistoryOf(host)).slice(beforeFailing.length)
  // The sandbox is inside the Host, so a sender knows about a refusal and no gap is recorded.
  const types = ["message.handled", "message.received", "message.sent"]
  expect(stored.map(({type}) => type).sort()).toEqual(types)
  expect(full.envelopes().slice(-3)).toEqual(stored)
})
