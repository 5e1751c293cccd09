import {existsSync} from "node:fs"
import {describe, expect, test} from "vitest"
import {bunOr, onBun, onNode22, runProcess, svc} from "../../support/host/host.ts"
import {makeFolder, makeProject, type Project, type ProjectOptions} from "../../support/host/project.ts"

const config = `http:
  host: \${HTTP_HOST:-127.0.0.1}
  port: \${HTTP_PORT:-9100}
  token: \${HTTP_TOKEN}
plugins:
  sandbox: {}
`

const botProject = (options: ProjectOptions = {}): Project =>
  makeProject({config, ...options, files: {"bun.lock": "{}", ...options.files}})

const add = async (project: Project, line: string, runtime = onBun) => {
  const {code, stdout, stderr} = await svc(runtime, project, ["deploy", "add", ...line.split(" ")])
  return {code, stdout, stderr}
}

const addJson = async (project: Project, line: string) => {
  const {code, stdout, stderr} = await add(project, `${line} --json`)
  return {code, result: code === 0 ? JSON.parse(stdout)[0] : JSON.parse(stderr)}
}

const composeFiles = ["Dockerfile", "compose.yaml", ".dockerignore", ".env.example"]

describe.each(bunOr("node22"))("svc deploy add compose on $name", runtime => {
  test("writes the template with the project's name, port and runtime, and changes nothing the second time", async () => {
    const project = botProject()
    const added = await add(project, "compose", runtime)
    expect(added).toMatchObject({code: 0, stderr: ""})
    for (const file of composeFiles)
      expect(added.stdout).toMatch(new RegExp(`^${file.replaceAll(".", "\\.")} +written$`, "m"))
    expect(added.stdout).not.toContain("note:")
    expect(project.read("compose.yaml")).toContain("name: scratch-bot\n")
    expect(project.read("compose.yaml")).toContain("127.0.0.1:9100}:9100")
    expect(project.read("compose.yaml")).toContain("RUNTIME: bun")
    expect(project.read("Dockerfile")).toContain("EXPOSE 9100\n")
    const before = composeFiles.map(file => project.read(file))
    const again = await add(project, "compose", runtime)
    expect(again.code).toBe(0)
    expect(again.stdout.match(/matches the template$/gm)).toHaveLength(4)
    expect(composeFiles.map(file => project.read(file))).toEqual(before)
  })
})

test("a project with npm's lockfile gets an image that runs on Node", async () => {
  const project = makeProject({config, files: {"package-lock.json": "{}"}})
  expect((await addJson(project, "compose")).result).toMatchObject({runtime: "node", notes: []})
  expect(project.read("Dockerfile")).toContain("ARG RUNTIME=node\n")
  expect(project.read("compose.yaml")).toContain("RUNTIME: node\n")
})

describe("a file that differs from the template", () => {
  const changed = "services: {}\n"

  test("is refused by name and not overwritten, and no other file is written", async () => {
    const project = botProject({files: {"compose.yaml": changed}})
    const refused = await addJson(project, "compose")
    expect(refused.code).toBe(1)
    expect(refused.result).toMatchObject({code: "deployment_changed", detail: expect.stringContaining("compose.yaml")})
    // Another template would fit.
    expect((await add(project, "systemd compose")).code).toBe(1)
    expect(existsSync(project.path(".env.example"))).toBe(false)
    expect(project.read("compose.yaml")).toBe(changed)
    expect(existsSync(project.path("Dockerfile"))).toBe(false)
    expect((await add(project, "compose")).stderr).toContain("--dry-run")
  })

  test("is shown by --dry-run, which writes nothing", async () => {
    const project = botProject({files: {"compose.yaml": changed}})
    const shown = await add(project, "compose --dry-run")
    expect(shown).toMatchObject({code: 0, stderr: ""})
    expect(shown.stdout).toContain("-services: {}\n")
    expect(shown.stdout).toContain("+name: scratch-bot\n")
    expect(shown.stdout).toMatch(/^Dockerfile +would be written$/m)
    expect(shown.stdout).toMatch(/^compose\.yaml +differs$/m)
    expect(existsSync(project.path("Dockerfile"))).toBe(false)
    const {result} = await addJson(project, "compose --dry-run")
    expect(result.files).toContainEqual({path: "compose.yaml", state: "changed", written: false})
  })

  test("is replaced with --force", async () => {
    const project = botProject({files: {"compose.yaml": changed}})
    const {code, result} = await addJson(project, "compose --force")
    expect(code).toBe(0)
    expect(result.files).toContainEqual({path: "compose.yaml", state: "changed", written: true})
    expect(project.read("compose.yaml")).toContain("name: scratch-bot\n")
  })

  test.each([
    ["y", "name: scratch-bot\n"],
    ["n", changed],
    ["", changed],
  ])("is replaced on a terminal only if the operator confirms: %j", async (answer, expected) => {
    const project = botProject({files: {"compose.yaml": changed}})
    // `script` runs the command on a terminal.
    const line = [...onBun.command, "deploy", "add", "compose"].join(" ")
    const asked = await runProcess(["script", "-qec", line, "/dev/null"], {cwd: project.folder, input: `${answer}\n`})
    expect(asked).toMatchObject({code: 0, stdout: expect.stringMatching(/compose\.yaml .*\?/)})
    expect(project.read("compose.yaml")).toContain(expected)
    expect(existsSync(project.path("Dockerfile"))).toBe(true)
  })

  test("is kept even with --force if the project owns it: .env.example", async () => {
    const kept = "HTTP_TOKEN=\nOTHER_KEY=\n# HTTP_HOST=\nexport HTTP_PORT=\n"
    const project = botProject({files: {".env.example": kept}})
    const {code, result} = await addJson(project, "compose --force")
    expect(code).toBe(0)
    expect(result.files).toContainEqual({path: ".env.example", state: "kept", written: false})
    expect(project.read(".env.example")).toBe(kept)
  })

  test("gets the variables that the configuration has in any form, and no value of the environment", async () => {
    const plugins = `  irc:
    nick: a-\${NICK}-\${NICK:-b}
    password: \${IRC_PASSWORD} # \${NO_COMMENT}
  other:
    list:
      - \${IN_LIST:-one  two}
    $\${NO_KEY}: $\${NOT_ONE}
`
    const project = botProject({config: `${config}${plugins}`, files: {".env.example": "HTTP_TOKEN=mine"}})
    const line = ["deploy", "add", "systemd"]
    const {code} = await svc(onBun, project, line, {env: {NICK: "canary", HTTP_PORT: "9999", IN_LIST: "canary"}})
    expect({code, text: project.read(".env.example")}).toEqual({
      code: 0,
      text: [
        ...["HTTP_TOKEN=mine", "# HTTP_HOST=127.0.0.1", "# HTTP_PORT=9100", "NICK=", "IRC_PASSWORD="],
        "# IN_LIST=one two",
        "",
      ].join("\n"),
    })
    const {result} = await addJson(project, "kubernetes --dry-run")
    expect(result.files).toContainEqual({path: ".env.example", state: "kept", written: false})
  })
})

