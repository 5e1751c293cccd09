import {expect, test} from "vitest"
import {FakeSlack} from "../../../../server/testing/platforms/slack/slack.ts"
import {bunOr, messageIn, sendTo, until, whenOver} from "../../../support/host/host.ts"
import {accountOf, startSlackHost, textsOf, untilSlack} from "../../../support/platforms/slack/host.ts"

const [runtime] = bunOr("node24")

const start = async (more: Readonly<Record<string, unknown>> = {}, own = false) => {
  const slack = await FakeSlack.start(whenOver)
  const host = await startSlackHost([accountOf(slack, more)], {own, ...(runtime && {runtime})})
  return {slack, host}
}

test("a token that Slack refuses fails the endpoint with a hint and without the token", async () => {
  const {host} = await start({botToken: "${SLACK_WRONG}"})
  const failed = await untilSlack(host, "failed")
  expect(failed).toMatchObject({reason: "credentials", error: expect.stringMatching(/: invalid_auth$/)})
  expect(failed.remediation).toContain("(xoxb-…)")
})

test("a refused app-level token and a token of the wrong kind fail the endpoint too", async () => {
  const slack = await FakeSlack.start(whenOver)
  const wrong = accountOf(slack, {id: "wrong", appToken: "${SLACK_WRONG}"})
  const neither = accountOf(slack, {id: "neither", appToken: undefined})
  const host = await startSlackHost([wrong, neither], runtime === undefined ? {} : {runtime})
  expect((await untilSlack(host, "failed", "wrong")).remediation).toContain("app-level token (xapp-…)")
  expect((await untilSlack(host, "failed", "neither")).remediation).toContain("signingSecret")
})

test("messages sent around kills arrive once, from the connection or from the history", async () => {
  const {slack, host} = await start({}, true)
  await untilSlack(host, "online")
  await slack.say("count 0")
  const said = ["count 0"]
  let running = host
  for (const kill of [1, 2]) {
    const saying = [1, 2, 3, 4, 5].map(n => {
      said.push(`count ${kill}${n}`)
      return slack.say(`count ${kill}${n}`)
    })
    await until("an event to be acknowledged", () => slack.acknowledged.length > kill)
    await running.stop("SIGKILL")
    await Promise.all(saying)
    said.push(`count ${kill}9`)
    await slack.say(`count ${kill}9`)
    running = await startSlackHost([accountOf(slack)], {own: true, project: host.project, ...(runtime && {runtime})})
    await untilSlack(running, "online")
  }
  const received = await until("all messages in the inbox", async () => {
    const found = await textsOf(running)
    return said.every(text => found.includes(text)) && found
  })
  expect(received.toSorted()).toEqual(said.toSorted())
  // If a kill interrupts sending an answer, the answer is `unknown` and is not sent again: Slack does not drop
  // repetitions.
  await until("each message to be answered or unknown", async () => {
    const {items} = await running.get("/api/outbox", {limit: 200})
    return items.length === said.length && items.every(({state}) => state === "sent" || state === "unknown")
  })
  const answers = slack.heard().map(({shown}) => shown)
  expect(new Set(answers).size).toBe(answers.length)
})

test("while ingress is paused nothing is acknowledged, and everything arrives afterwards", async () => {
  const {slack, host} = await start()
  await untilSlack(host, "online")
  await host.post("/api/ingress/pause")
  const before = slack.acknowledged.length
  const calls = slack.requests.received.length
  const saying = slack.say("count 1")
  await until("a warning", () => /\backnowledge a delivery\b/.test(host.process.output()))
  expect(slack.acknowledged.length).toBe(before)
  expect(slack.requests.received.length - calls).toBeLessThan(3)
  await host.post("/api/ingress/resume")
  await saying
  await slack.untilHeard("counted 1")
})

test("messages to be sent stay queued when the token is revoked while the bot runs", async () => {
  const {slack, host} = await start()
  await untilSlack(host, "online")
  const revocation = {status: 200, body: {ok: false, error: "token_revoked"}}
  slack.requests.order(/^(?!apps\.connections)/, revocation, {times: Number.POSITIVE_INFINITY})
  const {id} = await host.post("/api/outbox", {body: {endpoint: "slack~team", channel: "C0ROOM", text: "kept"}})
  const revoked = async () => (await untilSlack(host, "reconnecting")).error?.includes("token_revoked")
  await until("the refusal of the token", revoked)
  expect(await host.get("/api/outbox/:id", {id})).not.toMatchObject({state: "failed"})
  slack.requests.clear()
  await host.post("/api/system/reload")
  await slack.untilHeard("kept")
})

test("a message that Slack rejects fails with Slack's name for the reason", async () => {
  const {slack, host} = await start()
  await untilSlack(host, "online")
  for (const error of ["not_in_channel", "channel_not_found", "is_archived", "missing_scope"]) {
    slack.requests.order("chat.postMessage", {status: 200, body: {ok: false, error, needed: "chat:write"}})
    const id = await sendTo(host, "slack~team", "C0ROOM", "no")
    expect(await messageIn(host, id, "failed")).toMatchObject({reason: error, attempt: 1})
  }
})

test("a response that is not Slack's is retried, and its text is not shown", async () => {
  const {slack, host} = await start()
  await untilSlack(host, "online")
  slack.requests.order("chat.postMessage", {status: 200, body: `{"ok":tru${"x".repeat(1_000_000)}`})
  slack.requests.order("chat.postMessage", {status: 502, body: "<html>"})
  await host.post("/api/outbox", {body: {endpoint: "slack~team", channel: "C0ROOM", text: "at last"}})
  await slack.untilHeard("at last")
  expect(host.process.output()).not.toContain("xxxx")
})

test("the bot token is sent to Slack's file server only, and to no redirect", async () => {
  const {slack, host} = await start()
  await untilSlack(host, "online")
  slack.scopes = slack.scopes.filter(scope => scope !== "files:read")
  const files = [slack.file("a.txt", "text/plain", Buffer.from("a"))]
  await slack.say("", {subtype: "file_share", files})
  const {items} = await host.get("/api/inbox", {limit: 1})
  const link = `internal:slack/U0BOT/_svc/events/${items[0]?.seq}/0/a.txt`
  const answer = await host.fetch(`/satori/v1/proxy/${link}`)
  expect(answer.ok).toBe(false)
  expect(await answer.text()).toContain("login page")
  expect(slack.leaked).toEqual([])
})
