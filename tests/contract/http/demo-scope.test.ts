import {describe, expect, test} from "vitest"
import {eventTypes} from "../../../shared/events.ts"
import {createProjection} from "../../../shared/private.ts"
import type {TSchema} from "../../../shared/type.ts"
import {startHost, type TestHost} from "../../support/host/host.ts"
import {bunAnd} from "../../support/host/runtimes.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"

const env = {HTTP_TOKEN: "full-token-of-the-canaries", DEMO_TOKEN: "demo-token-of-the-canaries"}

const config = `http:
  port: 0
  token: \${HTTP_TOKEN}
  demoToken: \${DEMO_TOKEN}
plugins:
  sandbox: {}
  faller: {}
`

/** It fails with a text, answers with one, and logs one. */
const faller = pluginWith(`
  plugin.command("fall", () => { throw new Error("canary-error") })
  plugin.command("tell", () => { plugin.log.error("canary-log"); return "canary-answer" })`)

/** Free text by where it was said; each begins alike, so that one search finds all. */
const fill = async (host: TestHost): Promise<Record<string, string>> => {
  await host.say("canary-message /nothing", {user: "canary-user", channel: "canary-channel"})
  await host.say("/fall")
  await host.say("/tell")
  const item = await host.post<{id: number; revision: number}>("/api/workroom/items", {
    title: "canary-title",
    description: "canary-description",
    labels: ["canary-label"],
    assignee: "user:canary-assignee",
    actor: "user:canary-actor",
    request: "canary-request",
    conversation: {endpoint: "sandbox", channel: "canary-conversation"},
  })
  let revision = item.revision
  for (const [command, body] of Object.entries({
    comment: {text: "canary-comment"},
    claim: {assignee: "user:canary-assignee"},
    block: {reason: "canary-blocked", owner: "user:canary-owner"},
  })) {
    const against = {expectedRevision: revision, actor: "user:canary-actor", ...body}
    revision = (await host.post<{revision: number}>(`/api/workroom/items/${item.id}/${command}`, against)).revision
  }
  const schedule = {every: "24h"}
  await host.post("/api/jobs", {
    id: "tea",
    label: "canary job label",
    schedule,
    timezone: "UTC",
    target: {endpoint: "sandbox", channel: "canary-job-channel", text: "canary-job-text"},
  })
  await host.post("/api/jobs/tea/run")
  const [message] = (await host.get<{items: {id: string}[]}>("/api/outbox")).items
  const [run] = (await host.get<{items: {runId: string}[]}>("/api/runs")).items
  return {seq: "1", number: "1", name: "sandbox", plugin: "faller", message: message?.id ?? "", run: run?.runId ?? ""}
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** The path with what was made in the place of its parameters. */
const filled = (path: string, made: Readonly<Record<string, string>>): string => {
  const ids: Record<string, string> = {inbox: "1", outbox: made.message ?? "", runs: made.run ?? "", jobs: "tea"}
  return path.replace(/\{(\w+)\}/g, (_, name: string) => made[name] ?? ids[path.split("/")[2] ?? ""] ?? "1")
}

describe.each(bunAnd("node22"))("with a demo token on $name", runtime => {
  test("no route that can be read tells free text", async () => {
    const host = await startHost({runtime, config, env, plugins: {faller}})
    const made = await fill(host)
    const {paths} = await host.get<Document>("/api/openapi.json")
    const read = Object.keys(paths).filter(path => paths[path]?.get !== undefined && !path.startsWith("/hooks"))
    expect(read.length).toBeGreaterThan(35)
    const told: string[] = []
    const knownToFull: string[] = []
    for (const path of read.filter(path => path !== "/api/events" && !path.endsWith("*"))) {
      const address = filled(path, made)
      const asDemo = await host.fetch(address, {headers: {authorization: `Bearer ${env.DEMO_TOKEN}`}})
      // A stream has no end; events are held to the same below, by their schemas.
      if (asDemo.headers.get("content-type")?.startsWith("text/event-stream")) {
        await asDemo.body?.cancel()
        continue
      }
      const text = await asDemo.text()
      if (/canary[- ](?!canaries)/.test(text)) told.push(`${asDemo.status} ${address}: ${text}`)
      if (/canary[- ]/.test(await (await host.fetch(address)).text())) knownToFull.push(path)
    }
    expect(told).toEqual([])
    // The same answers tell it with the full token: the texts were there to be told.
    expect(knownToFull).toEqual(
      expect.arrayContaining([
        "/api/events/history",
        "/api/inbox",
        "/api/inbox/{seq}",
        "/api/jobs",
        "/api/jobs/{id}",
        "/api/outbox",
        "/api/outbox/{id}",
        "/api/workroom/board",
        "/api/workroom/items",
        "/api/workroom/items/{id}",
      ]),
    )
  })
})

/** A value of a schema with a canary wherever it takes any text. */
const canaryOf = (schema: TSchema): unknown => {
  const shape = schema as {
    readonly type?: string
    readonly enum?: readonly unknown[]
    readonly properties?: Readonly<Record<string, TSchema>>
    readonly items?: TSchema
    readonly anyOf?: readonly TSchema[]
    readonly format?: string
  }
  if (shape.enum !== undefined) return shape.enum[0]
  if (shape.anyOf !== undefined) return canaryOf(shape.anyOf[0] as TSchema)
  if (shape.properties !== undefined)
    return Object.fromEntries(Object.entries(shape.properties).map(([key, inner]) => [key, canaryOf(inner)]))
  if (shape.items !== undefined) return [canaryOf(shape.items)]
  return shape.type === "string" && shape.format === undefined ? "canary" : 0
}

/** Where the canary still is. */
const survivors = (value: unknown, at = ""): string[] => {
  if (value === "canary") return [at]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => survivors(inner, `${at}.${key}`.replace(/\.\d+/g, "")))
}

test("every event type tells a demo token identifiers and words of svc only", () => {
  const told = Object.values(eventTypes).flatMap(({data}) => {
    const value = canaryOf(data)
    return survivors(createProjection(data)?.(value) ?? value)
  })
  const names = [...new Set(told.map(path => path.split(".").at(-1)))].sort()
  expect(names).toEqual(
    // Names that an operator or a plugin chose for a thing, ids, versions, and reasons out of svc's own tables.
    "checkpoint code commit failed file findings from handler instance job message migrations mode path plugin plugins priority reason release remediation runtime type version warnings".split(
      " ",
    ),
  )
  // A reason that a person types is private; of the others, each is one of svc's words.
  expect(createProjection(eventTypes["release.aborted"].data)?.({release: "r", reason: "canary"})).toEqual({
    release: "r",
  })
  expect(createProjection(eventTypes["message.redacted"].data)?.({sn: 1, reason: "canary"})).toEqual({sn: 1})
})
