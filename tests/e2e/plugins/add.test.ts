import {copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {
  bunAnd,
  makeProject,
  onBun,
  type Project,
  plainConfig,
  pluginWith,
  root,
  startHost,
  svc,
  until,
} from "../../support/host/host.ts"
import {startRegistry} from "../../support/plugins/registry.ts"

const peerDependencies = {"svc-runtime": "^0.1.0"}

const packages = [
  {name: "svc-plugin-hello", version: "1.0.0", peerDependencies},
  {name: "svc-plugin-hello", version: "1.2.0", peerDependencies, scripts: {postinstall: "touch ../../ran"}},
  {name: "svc-plugin-later", version: "1.0.0", peerDependencies: {"svc-runtime": "^7.0.0"}},
  {name: "svc-plugin-silent", version: "1.0.0"},
  {name: "svc-plugin-torn", version: "1.0.0", peerDependencies, isTorn: true},
  {name: "@team/svc-plugin-own", version: "0.3.0", peerDependencies},
]

/** A project with a local folder as its svc-runtime, so that nothing more is installed. */
const emptyProject = () => {
  const project = makeProject({config: plainConfig})
  mkdirSync(project.path("sdk"))
  writeFileSync(project.path("sdk/package.json"), JSON.stringify({name: "svc-runtime", version: "0.1.0"}))
  const manifest = {name: "bot", private: true, type: "module", dependencies: {"svc-runtime": "file:sdk"}}
  writeFileSync(project.path("package.json"), JSON.stringify(manifest))
  return project
}

describe.each(bunAnd("node24"))("svc plugin add on $name", runtime => {
  test("installs the exact version without scripts, and changes nothing if the package does not fit", async () => {
    const url = await startRegistry(pluginWith('plugin.command("hello", () => "hi")'), packages)
    const env = {npm_config_registry: url, BUN_CONFIG_REGISTRY: url}
    const project = emptyProject()
    const add = (...args: string[]) => svc(runtime, project, ["plugin", "add", ...args], {env})
    const state = () => ["package.json", "svc.config.yml", "bun.lock", "package-lock.json"].map(project.read)
    const before = state()
    for (const [name, why] of [
      ["left-pad", 'svc: "left-pad" '],
      ["svc-plugin-later", 'svc-plugin-later 1.0.0 needs svc-runtime "^7.0.0", but this is 0.1.0'],
      ["svc-plugin-silent", "svc-plugin-silent 1.0.0 does not name"],
      ["svc-plugin-hello@9.9.9", ""],
      ["svc-plugin-torn", "hint: svc changed nothing."],
      ["svc-plugin-hello svc-plugin-silent", "svc-plugin-silent 1.0.0 does not name"],
      ["svc-plugin-hello @team/svc-plugin-hello", 'already has a plugin "hello"'],
    ]) {
      const {code, stderr} = await add(...(name ?? "").split(" "))
      expect({name, code}).toEqual({name, code: 1})
      expect(stderr).toContain(why)
      expect(state()).toEqual(before)
    }

    const added = await add("svc-plugin-hello", "@team/svc-plugin-own@0.3.0", "--json")
    expect(added).toMatchObject({code: 0, stderr: ""})
    expect(JSON.parse(added.stdout)).toEqual({
      added: [
        {name: "svc-plugin-hello", version: "1.2.0", plugin: "hello", range: "^0.1.0", needs: []},
        {name: "@team/svc-plugin-own", version: "0.3.0", plugin: "own", range: "^0.1.0", needs: []},
      ],
    })
    expect(JSON.parse(project.read("package.json")).dependencies["svc-plugin-hello"]).toBe("1.2.0")
    const entries = '  hello: {}\n  own:\n    use: "@team/svc-plugin-own"\n'
    expect(project.read("svc.config.yml")).toBe(`${plainConfig}${entries}`)
    expect(existsSync(project.path("ran"))).toBe(false)
    expect(project.read(runtime.name === "bun" ? "bun.lock" : "package-lock.json")).toContain("svc-plugin-hello")
    expect((await add("svc-plugin-hello")).stderr).toContain('plugin "hello"')
  })
})

describe.each(bunAnd("node24"))("svc plugin add without a registry on $name", runtime => {
  const registry = "http://127.0.0.1:9"
  const nowhere = {npm_config_registry: registry, BUN_CONFIG_REGISTRY: registry, npm_config_fetch_retries: "0"}
  const addTo = (project: Project, ...args: string[]) =>
    svc(runtime, project, ["plugin", "add", ...args], {env: nowhere})

  test("adds each ready plugin by its name, and a package by its tarball", async () => {
    const project = emptyProject()
    const names = readdirSync(join(root, "plugins"))
    const [first = "", ...others] = names
    const tarball = `svc-plugin-${first}-0.1.0.tgz`
    copyFileSync(join(root, "dist/plugins", tarball), project.path("given.tgz"))
    const added = await addTo(project, ...others, "given.tgz")
    expect(added).toMatchObject({code: 0, stderr: ""})
    // The settings on the page of the plugin.
    expect(added.stdout).toContain("  tickets:\n    config:\n      team: {")
    expect(readdirSync(project.path("vendor"))).toEqual(names.map(name => `svc-plugin-${name}-0.1.0.tgz`))
    const {dependencies} = JSON.parse(project.read("package.json"))
    expect(dependencies[`svc-plugin-${first}`]).toBe(`file:vendor/${tarball}`)
    for (const name of [...names, "workroom"]) expect(project.read("svc.config.yml")).toContain(`  ${name}: {}\n`)
  })

  test("changes nothing for a name without a package, a broken tarball, and one that is no plugin", async () => {
    const project = emptyProject()
    const before = ["package.json", "svc.config.yml"].map(project.read)
    project.write("broken.tgz", "no archive")
    for (const [name, why] of [
      ["pols", "polls"],
      ["broken.tgz", "broken.tgz is not the package of a plugin"],
      ["none.tgz", "none.tgz is not the package of a plugin"],
      ["polls svc-plugin-unknown", ""],
    ] as const) {
      const {code, stderr} = await addTo(project, ...name.split(" "))
      expect({name, code}).toEqual({name, code: 1})
      expect(stderr).toContain(why)
      expect(["package.json", "svc.config.yml"].map(project.read)).toEqual(before)
      expect(existsSync(project.path("vendor", "svc-plugin-polls-0.1.0.tgz"))).toBe(false)
    }
  })
})

test("svc plugin add changes nothing in production, and prints the commands of a release", async () => {
  const token = "a-token-of-thirty-two-characters-x"
  const project = makeProject({config: `http:\n  port: 0\n  token: \${HTTP_TOKEN}\nplugins:\n  sandbox: {}\n`})
  const env = {HTTP_TOKEN: token}
  const host = await startHost({runtime: onBun, project, env, args: ["--mode", "production", "--no-watch"]})
  await until("the Host to be ready", async () => (await fetch(`${host.url}/pub/ready`)).status === 200)
  const before = project.read("svc.config.yml")
  const {code, stdout, stderr} = await svc(onBun, project, ["plugin", "add", "svc-plugin-hello@1.0.0"], {env})
  expect({code, stderr}).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^svc: changed nothing: .*\bproduction\b.*\n$/),
  })
  expect(stdout).toContain("svc plugin add svc-plugin-hello@1.0.0\n")
  expect(stdout).toContain("git fetch\nsvc release prepare origin/main\nsvc release begin\nsvc release verify\n")
  const adapter = await svc(onBun, project, ["adapter", "add", "telegram"], {env})
  expect(adapter).toMatchObject({code: 0, stdout: expect.stringContaining("Put this into svc.config.yml")})
  expect(project.read("svc.config.yml")).toBe(before)
})
