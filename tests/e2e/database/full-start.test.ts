import {readdirSync, rmSync} from "node:fs"
import {expect, test} from "vitest"
import type {ReadinessReport} from "../../../shared/api/readiness.ts"
import {readinessReasons} from "../../../shared/api/readiness.ts"
import {clientAt} from "../../support/host/client.ts"
import {bunOr, expectProblem, launchHost, pluginWith, type Running, startHost, until} from "../../support/host/host.ts"
import {makeProject} from "../../support/host/project.ts"
import {fillDisk, fillInodes, mountDisk, needMounts} from "../../support/machine/disk.ts"
import {freePort} from "../../support/machine/ports.ts"
import {notesIn} from "../../support/plugins/plugin-sources.ts"

const token = "the-full-token-of-the-test-of-full-starts"
const env = {HTTP_TOKEN: token}
const args = ["--no-watch"]

/** Notes openings and attempts to send in `notes.log`. While the file `away` exists, its platform accepts nothing. */
const wire = pluginWith(`
    plugin.adapter("wire", {
      history: "none",
      webhook: async () => new Response("taken", {status: 202}),
      open: async () => {
        note("open")
        return {
          send: async message => {
            note("send")
            if (existsSync(join(plugin.project, "away"))) throw retryAfter(200)
            return {ids: [message.id]}
          },
        }
      },
    })`)

const configAt = (port: number) => `http: {port: ${port}, token: "\${HTTP_TOKEN}"}
ingress: {minimumFree: 0}
database: {dialect: sqlite, filename: data/bot.sqlite}
plugins: {sandbox: {}, wire: {}}
`

const clientOf = (port: number) => {
  const {fetch: ask, get} = clientAt(`http://127.0.0.1:${port}`, token)
  return {
    ask,
    get,
    isReady: () =>
      ask("/pub/ready")
        .then(({status}) => status === 200)
        .catch(() => false),
  }
}

type Client = ReturnType<typeof clientOf>

/** Waits until a Host that started without space says so in its readiness report. Resolves to the report. */
const untilTold = ({ask}: Client, running: Running): Promise<ReadinessReport> =>
  until("the report to mention the full disk", async () => {
    const response = await ask("/api/system/readiness").catch(() => undefined)
    if (response?.status !== 503 || response.headers.get("content-type") !== "application/json") return false
    return (await response.json()) as ReadinessReport
  }).catch(error => {
    throw new Error(`${error.message}\n${running.output()}`)
  })

/** Expects the console's page and the first script that the page names. */
const expectConsole = async ({ask}: Client) => {
  const page = await ask("/console/", {headers: {authorization: ""}})
  expect([page.status, page.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")])
  const [, script = ""] = /src="\.?\/?([^"]+\.js)"/.exec(await page.text()) ?? []
  expect((await ask(`/console/${script}`, {headers: {authorization: ""}})).status).toBe(200)
}

/**
 * A full disk between two starts with a message still to send, or at the first start. A later start without free inodes
 * still stores, because its files already exist.
 */
const lacks = [
  {of: "bytes", at: "data", folder: "data", isFirst: false, fill: fillDisk},
  {of: "inodes", at: "data of a new project", folder: "data", isFirst: true, fill: fillInodes},
  {of: "inodes", at: ".svc of a new project", folder: ".svc", isFirst: true, fill: fillInodes},
] as const

for (const {of, at, folder, isFirst, fill} of lacks)
  test.for(bunOr("node24"))(
    `on $name, a Host without ${of} in ${at} at startup serves report and console only, and recovers with space`,
    async (runtime, context) => {
      needMounts(context)
      const port = await freePort()
      const project = makeProject({config: configAt(port), plugins: {wire}})
      const disk = mountDisk(project.path(folder), "8m", 64)
      const {ask, ...client} = clientOf(port)
      let message: string | undefined
      if (!isFirst) {
        project.write("away", "")
        const host = await startHost({own: true, project, runtime, env, args})
        message = (await host.post("/api/outbox", {body: {endpoint: "wire", channel: "a", text: "hello"}})).id
        await until("an attempt to send", () => notesIn(project).includes("send"))
        await host.stop()
        rmSync(project.path("away"))
      }
      const before = notesIn(project)
      fill(project.path(folder))

      const {process: running} = launchHost({project, runtime, env, args})
      expect(await untilTold({ask, ...client}, running)).toMatchObject({
        ready: false,
        generation: null,
        committedAt: null,
        components: [
          {
            kind: "database",
            required: true,
            ready: false,
            reason: "disk_full",
            message: of === "inodes" ? expect.stringMatching(/\binodes\b/) : expect.not.stringMatching(/\binodes\b/),
            remediation: {text: expect.stringContaining(readinessReasons.disk_full.remediation.text)},
          },
        ],
      })
      expect((await ask("/pub/health")).status).toBe(200)
      expect((await ask("/pub/ready")).status).toBe(503)
      expect(await client.get("/api/system/status")).toMatchObject({
        ready: false,
        generation: {number: 0},
        provisional: {waitsFor: "space", attempts: expect.any(Number), error: expect.stringContaining("disk")},
      })
      expect(await client.get("/api/session")).toMatchObject({project: expect.any(String), scope: "full"})
      expect(await client.get("/api/endpoints")).toEqual({items: [], next: null})
      await expectConsole({ask, ...client})
      await expectProblem(await ask("/api/system/readiness", {headers: {authorization: ""}}), 401, "unauthorized")
      for (const path of [
        "/hooks/wire/wire",
        "/api/plugins/sandbox/messages",
        "/api/outbox",
        "/satori/v1/message.create",
      ]) {
        const refused = await ask(path, {method: "POST"})
        expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
        expect((await expectProblem(refused, 503, "starting")).detail).toMatch(/\bfree space\b/)
      }
      await until("another attempt while the status request is answered", async () => {
        expect((await ask("/api/system/status")).status).toBe(200)
        return ((await client.get("/api/system/status")).provisional?.attempts ?? 0) > 1
      })
      expect(notesIn(project)).toEqual(before)

      for (const name of readdirSync(project.path(folder)))
        if (name.startsWith("filling")) rmSync(project.path(folder, name))
      disk.resize("16m", 128)
      await until("the Host to be ready", client.isReady)
      const status = await client.get("/api/system/status")
      expect(status).toMatchObject({ready: true, database: {state: "initialized"}})
      expect(status.provisional).toBeUndefined()
      expect((await ask("/hooks/wire/wire", {method: "POST"})).status).toBe(202)
      if (message !== undefined) {
        const id = message
        const sent = await until("the message to be sent", async () => {
          const row = await client.get("/api/outbox/:id", {id})
          return row.state === "sent" && row
        })
        // The Host marks each attempt before it makes it.
        expect(notesIn(project).filter(note => note === "send")).toHaveLength(sent.attempt)
      }
      running.child.kill("SIGTERM")
      const {code, stderr} = await running.finished
      expect({code, stderr}).toEqual({code: 0, stderr: ""})
    },
  )
