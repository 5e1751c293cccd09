import {cpSync} from "node:fs"
import {expect, test} from "vitest"
import {makeCheckpoint} from "../../support/checkpoint/checkpoints.ts"
import {makeProject, onBun, pluginWith, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {notesIn} from "../../support/plugins/plugin-sources.ts"
import {secrets, startWebhookHost, webhookConfig} from "../../support/webhooks/host.ts"
import {startReceiver} from "../../support/webhooks/webhooks.ts"

/** A platform that repeats a message after its cursor was set back, and a job with a run that never ends. */
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

const linesOf = (host: TestHost, line: string) => notesIn(host.project).filter(each => each === line)

const runsOf = async (host: TestHost) =>
  (await host.get("/api/runs")).items.map(run => `${run.kind === "job" ? run.job : run.agent} ${run.state}`)

/** Makes a checkpoint with an unsent message, an open run and a job due in `lead` ms. Then kills the Host. */
const makeSituation = async (url: string, hasRefused: () => boolean, lead: number) => {
  const answers = pluginWith(`plugin.on("message-created", session => "got " + session.text)`)
  const {host, say} = await startWebhookHost({
    own: true,
    config: `${webhookConfig({url})}  poller: {}\n`,
    plugins: {answers, poller},
    files: {".env": environment},
  })
  await say({channel: "c", text: "one"}, "one")
  await until("the partner to refuse the answer", hasRefused)
  await host.post("/api/jobs", {
    body: {
      id: "slow",
      schedule: {every: "24h"},
      timezone: "UTC",
      target: {plugin: "poller", job: "slow"},
    },
  })
  await host.post("/api/jobs/:id/run", {id: "slow"})
  await until("the job to run", () => linesOf(host, "slow").length === 1)
  const due = Date.now() + lead
  const target = {endpoint: "webhook~shop", channel: "c", text: "due"}
  const at = new Date(due).toISOString().slice(0, 19)
  await host.post("/api/jobs", {body: {id: "once", schedule: {at}, timezone: "UTC", missed: "all", target}})
  const {id} = await makeCheckpoint(host.project)
  const isInTime = Date.now() < Date.parse(`${at}Z`)
  await host.stop("SIGKILL")
  return {host, id, due, isInTime}
}

test("a restored Host sends nothing on the wire until an operator releases it", async () => {
  let isBusy = true
  const receiver = await startReceiver(secrets.SHOP_SECRET, () => ({status: isBusy ? 503 : 200}))
  const make = (lead: number) => {
    const refusedBefore = receiver.deliveries.length
    return makeSituation(receiver.url, () => receiver.deliveries.length > refusedBefore, lead)
  }
  // On a slow machine, the job may come due before the checkpoint exists. Then use the longer time.
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
  expect((await fetch(`${again.url}/pub/ready`)).status).toBe(200)
  await until("the repeated message", async () =>
    (await again.get("/api/inbox")).items.some(({state}) => state === "held"),
  )
  // New messages still go out, which shows that the wire works. Anything sent without a release would have gone out
  // earlier.
  await again.post("/api/outbox", {body: {endpoint: "webhook~shop", channel: "c", text: "new"}})
  const texts = () => receiver.deliveries.slice(before).map(({body}) => body.text)
  await until("the new message", () => texts().includes("new"))
  expect(texts()).toEqual(["new"])
  expect(linesOf(again, "sent")).toEqual([])
  expect(await runsOf(again)).toEqual(["slow failed"])
  await again.post("/api/outbox/:id/release", {id: "held"})
  await again.post("/api/inbox/:seq/release", {seq: "held"})
  await until("the released messages", () => texts().length === 2 && linesOf(again, "sent").length === 1)
  expect(texts()).toEqual(["new", "got one"])
})