describe("svc deploy add compose", () => {
  const notesOf = async (config: string, files: Record<string, string> = {"bun.lock": "{}"}) =>
    (await addJson(makeProject({config, files}), "compose --dry-run")).result.notes

  test("warns about a token, an address or a lockfile that does not fit the template", async () => {
    expect(await notesOf("http:\n  port: 8068\n", {})).toEqual([
      expect.stringContaining("does not set http.token"),
      expect.stringContaining("inside a container http.host must be 0.0.0.0"),
      expect.stringContaining("no lockfile"),
    ])
    expect(await notesOf("http:\n  host: 0.0.0.0\n  token: ${OTHER}\n", {"yarn.lock": ""})).toEqual([
      expect.stringContaining("is not ${HTTP_TOKEN}"),
      expect.stringContaining("yarn.lock"),
    ])
  })

  test.each([
    ["http:\n  port: 0\n", "deployment_refused", "http.port is 0"],
    ["http:\n  port: ${PORT}\n", "deployment_refused", "--port"],
    ["http: [\n", "config_invalid", ""],
  ])("refuses a configuration without a usable port: %j", async (text, code, hint) => {
    const project = makeProject({config: text})
    const {result} = await addJson(project, "compose")
    expect(result.code).toBe(code)
    expect(`${result.detail} ${result.hint}`).toContain(hint)
    expect(existsSync(project.path("Dockerfile"))).toBe(false)
  })

  test("takes name, port and runtime from --name, --port and --runtime", async () => {
    const project = makeProject({config: "http:\n  port: 0\n"})
    const {result} = await addJson(project, "compose --name @team/Other_Bot --port 9200 --runtime node")
    expect(result).toMatchObject({name: "other-bot", port: 9200, runtime: "node"})
    expect(project.read("compose.yaml")).toContain("name: other-bot\n")
  })

  test.each([
    ["compose --port 99999", "--port must be a number from 1 to 65535"],
    ["compose --runtime deno", "--runtime must be bun or node"],
    ["swarm", 'there is no template "swarm"'],
  ])("svc deploy add %s is refused", async (line, message) => {
    expect(await add(botProject(), line)).toMatchObject({code: 1, stdout: "", stderr: expect.stringContaining(message)})
  })

  test("refuses a folder without a project", async () => {
    const folder = makeFolder()
    const refused = await runProcess([...onBun.command, "deploy", "add", "compose"], {cwd: folder})
    expect(refused).toMatchObject({code: 1, stderr: expect.stringContaining("svc.config.yml")})
  })
})

describe("svc init --deploy compose", () => {
  test("makes the project with the template, and lists the remaining steps", async () => {
    const folder = makeFolder()
    const runtime = onNode22 === undefined ? [] : ["--runtime", "node"]
    const made = await runProcess(
      [...onBun.command, "init", "new-bot", "--no-install", "--deploy", "compose", ...runtime],
      {cwd: folder},
    )
    expect({code: made.code, stderr: made.stderr}).toEqual({code: 0, stderr: ""})
    for (const file of composeFiles) expect(existsSync(`${folder}/new-bot/${file}`)).toBe(true)
    expect(made.stdout).toContain("note: svc.config.yml does not set http.token")
    expect(made.stdout).toContain("docker compose up --build --detach --wait")
  })

  test("refuses an unknown template before it writes anything", async () => {
    const folder = makeFolder()
    const refused = await runProcess([...onBun.command, "init", "new-bot", "--deploy", "swarm"], {cwd: folder})
    expect(refused).toMatchObject({code: 1, stderr: expect.stringContaining("swarm")})
    expect(existsSync(`${folder}/new-bot`)).toBe(false)
  })
})
