import {existsSync, readdirSync} from "node:fs"
import {describe, expect, test} from "vitest"
import type {Issue} from "../../../shared/problems.ts"
import {bunOr, makeProject, onBun, type Project, startHost, svc, type TestRuntime} from "../../support/host/host.ts"
import {holdPort} from "../../support/machine/ports.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"

/** A slot that writes a file when one of its endpoints is opened. */
const openingPlugin = pluginWith(
  `
    plugin.adapter("line", {
      account: Type.Object({}),
      history: "none",
      open: async () => {
        appendFileSync(config.mark, "opened")
        return {send: async () => {}}
      },
    })`,
  "config: Type.Object({mark: Type.String()})",
)

const withLine = (mark: string, required: string, enabled = true) => `http:
  port: 0
  readiness: {endpoints: [{owner: root/opening, name: ${required}}]}
plugins:
  sandbox: {}
  opening: {enabled: ${enabled}, config: {mark: ${mark}}, endpoints: [{id: one}]}
`

interface Once {
  readonly ok: boolean
  readonly committed: boolean
  readonly code?: string
  readonly detail?: string
  readonly issues?: readonly Issue[]
  readonly endpoints?: readonly string[]
  readonly components?: readonly Record<string, unknown>[]
}

const once = async (runtime: TestRuntime, project: Project, env: Record<string, string> = {}) => {
  const ended = await svc(runtime, project, ["runtime", "start", "--once", "--mode", "test"], {env})
  expect(ended.stdout).toMatch(/^\{[^\n]*\}\n$/)
  return {code: ended.code, stderr: ended.stderr, result: JSON.parse(ended.stdout) as Once}
}

const temporaryFiles = (project: Project) =>
  existsSync(project.path(".svc/tmp")) ? readdirSync(project.path(".svc/tmp")) : []

const marked = (required: string, enabled?: boolean) => {
  const project = makeProject({plugins: {opening: openingPlugin}})
  const mark = project.path("opened")
  project.write("svc.config.yml", withLine(mark, required, enabled))
  return {project, isOpened: () => existsSync(mark)}
}

describe.each(bunOr("node22"))("svc runtime start --once --mode test on $name", runtime => {
  test("prints one line of JSON, opens no endpoint, leaves no files, and exits 0", async () => {
    const {project, isOpened} = marked("line~one")
    const {code, result, stderr} = await once(runtime, project)
    expect({code, stderr}).toEqual({code: 0, stderr: ""})
    expect(result).toMatchObject({
      schema: "svc.once/1",
      ok: true,
      committed: true,
      project: "scratch-bot",
      plugins: ["sandbox", "opening"],
      endpoints: ["sandbox", "line~one"],
    })
    expect(isOpened()).toBe(false)
    expect([readdirSync(project.path(".svc")), temporaryFiles(project)]).toEqual([["tmp"], []])
    expect(existsSync(project.path("data"))).toBe(false)
  })

  test("leaves a running Host, its database and its temporary files alone", async () => {
    const host = await startHost({runtime})
    await host.say("/help")
    const before = await host.get("/api/system/status")
    const files = temporaryFiles(host.project)
    const {code, result} = await once(runtime, host.project)
    expect({code, ok: result.ok}).toEqual({code: 0, ok: true})
    const after = await host.get("/api/system/status")
    expect({generation: after.generation, authority: after.authority}).toEqual({
      generation: before.generation,
      authority: before.authority,
    })
    expect((await host.get("/api/generations")).items).toHaveLength(1)
    expect(temporaryFiles(host.project)).toEqual(files)
    expect(await host.say("/help")).toHaveLength(1)
    expect((await host.stop()).code).toBe(0)
  })
})

describe("svc runtime start --once --mode test", () => {
  test("binds no port, so a port in use does not matter", async () => {
    const {port} = await holdPort()
    const project = makeProject({config: `http: {port: ${port}}\nplugins: {sandbox: {}}\n`})
    expect((await once(onBun, project)).code).toBe(0)
  })

  test("exits 1 when the slot of a required endpoint is missing or its plugin is disabled", async () => {
    for (const {project} of [marked("line~two"), marked("line~one", false)]) {
      const {code, result} = await once(onBun, project)
      expect(code).toBe(1)
      expect(result).toMatchObject({ok: false, committed: true})
      expect(result.components?.filter(({required, ready}) => required === true && ready === false)).toHaveLength(1)
      expect(temporaryFiles(project)).toEqual([])
    }
  })

  test("exits 1 when a plugin is missing, has a syntax error, or throws in setup", async () => {
    const throwing = pluginWith('throw new Error("no luck")')
    const found: (string | undefined)[] = []
    for (const plugins of [{broken: "export default definePlugin({"}, {broken: throwing}, {}]) {
      const project = makeProject({config: "http: {port: 0}\nplugins: {broken: {}}\n", plugins})
      const {code, result} = await once(onBun, project)
      expect({code, ok: result.ok, committed: result.committed}).toEqual({code: 1, ok: false, committed: false})
      expect(result.issues?.length).toBeGreaterThan(0)
      for (const {path, message} of result.issues ?? []) expect(message).not.toContain(path || "plugins.broken")
      found.push(result.code)
      expect(temporaryFiles(project)).toEqual([])
    }
    expect(found).toEqual(["plugin_invalid", "plugin_invalid", "plugin_missing"])
    const several = makeProject({config: "http: {port: 0}\nplugins: {missing: {}, sandbox: {config: {a: 1, b: 2}}}\n"})
    const {detail, issues} = (await once(onBun, several)).result
    expect(detail).toMatch(/^plugins\.missing: .*; plugins\.sandbox: /)
    expect(issues).toHaveLength(3)
  })

  test("exits 1 and names a variable that is not set, and exits 0 once .env.test sets it", async () => {
    const project = makeProject({config: "http: {port: 0, token: '${ONCE_TOKEN}'}\nplugins: {sandbox: {}}\n"})
    const {code, result} = await once(onBun, project)
    expect({code, problem: result.code, issues: result.issues}).toMatchObject({
      code: 1,
      problem: "config_invalid",
      issues: [{path: "http.token", line: 1, message: "the environment variable ONCE_TOKEN is not set"}],
    })
    project.write(".env.test", "ONCE_TOKEN=a-token-from-the-env-file\n")
    expect((await once(onBun, project)).code).toBe(0)
  })

  test("exits 1 without a project, with one line of JSON", async () => {
    const project = makeProject()
    const {code, result} = await once(onBun, {...project, folder: project.path("node_modules")})
    expect({code, problem: result.code}).toEqual({code: 1, problem: "project_missing"})
  })

  test("exits 1 when the state folder cannot be made, with one line of JSON", async () => {
    const project = makeProject({files: {".svc": "a file"}})
    const {code, result} = await once(onBun, project)
    expect({code, problem: result.code}).toEqual({code: 1, problem: "state_unwritable"})
  })
})
