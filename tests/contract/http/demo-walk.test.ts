import {expect, test} from "vitest"
import {fullAndDemo, startHost, type TestHost} from "../../support/host/host.ts"
import {documentOf, type Examples, questionsOf, usualValues} from "../../support/host/questions.ts"

const {env} = fullAndDemo
const config = `${fullAndDemo.config()}  faller: {config: {word: canary-configured}}
agents:
  writer:
    description: canary-agent
    provider: anthropic
    baseURL: http://127.0.0.1:9/canary-base
    model: none
    instructions: canary-instructions
`

/** A plugin that fails with a text, answers with one, and logs one. */
const faller = `import {definePlugin, Type} from "svc-runtime"
export default definePlugin({config: Type.Object({word: Type.String()}), setup(plugin) {
  plugin.command("fall", () => { throw new Error("canary-error") })
  plugin.command("tell", () => { plugin.log.error("canary-log"); return "canary-answer" })
  const later = plugin.timer("later", () => {})
  plugin.command("later", async ({session}) => void (await session.setTimer(later, {in: 3600000}, "canary-timer", {key: "canary-key"})))
  plugin.job("trip", () => { throw new Error("canary-run") })
}})`

/** Puts a text into every place that takes free text. All texts start alike, so that one search finds them. */
const fill = async (host: TestHost): Promise<Examples> => {
  await host.say("canary-message", {user: "canary-user", channel: "canary-channel"})
  await host.say("/fall")
  await host.say("/tell")
  await host.say("/later", {user: "canary-user", channel: "canary-channel"})
  const item = await host.post("/api/workroom/items", {
    body: {
      title: "canary-title",
      description: "canary-description",
      labels: ["canary-label"],
      assignee: "user:canary-assignee",
      actor: "user:canary-actor",
      request: "canary-request",
      conversation: {endpoint: "sandbox", channel: "canary-conversation"},
    },
  })
  let revision = item.revision
  for (const [command, more] of [
    ["comment", {text: "canary-comment"}],
    ["claim", {assignee: "user:canary-assignee"}],
    ["block", {reason: "canary-blocked", owner: "user:canary-owner"}],
  ] as const) {
    const body = {expectedRevision: revision, actor: "user:canary-actor", ...more}
    revision = (await host.post(`/api/workroom/items/:id/${command}`, {id: item.id, body})).revision
  }
  const job = {label: "canary job label", schedule: {every: "24h"}, timezone: "UTC"}
  const said = {endpoint: "sandbox", channel: "canary-job-channel", text: "canary-job-text"}
  await host.post("/api/jobs", {body: {id: "tea", ...job, target: said}})
  await host.post("/api/jobs", {body: {id: "trip", ...job, target: {plugin: "faller", job: "trip"}}})
  await host.post("/api/jobs/:id/run", {id: "tea"})
  await host.post("/api/jobs/:id/run", {id: "trip"})
  const [message] = (await host.get("/api/outbox")).items
  const [timer] = (await host.get("/api/timers")).items
  const [run] = (await host.get("/api/runs")).items
  return {
    paths: {
      "/api/inbox/{seq}": "/api/inbox/1",
      "/api/inbox/{seq}/trail": "/api/inbox/1/trail",
      "/api/outbox/{id}": `/api/outbox/${message?.id}`,
      "/api/plugins/{plugin}": "/api/plugins/faller",
      "/api/generations/{number}/config": "/api/generations/1/config",
      "/api/workroom/items/{id}": `/api/workroom/items/${item.id}`,
      "/api/workroom/items/{id}/journal": `/api/workroom/items/${item.id}/journal`,
      "/api/jobs/{id}": "/api/jobs/tea",
      "/api/jobs/{id}/next": "/api/jobs/tea/next",
      "/api/runs/{id}": `/api/runs/${run?.runId}`,
      "/api/runs/{id}/context": `/api/runs/${run?.runId}/context`,
      "/api/agents/{name}": "/api/agents/writer",
      "/api/timers/{id}": `/api/timers/${timer?.id}`,
      "/api/checkpoints/{id}": "/api/checkpoints/newest",
      "/api/checkpoints/{id}/archive": "/api/checkpoints/newest/archive",
    },
    // Streams do not end; the test reads the first one below.
    apart: ["/api/events", "/api/plugins/sandbox/stream"],
    values: {...usualValues, cursor: "1000", job: "tea", agent: "writer", plugin: "faller"},
  }
}

const canary = /canary[- ]/

const read = async (host: TestHost, path: string, token: string): Promise<string> => {
  const headers = {authorization: `Bearer ${token}`}
  return (await host.fetch(path, {headers, signal: AbortSignal.timeout(30_000)})).text()
}

/** Returns all events since the first one of the Host that arrive at once. */
const readEvents = async (host: TestHost, token: string): Promise<string> => {
  const {items} = await host.get("/api/events/history", {limit: 500})
  const newest = items[0]?.id ?? ""
  const ending = new AbortController()
  const headers = {authorization: `Bearer ${token}`, "last-event-id": `${newest.split("-")[0]}-0`}
  const answer = await host.fetch("/api/events", {headers, signal: ending.signal})
  let text = ""
  const decoder = new TextDecoder()
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, {stream: true})
    if (text.includes(`id: ${newest}\n`)) break
  }
  ending.abort()
  return text
}

test("no route and no event shows free text to a demo token", async () => {
  const host = await startHost({config, env, plugins: {faller}})
  const examples = await fill(host)
  const questions = questionsOf(await documentOf(host), examples)
  const told: string[] = []
  const knownToFull = new Set<string>()
  for (const question of questions) {
    const text = await read(host, question, env.DEMO_TOKEN)
    if (canary.test(text)) told.push(`${question}: ${text}`)
    if (question.includes("?")) continue
    if (canary.test(await read(host, question, env.HTTP_TOKEN))) knownToFull.add(question)
  }
  const events = await readEvents(host, env.DEMO_TOKEN)
  expect(events).toContain("event: message.sent")
  if (canary.test(events)) told.push(events)
  expect(told).toEqual([])
  // The full token sees the texts, so they were there to be shown.
  const expected = `/api/events/history /api/inbox /api/inbox/{seq} /api/jobs /api/outbox /api/runs /api/logs
    /api/agents /api/agents/{name}`.split(/\s+/)
  for (const path of [
    ...expected,
    "/api/outbox/{id}",
    "/api/timers",
    "/api/timers/{id}",
    "/api/jobs/{id}",
    "/api/workroom/items",
    "/api/workroom/items/{id}",
  ])
    expect([...knownToFull]).toContain(examples.paths[path] ?? path)
})
