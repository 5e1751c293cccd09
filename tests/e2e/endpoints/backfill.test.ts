import {describe, expect, test} from "vitest"
import {HistoryPlatform, pastPlugin} from "../../support/adapters/history-platform.ts"
import {makeCheckpoint, restore} from "../../support/checkpoint/checkpoints.ts"
import {readHistoryOf} from "../../support/events/reader.ts"
import {bunOr, gapsOf, onBun, startHost, svc, type TestHost, until, untilGaps} from "../../support/host/host.ts"
import {handledAll, readLedger} from "../../support/messages/inbox-ledger.ts"
import {untilOnline} from "../../support/platforms/endpoint.ts"

const inboxOf = async (host: TestHost) => (await host.get("/api/inbox", {limit: 200})).items.toReversed()

const textsIn = async (host: TestHost, channel: string) =>
  (await inboxOf(host)).filter(({event}) => event.channel?.id === channel).map(({event}) => event.message?.content)

const untilTexts = (host: TestHost, channel: string, texts: readonly string[]) =>
  until(`${texts.join(", ")} in ${channel}`, async () => {
    const found = await textsIn(host, channel)
    return found.length >= texts.length && found
  }).then(found => expect(found).toEqual(texts))

/** Runs a Host until it has stored one message of each channel, then ends it. Returns the project. */
const meet = async (platform: HistoryPlatform, runtime = onBun, end: "SIGTERM" | "SIGKILL" = "SIGTERM") => {
  const host = await startHost({own: end === "SIGKILL", runtime, config: platform.config, plugins: {past: pastPlugin}})
  await untilOnline(host)
  for (const channel of ["a", "b"]) platform.say(channel, `${channel} 1`)
  await until("both messages to be stored", async () => (await inboxOf(host)).length === 2)
  await handledAll(host)
  await host.stop(end)
  return host.project
}

describe.each(bunOr("node24"))("on $name", runtime => {
  test("a backfill stores missed messages in order before new ones, and ends the gap as filled", async () => {
    const platform = await HistoryPlatform.start()
    const project = await meet(platform, runtime)
    for (let n = 2; n <= 8; n++) platform.say("a", `a ${n}`)
    platform.say("b", "by the bot itself", "bot")
    platform.say("b", "b 2")
    let isNew = true
    platform.asked = channel => {
      if (channel === "a" && isNew) {
        isNew = false
        platform.say("a", "a 9, new")
        platform.say("c", "c 1, new")
      }
      return false
    }
    const host = await startHost({runtime, project})
    const [gap] = await untilGaps(host, 1)
    expect(gap).toMatchObject({endpoint: "past~one", reason: "host_stopped", backfill: "filled"})
    await untilTexts(host, "a", ["a 1", "a 2", "a 3", "a 4", "a 5", "a 6", "a 7", "a 8", "a 9, new"])
    await untilTexts(host, "b", ["b 1", "b 2"])
    await untilTexts(host, "c", ["c 1, new"])
    await handledAll(host)
    expect((await readHistoryOf(host)).filter(({type}) => type === "endpoint.gap")).toMatchObject([
      {endpoint: "past~one", data: {backfill: "filled"}},
    ])
    for (const command of [
      ["inbox", "gaps"],
      ["endpoint", "show", "past~one"],
    ])
      expect((await svc(onBun, project, command)).stdout).toMatch(/host_stopped.*filled/)
    await host.stop()
    const ledger = await readLedger(project.path(".svc/data.sqlite"))
    expect([...ledger.values()].filter(({copies, answers}) => copies !== 1 || answers !== 1)).toEqual([])
  })

  test("a channel without readable history still gets its new messages, and the gap ends as partly", async () => {
    const platform = await HistoryPlatform.start()
    const project = await meet(platform, runtime)
    platform.say("a", "a 2")
    platform.say("b", "b 2")
    platform.asked = (channel, response) => {
      if (channel !== "a") return false
      platform.say("a", "a 3, new")
      response.writeHead(403).end()
      return true
    }
    const host = await startHost({runtime, project})
    expect(await untilGaps(host, 1)).toMatchObject([{backfill: "partly"}])
    await untilTexts(host, "a", ["a 1", "a 3, new"])
    await untilTexts(host, "b", ["b 1", "b 2"])
  })
})

test.each(bunOr("node24"))("after a kill in a backfill, the next run gets the rest once, on $name", async runtime => {
  const platform = await HistoryPlatform.start()
  const project = await meet(platform, runtime, "SIGKILL")
  for (let n = 2; n <= 8; n++) platform.say("a", `a ${n}`)
  let asked = 0
  platform.asked = () => {
    asked++
    if (asked === 2) platform.say("a", "a 9")
    // The platform never answers the second request.
    return asked === 2
  }
  const host = await startHost({own: true, runtime, project})
  await until("the second page to be requested", () => asked === 2)
  expect((await inboxOf(host)).map(({event}) => event.message?.content)).not.toContain("a 9")
  await host.stop("SIGKILL")

  const later = await startHost({own: true, runtime, project})
  expect(await untilGaps(later, 1)).toMatchObject([{reason: "host_ended", backfill: "filled"}])
  const all = Array.from({length: 9}, (_, index) => `a ${index + 1}`)
  await untilTexts(later, "a", all)
  await handledAll(later)
  await later.stop()
  const ledger = await readLedger(project.path(".svc/data.sqlite"))
  expect(ledger.size).toBe(10)
  expect([...ledger.values()].filter(({copies, answers}) => copies !== 1 || answers !== 1)).toEqual([])
})

test.each(bunOr("node22"))("a backfill after a restore holds what may have been handled, on $name", async runtime => {
  const platform = await HistoryPlatform.start()
  const project = await meet(platform, runtime)
  const {id} = await makeCheckpoint(project)
  const host = await startHost({runtime, project})
  await untilOnline(host)
  platform.say("a", "a 2")
  await untilTexts(host, "a", ["a 1", "a 2"])
  await handledAll(host)
  await host.stop()
  await restore(project, id)
  platform.say("a", "a 3")

  const again = await startHost({runtime, project})
  expect(await untilGaps(again, 1)).toMatchObject([{backfill: "filled"}])
  await untilTexts(again, "a", ["a 1", "a 2", "a 3"])
  await handledAll(again)
  expect((await inboxOf(again)).filter(({event}) => event.channel?.id === "a").map(({state}) => state)).toEqual([
    "handled",
    "held",
    "handled",
  ])
})

test.each(bunOr("node22"))("a pause of ingress interrupts a backfill until it is open, on $name", async runtime => {
  const platform = await HistoryPlatform.start()
  const project = await meet(platform, runtime)
  for (let n = 2; n <= 5; n++) platform.say("a", `a ${n}`)
  const held: (() => void)[] = []
  platform.asked = (_, response) => {
    if (held.length > 0) return false
    held.push(() => response.writeHead(500).end())
    return true
  }
  const host = await startHost({runtime, project})
  await until("the history to be requested", () => held.length > 0)
  await host.post("/api/ingress/pause")
  held[0]?.()
  expect(await gapsOf(host)).toMatchObject([{to: null, backfill: null}])
  await host.post("/api/ingress/resume")
  expect((await untilGaps(host, 1))[0]).toMatchObject({backfill: "filled"})
  await untilTexts(host, "a", ["a 1", "a 2", "a 3", "a 4", "a 5"])
})
