import {mkdtempSync, rmSync, writeFileSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {expect, onTestFinished, test, vi} from "vitest"
import {start} from "../../../server/host/start.ts"
import {createLogs} from "../../../server/logs/log.ts"
import {loadRuntime} from "../../../server/runtime/load-runtime.ts"
import {exit} from "../../../shared/exit.ts"
import type {ApiDocument} from "../../support/host/questions.ts"

const demoToken = "a-demo-token-of-this-test-alone"
const hidden = ["text", "label", "assignee", "conversation", "channel"]

const startHost = async () => {
  const project = mkdtempSync(join(tmpdir(), "svc-"))
  onTestFinished(() => rmSync(project, {recursive: true, force: true}))
  vi.stubEnv("DEMO_TOKEN", demoToken)
  onTestFinished(() => void vi.unstubAllEnvs())
  const http = {port: 0, demoToken: "${" + "DEMO_TOKEN}"}
  writeFileSync(join(project, "package.json"), JSON.stringify({name: "demo-bot"}))
  writeFileSync(join(project, "svc.config.yml"), JSON.stringify({http, plugins: {sandbox: {}}}))
  const logs = createLogs({level: "warn", format: "pretty", colors: false, write: () => {}})
  const signal = new AbortController().signal
  const supervisor = () => "none" as const
  const options = {project, mode: "test", watch: false, command: "test", supervisor, logs, signal} as const
  const host = await start(options, await loadRuntime())
  onTestFinished(() => host.stop({code: exit.ok, reason: "the test ended"}))
  return host
}

test("no list of the API lets a demo token filter by what it does not see", async () => {
  const host = await startHost()
  const status = async (path: string, token: string) => {
    const headers = {authorization: `Bearer ${token}`}
    const answer = await fetch(`${host.url}${path}`, {headers, signal: AbortSignal.timeout(30_000)})
    await answer.body?.cancel()
    return answer.status
  }
  const document: ApiDocument = await (
    await fetch(`${host.url}/api/openapi.json`, {headers: {authorization: `Bearer ${demoToken}`}})
  ).json()
  const filters = Object.entries(document.paths).flatMap(([path, {get}]) =>
    path.includes("{") || path.startsWith("/api/plugins/")
      ? []
      : (get?.parameters ?? []).filter(({name}) => hidden.includes(name)).map(({name}) => ({path, name})),
  )
  expect([...new Set(filters.map(({name}) => name))]).toEqual(expect.arrayContaining(["text", "label", "assignee"]))
  const full = host.token?.reveal() ?? ""
  for (const {path, name} of filters) {
    const asked = `${path}?${name}=user:one`
    expect({asked, demo: await status(asked, demoToken)}).toEqual({asked, demo: 403})
    expect(await status(asked, full), asked).not.toBe(403)
  }
})
