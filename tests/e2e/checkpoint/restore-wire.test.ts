import {cpSync} from "node:fs"
import {expect, test} from "vitest"
import {makeCheckpoint} from "../../support/checkpoint/checkpoints.ts"
import {startHost, svc, type TestHost} from "../../support/host/host.ts"
import {until} from "../../support/host/process.ts"
import {makeProject} from "../../support/host/project.ts"
import {onBun} from "../../support/host/runtimes.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"
import {secrets, startWebhookHost, webhookConfig} from "../../support/webhooks/host.ts"
import {startReceiver} from "../../support/webhooks/webhooks.ts"

/** A platform that delivers anew what it sent before its cursor was set back; and a job whose run does not end. */
const poller = pluginWith(`
    plugin.job("slow", async run => {
      note("slow")
      await new Promise((_, fail) => run.signal.addEventListener("abort", fail))
    })
    plugin.adapter("poller", {
      history: "replay",
      open: async (_, endpoint) => {
        if (process.env.REWOUND_TO !== undefined)
          await endpoint.receive({id: "missed", type: "message-created", timestamp: Number(process.env.REWOUND_TO), channel: {id: "c", type: 0}, user: {id: "u"}, message: {id: "1", content: "missed"}})
        return {send: async () => {
          note("sent")
          return {ids: ["1"]}
        }}
      },
    })`)

const environment = Object.entries(secrets)
  .map(([name, value]) => `${name}=${value}\n`)
  .join("")

const linesOf = (host: TestHost, line: string) =>
  host.project
    .read("notes.log")
    .split("\n")
    .filter(each => each === line)

const runsOf = async (host: TestHost) =>
  (await host.get<{items: {job: string; state: string}[]}>("/api/runs")).items.map(({job, state}) => `${job} ${state}`)

/** A checkpoint with an unsent message, an open run, and a job that is due so many milliseconds later; its Host is killed. */
const makeSituation = async (url: string, hasRefused: () => boolean, lead: number) => {
  const answers = pluginWith(`plugin.on("message-created", session => "got " + session.text)`)
  const {host, say} = await startWebhookHost({
    config: `${webhookConfig({url})}  poller: {}\n`,
    plugins: {answers, poller},
    files: {".env": environment},
  })
  await say({channel: "c", text: "one"}, "one")
  await until("the partner to refuse the answer", hasRefused)
  await host.post("/api/jobs", {
    id: "slow",
    schedule: {every: "24h"},
    timezone: "UTC",
    target: {plugin: "poller", job: "slow"},
  })
  await host.post("/api/jobs/slow/run")
  await until("the job to run", () => linesOf(host, "slow").length === 1)
  const due = Date.now() + lead
  const target = {endpoint: "webhook~shop", channel: "c", text: "due"}
  const at = new Date(due).toISOString().slice(0, 19)
  await host.post("/api/jobs", {id: "once", schedule: {at}, timezone: "UTC", missed: "all", target})
  const {id} = await makeCheckpoint(host.project)
  const isInTime = Date.now() < Date.parse(`${at}Z`)
  await host.stop("SIGKILL")
  return {host, id, due, isInTime}
}

test("unsent messages, jobs due since, an open run and a rewound cursor: the wire stays silent until release", async () => {
  let isBusy = true
  const receiver = await startReceiver(secrets.SHOP_SECRET, () => ({status: isBusy ? 503 : 200}))
  const make = (lead: number) => {
    const refusedBefore = receiver.deliveries.length
    return makeSituation(receiver.url, () => receiver.deliveries.length > refusedBefore, lead)
  }
  // On a machine that is too slow for the short time, the job was due before the checkpoint was made.
  const quick = await make(6000)
  const {host, id, due, isInTime} = quick.isInTime ? quick : await make(30_000)
  expect(isInTime).toBe(true)

  const project = makeProject({files: {".env": environment}})
  cpSync(host.project.path("plugins"), project.path("plugins"), {recursive: true})
  await until("the job to be due", () => Date.now() > due + 1000, 120_000)
  const env = {...secrets}
  const restored = await svc(
    onBun,
    project,
    ["checkpoint", "restore", host.project.path(".svc/checkpoints", id), "--json"],
    {env},
  )
  expect({code: restored.code, held: JSON.parse(restored.stdout).held}).toMatchObject({code: 0, held: {outbox: 1}})
  isBusy = false
  const before = receiver.deliveries.length
  const again = await startHost({project, env: {...env, REWOUND_TO: String(due)}})
  const answer = await fetch(`${again.url}/pub/ready`)
  expect(answer.status).toBe(200)
  await until("what the platform delivers anew", async () =>
    (await again.get<{items: {state: string}[]}>("/api/inbox")).items.some(({state}) => state === "held"),
  )
  // The wire works: what is new goes its way, after everything that would have gone by itself.
  await again.post("/api/outbox", {endpoint: "webhook~shop", channel: "c", text: "new"})
  const texts = () => receiver.deliveries.slice(before).map(({body}) => body.text)
  await until("the new message", () => texts().includes("new"))
  expect(texts()).toEqual(["new"])
  expect(linesOf(again, "sent")).toEqual([])
  expect(await runsOf(again)).toEqual(["slow failed"])
  await again.post("/api/outbox/held/release")
  await again.post("/api/inbox/held/release")
  await until("what was held", () => texts().length === 2 && linesOf(again, "sent").length === 1)
  expect(texts()).toEqual(["new", "got one"])
})
