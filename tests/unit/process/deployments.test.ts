import {existsSync, readdirSync, readFileSync} from "node:fs"
import {join} from "node:path"
import {describe, expect, test} from "vitest"
import {parse} from "yaml"
import {fill, whyNotReady} from "../../../server/process/deployment/deploy.ts"
import {type Deployment, deployments, sample} from "../../../server/process/deployment/deployments.ts"
import {placeholderToken} from "../../../shared/config/config.ts"
import {root} from "../../support/host/runtimes.ts"

const templates: readonly (readonly [string, Deployment])[] = Object.entries(deployments)

const read = (path: string) => readFileSync(join(root, path), "utf8")

/** Every file below these folders belongs to a template, except container/monitoring, which Prometheus reads. */
const shipped = readdirSync(join(root, "container"), {recursive: true, withFileTypes: true})
  .filter(entry => entry.isFile())
  .map(entry => join(entry.parentPath, entry.name).slice(root.length))
  .filter(path => !path.startsWith("container/monitoring/"))

describe("the table of deployment templates", () => {
  test("names every file of container/, and only existing files of the package", () => {
    const named = templates.flatMap(([, {files}]) => files.map(({from}) => from))
    expect([...new Set(named)].sort()).toEqual(shipped.sort())
    const {files}: {files: readonly string[]} = JSON.parse(read("package.json"))
    expect(files).toContain("container")
  })

  test.each(templates)("%s: a project on Node gets Node's own variant", (_, {files, onNode}) => {
    const text = files.map(({from}) => read(from)).join("\n")
    for (const [bun, node] of onNode) {
      expect(text).toContain(bun)
      expect(bun).not.toBe(node)
    }
  })

  test.each(templates)("%s: the project's name and port replace the sample's, as words", (_, deployment) => {
    const values = {name: "other", port: 9000, runtime: "bun"} as const
    for (const {from} of deployment.files) {
      expect(fill(read(from), deployment, values)).not.toMatch(new RegExp(`\\b(${sample.name}|${sample.port})\\b`))
    }
    expect(fill("my-bot my-bot-data 8068 18068 my-bots", deployment, values)).toBe(
      "other other-data 9000 18068 my-bots",
    )
  })
})

test("no template names a prebuilt image of this project: the bases are those of Bun and Node", () => {
  const dockerfile = read("container/image/Dockerfile")
  const named = shipped.flatMap(path =>
    [...read(path).matchAll(/^(?:FROM|\s*-?\s*image:|ARG (?:BUN|NODE)_IMAGE=)\s*(\S+)/gm)].map(([, name]) => name),
  )
  const stages: readonly string[] = dockerfile.match(/(?<= AS )\S+/g) ?? []
  const own = (name: string | undefined) =>
    name?.startsWith(sample.name) ||
    stages.includes(name ?? "") ||
    /^(\w+-)?\$\{(RUNTIME|\w+_IMAGE)\}$/.test(name ?? "")
  expect([...new Set(named.filter(name => !own(name)))].sort()).toEqual(["node:22-slim", "oven/bun:1"])
})

test("a build argument before the first stage replaces the base of each runtime", () => {
  const [beforeStages = ""] = read("container/image/Dockerfile").split(/^FROM /m)
  for (const [stage, image] of Object.entries({bun: "BUN_IMAGE", node: "NODE_IMAGE"})) {
    expect(beforeStages).toMatch(new RegExp(`^ARG ${image}=\\S+$`, "m"))
    expect(read("container/image/Dockerfile")).toContain(`FROM \${${image}} AS ${stage}\n`)
  }
})

test("no template pins an image by a digest: a project does, from its own registry", () => {
  expect(shipped.filter(path => /@sha256:[0-9a-f]/.test(read(path)))).toEqual([])
})

test("the example's environment is a new project's, with the placeholder that production refuses", () => {
  const text = read("container/image/.env.example")
  expect(text).toBe(read("cli/init/template/env.example"))
  expect(text).toMatch(new RegExp(`^HTTP_TOKEN=${placeholderToken}$`, "m"))
})

describe("the container image", () => {
  const dockerfile = read("container/image/Dockerfile")
  /** Returns the command with this indentation: the health check's is indented. */
  const command = (indent: string): readonly string[] =>
    JSON.parse(new RegExp(`^${indent}CMD (\\[.*\\])$`, "m").exec(dockerfile)?.[1] ?? "[]")

  test("is built without an external frontend", () => expect(dockerfile).not.toMatch(/^#\s*syntax=/im))

  test("has a health check that the runtime makes itself, whose arguments hold no spaces", () => {
    const list = command("  ")
    expect(list[0]).toBe("svc-runtime")
    expect(list.join("")).toContain("/pub/health")
    expect(list.filter(argument => argument.includes(" "))).toEqual([])
  })

  test("starts the runtime directly, with the arguments of the contract", () => {
    expect(command("").slice(-5)).toEqual(["runtime", "start", "--mode", "production", "--no-watch"])
    expect(command("")[0]).toBe("svc-runtime")
    expect(dockerfile).not.toMatch(/^ENTRYPOINT/m)
  })

  test("leaves secrets and state out of the build context", () => {
    const ignored = read("container/image/.dockerignore").split("\n")
    expect(ignored).toEqual(expect.arrayContaining(["**/.env", "**/.env.*", ".svc", "data", "node_modules", ".git"]))
  })
})

describe("the composition", () => {
  const {services, volumes} = parse(read("container/image/compose.yaml"))

  test("is non-root and read-only, without capabilities or new privileges", () => {
    expect(services.bot).toMatchObject({
      user: "1000:1000",
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    })
  })

  test("writes to data, .svc and the temporary folder only; the first two are named volumes", () => {
    expect(services.bot.volumes).toEqual(["data:/app/data", "state:/app/.svc"])
    expect(Object.keys(volumes)).toEqual(["data", "state"])
    expect(services.bot.tmpfs).toEqual([expect.stringMatching(/^\/tmp:.*noexec/)])
  })

  test("restarts without a limit, gives the Host 30 s to end, and bounds its log", () => {
    expect(services.bot).toMatchObject({
      restart: "unless-stopped",
      stop_grace_period: "30s",
      logging: {options: {"max-size": expect.any(String), "max-file": expect.any(String)}},
    })
  })

  test("requires the token, and publishes to this machine only", () => {
    expect(services.bot.environment.HTTP_TOKEN).toMatch(/^\$\{HTTP_TOKEN:\?.+\}$/)
    expect(services.bot.ports).toEqual([`\${HTTP_PUBLISH:-127.0.0.1:${sample.port}}:${sample.port}`])
  })
})

describe("a template that probes /pub/ready needs a svc that serves it:", () => {
  const probing: Deployment = {...deployments.compose, probes: ["/pub/ready"]}

  test.each(["0.1.0", "0.1.1", "0.2.0-rc.1", "1.0.0"])("%s does", version => {
    expect(whyNotReady(probing, version)).toBeUndefined()
  })

  test.each(["0.0.9", "0.1.0-rc.1", "0.0.0", "nonsense", undefined])("%s does not, or cannot say", version => {
    expect(whyNotReady(probing, version)).toBeTruthy()
    expect(whyNotReady(deployments.compose, version)).toBeUndefined()
  })
})

test("every template's files are inside the project", () => {
  for (const [, {files}] of templates)
    for (const {from, to} of files) {
      expect(to).not.toMatch(/^\/|\.\.(\/|$)/)
      expect(existsSync(join(root, from))).toBe(true)
    }
})
