import {Webhook} from "standardwebhooks"
import {describe, expect, test} from "vitest"
import type {AlertBody, AlertMessage} from "../../../shared/alerts/api.ts"
import {posting} from "../../support/host/client.ts"
import {bunOr, expectProblem, pluginWith, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {makeProject, type Project} from "../../support/host/project.ts"
import {fillDisk, mountDisk, needMounts} from "../../support/machine/disk.ts"
import {type AlertReceiver, startAlertReceiver} from "../../support/metrics/alert-receiver.ts"
import {mailboxPassword} from "../../support/platforms/email/dovecot.ts"
import {startMailServer} from "../../support/platforms/email/smtp.ts"
import {secretOf} from "../../support/webhooks/webhooks.ts"

/** An endpoint that connects once a file exists. */
const line = `import {existsSync} from "node:fs"
import {join} from "node:path"
${pluginWith(`plugin.adapter("line", {
  history: "replay",
  open: async () => {
    if (!existsSync(join(plugin.project, "up"))) throw new Error("no carrier")
    return {send: async ({id}) => ({ids: [id]})}
  },
})`)}`

interface Targets {
  readonly receiver: AlertReceiver
  readonly more?: string
  readonly top?: string
}

/** The Host checks every second, and resolves a past alert after one more second. */
const configOf = ({
  more = "",
  top = "",
}: Pick<Targets, "more" | "top"> = {}) => `http: {port: 0, token: "\${HTTP_TOKEN}", demoToken: "\${DEMO_TOKEN}"}
plugins: {sandbox: {}, line: {}}
${top}alerts:
  every: 1s
  grace: 0s
  settle: 1s
  items:
    endpoint_offline: {for: 0s}
    ingress_paused: {for: 0s}
    database_failing: {for: 0s}
    restarts: {enabled: false}
    unclean_end: {enabled: false}
    disk_full: {enabled: false}
    database_capacity: {enabled: false}
  heartbeat: {url: "\${BEAT_URL}", every: 1s}
  targets:
    ops: {endpoint: sandbox, channel: ops}
    pager: {webhook: {url: "\${PAGER_URL}", secret: "\${PAGER_SECRET}", headers: {x-team: night}}}
${more}`

const secret = secretOf("pager")
const envOf = (receiver: AlertReceiver) => ({
  HTTP_TOKEN: "full-token-of-the-alerts-test",
  DEMO_TOKEN: "demo-token-of-the-alerts-test",
  PAGER_URL: `${receiver.url}/pager/canary-address`,
  PAGER_SECRET: secret,
  BEAT_URL: `${receiver.url}/beat/canary-beat`,
})

const view = (host: TestHost) => host.get("/api/alerts")

const toldIn = async (host: TestHost, channel = "ops"): Promise<readonly string[]> => {
  const {items} = await host.get("/api/outbox", {limit: 500})
  const sent = items.filter(item => item.channel === channel && item.state === "sent").reverse()
  return Promise.all(sent.map(async ({id}) => (await host.get("/api/outbox/:id", {id})).text))
}

const alertsOf = (messages: readonly {readonly body: AlertMessage}[]): readonly AlertBody[] =>
  messages.flatMap(({body}) => body.alerts)

const openLine = (project: Project) => project.write("up", "")

describe.each(bunOr("node22"))("on $name", runtime => {
  test("each target is alerted once when an endpoint is offline, across a kill, and once when it is back", async () => {
    const receiver = await startAlertReceiver()
    const mail = await startMailServer({user: "alerts"})
    const more = `    people:
      email:
        from: bot@example.org
        to: [ops@example.org]
        smtp: {host: 127.0.0.1, port: ${mail.port}, tls: none, user: alerts, password: "\${MAIL_PASSWORD}"}
    lost: {webhook: {url: "\${LOST_URL}"}, items: [endpoint_offline]}
`
    const project = makeProject({config: configOf({more}), plugins: {line}})
    const env = {...envOf(receiver), MAIL_PASSWORD: mailboxPassword, LOST_URL: `${receiver.url}/redirect/canary-lost`}
    const first = await startHost({own: true, runtime, project, env})
    const pager = await until("the webhook to receive the alert", () => receiver.taken("pager")[0])
    expect(pager.body).toMatchObject({
      schema: "svc.alert/1",
      project: "scratch-bot",
      runtimeId: first.runtimeId,
      alerts: [
        {
          code: "endpoint_offline",
          status: "firing",
          repeated: false,
          severity: "critical",
          title: "line is not connected",
          Endpoint: "line",
          Project: "scratch-bot",
          runtimeId: first.runtimeId,
          until: null,
          remediation: {command: "svc endpoint show line"},
        },
      ],
    })
    expect(pager.body.alerts[0]?.text).toContain("no carrier")
    expect(Date.parse(pager.body.alerts[0]?.since ?? "")).toBeGreaterThan(Date.now() - 60_000)
    expect(pager.headers).toMatchObject({"x-team": "night", "webhook-id": pager.body.id})
    new Webhook(secret).verify(pager.text, pager.headers as Record<string, string>)

    const [letter] = await until("the mail", () => mail.taken.length > 0 && mail.taken)
    expect(letter).toMatchObject({from: "bot@example.org", to: ["ops@example.org"]})
    expect(String(letter?.source)).toContain("Subject: [scratch-bot] Critical: line is not connected")
    expect(String(letter?.source)).toContain("Endpoint line")
    const said = await until("the alert in the channel", async () => (await toldIn(first))[0])
    expect(said).toMatch(/^Critical: line is not connected\n/)
    expect(said).toContain("svc endpoint show line")
    expect(said).toContain(`Project scratch-bot, Endpoint line, runtimeId ${first.runtimeId}.`)

    // Every target received the alert or has a failure on record, and no address is shown.
    const shown = await until("the failure of the lost target", async () => {
      const now = await view(first)
      return now.targets.find(({name}) => name === "lost")?.lastFailure != null && now
    })
    expect(shown.targets.find(({name}) => name === "lost")?.lastFailure?.error).toContain("redirects")
    expect(shown.items[0]).toMatchObject({
      code: "endpoint_offline",
      told: expect.arrayContaining(["ops", "pager", "people"]),
    })
    expect(receiver.asked("/elsewhere")).toBe(0)
    const {items: tried} = await first.post("/api/alerts/test", {body: {target: "pager"}})
    expect(tried).toEqual([{target: "pager", ok: true, detail: expect.any(String)}])
    await expectProblem(await first.fetch("/api/alerts/test", posting({target: "nobody"})), 404, "alert_target_unknown")
    const {stdout} = await svc(runtime, project, ["alert", "list"], {env})
    expect(stdout).toContain("line is not connected")
    const demo = await fetch(`${first.url}/api/alerts`, {headers: {authorization: `Bearer ${env.DEMO_TOKEN}`}})
    const observed = await demo.text()
    expect(observed).toContain("line is not connected")
    expect(observed).not.toContain("no carrier")
    await until("the heartbeat", () => receiver.asked("/beat/canary-beat") > 0)
    const everything = `${JSON.stringify(shown)}${first.process.output()}`
    for (const hidden of ["canary-address", "canary-beat", "canary-lost", secret])
      expect(everything).not.toContain(hidden)

    await first.stop("SIGKILL")
    const second = await startHost({own: true, runtime, project, env})
    await until("the next check", async () => (await view(second)).checkedAt !== null)
    openLine(project)
    const last = await until("the resolved alert", () =>
      alertsOf(receiver.taken("pager")).find(({status}) => status === "resolved"),
    )
    expect(last).toMatchObject({id: pager.body.alerts[0]?.id, until: expect.any(String), runtimeId: second.runtimeId})
    await until("the resolved alert in the channel", async () => (await toldIn(second)).length === 2)
    expect((await toldIn(second))[1]).toMatch(/^Resolved: line is not connected\n/)
    const {items: events} = await second.get("/api/events/history", {types: "alert.*", limit: 100})
    expect(events.filter(({data}) => (data as {alert?: string}).alert === last.id).map(({type}) => type)).toEqual([
      "alert.raised",
      "alert.resolved",
    ])
    await until("the second mail", () => mail.taken.length === 2)
    expect(alertsOf(receiver.taken("pager")).filter(({status}) => status !== "test")).toHaveLength(2)

    // During a pause of ingress a webhook gets the alert at once, and a channel afterwards.
    await second.post("/api/ingress/pause")
    await until("the webhook to receive the alert about the pause", () =>
      alertsOf(receiver.taken("pager")).find(({code}) => code === "ingress_paused"),
    )
    const waiting = (await view(second)).targets.find(({name}) => name === "ops")
    expect(waiting).toMatchObject({waiting: "ingress_paused", due: 1, lastFailure: null, failures: 0})
    await second.post("/api/ingress/resume")
    await until("the alert in the channel", async () =>
      (await toldIn(second)).some(text => text.includes("Ingress is paused")),
    )
    expect(second.process.output()).not.toMatch(/\btarget ops\b/)
    expect((await second.stop()).code).toBe(0)
  }, 90_000)
})

describe.each(bunOr("node24"))("on $name", runtime => {
  test("a Host killed while a webhook hangs repeats that message, and the channel gets it once", async () => {
    const receiver = await startAlertReceiver()
    receiver.hang(true)
    const project = makeProject({config: configOf(), plugins: {line}})
    const env = envOf(receiver)
    const first = await startHost({own: true, runtime, project, env})
    const hung = await until("the webhook to be asked", () => receiver.hung("pager")[0])
    // The message to the channel does not wait for the webhook.
    await first.say("hello")
    await until("the alert in the channel", async () => (await toldIn(first)).length > 0)
    await first.stop("SIGKILL")

    receiver.hang(false)
    const second = await startHost({own: true, runtime, project, env})
    expect((await until("the same message", () => receiver.taken("pager")[0])).body.id).toBe(hung.body.id)
    receiver.failNext("pager", 500)
    openLine(project)
    await until("the resolved alert, after a failure", () =>
      alertsOf(receiver.taken("pager")).some(({status}) => status === "resolved"),
    )
    expect(alertsOf(receiver.taken("pager")).map(({status}) => status)).toEqual(["firing", "resolved"])
    await until("the resolved alert in the channel", async () => (await toldIn(second)).length === 2)
    expect((await view(second)).targets.find(({name}) => name === "pager")).toMatchObject({
      failures: 1,
      lastFailure: null,
    })
    expect((await second.stop()).code).toBe(0)
  }, 90_000)
})

test.for(bunOr("node22"))(
  "on $name, while a full disk stores nothing, the webhook is alerted, the channel waits and the heartbeat stops",
  {timeout: 90_000},
  async (runtime, context) => {
    needMounts(context)
    const receiver = await startAlertReceiver()
    const top = "ingress: {minimumFree: 0}\ndatabase: {dialect: sqlite, filename: data/bot.sqlite}\n"
    const project = makeProject({config: configOf({top}), plugins: {line}})
    openLine(project)
    const disk = mountDisk(project.path("data"), "8m")
    const host = await startHost({runtime, project, env: envOf(receiver)})
    await until("the heartbeat", () => receiver.asked("/beat/canary-beat") > 0)
    fillDisk(project.path("data"))
    const told = await until("the webhook to receive the alert", () =>
      alertsOf(receiver.taken("pager")).find(({code}) => code === "database_failing"),
    )
    expect(told.text).toContain("database_full")
    const shown = await until("the heartbeat to stop", async () => {
      const now = await view(host)
      return now.heartbeat?.stopped === "rows" && now
    })
    expect(shown.targets.find(({name}) => name === "ops")).toMatchObject({waiting: "database_failing", failures: 0})
    const beats = receiver.asked("/beat/canary-beat")

    disk.resize("64m")
    await until("the heartbeat again", () => receiver.asked("/beat/canary-beat") > beats)
    await until("the resolved alert", () => alertsOf(receiver.taken("pager")).some(({status}) => status === "resolved"))
    const said = await until("the resolved alert in the channel", async () => {
      const texts = await toldIn(host)
      return texts.some(text => text.startsWith("Resolved: The database")) && texts
    })
    expect(said).toHaveLength(1)
    expect((await host.stop()).code).toBe(0)
  },
)
