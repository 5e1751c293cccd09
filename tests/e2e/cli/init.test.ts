import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync} from "node:fs"
import {delimiter, dirname, join} from "node:path"
import {describe, expect, test} from "vitest"
import {type ProjectTemplate, projectTemplates, templateName} from "../../../server/process/project-templates.ts"
import {freePort, makeFolder, roomyPlace, shared} from "../../support/host/host.ts"
import {type Finished, isOk, runProcess, type SpawnOptions, startProcess, until} from "../../support/host/process.ts"
import {nodeOf, onBun, onNode22, root, type TestRuntime} from "../../support/host/runtimes.ts"
import {registryEnvironment} from "../../support/machine/registry.ts"

/** Blocks every registry: all proxies are a port without a listener. */
const offline = async () => {
  const nowhere = `http://127.0.0.1:${await freePort()}`
  return {HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, http_proxy: nowhere, https_proxy: nowhere}
}

interface Toolchain {
  /** The value of `--runtime`: projects of Node are made by npm, on Node 22.12. */
  readonly name: string
  readonly runtime: TestRuntime
  /** The words that run a package without a project. */
  readonly once: readonly string[]
  /** The words before a script's name. */
  readonly run: readonly string[]
  /** The words before svc's arguments. */
  readonly svc: readonly string[]
  readonly lockfile: string
  /** The other templates of which this toolchain makes projects. */
  readonly makes: readonly string[]
  /** The templates of `makes` whose tests it runs. Those of all examples run in tests/e2e/examples/projects.test.ts. */
  readonly tests: readonly string[]
}

const toolchains: readonly Toolchain[] = [
  {
    name: "bun",
    runtime: onBun,
    once: ["bunx"],
    run: ["bun", "run"],
    svc: ["bun", "run", "--bun", "svc"],
    lockfile: "bun.lock",
    makes: ["reminders", "moderation", "files", "poll", "bridge", "agent", "adapter"],
    tests: ["adapter"],
  },
  ...(onNode22 === undefined
    ? []
    : [
        {
          name: "node",
          runtime: onNode22,
          once: ["npx", "--yes"],
          run: ["npm", "run"],
          svc: ["npx", "svc"],
          lockfile: "package-lock.json",
          // The projects differ only in the scripts of their package.json.
          makes: ["agent"],
          tests: ["agent"],
        },
      ]),
]

/** Packs this package, as its users get it. */
const tarball = shared(async () => {
  const folder = makeFolder()
  const {stdout} = await runProcess(["npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", folder], {
    cwd: root,
  })
  return join(folder, stdout.trim())
})

/** A PATH with all programs of this machine, but with one runtime alone: Node has npm, Bun has none. */
const pathWithOnly = ({name, command: [binary = ""]}: TestRuntime): string => {
  const folder = makeFolder()
  const link = (target: string, program: string) =>
    existsSync(join(folder, program)) || symlinkSync(target, join(folder, program))
  const own = name === "bun" ? /^bunx?$/ : /^(?:node|npm|npx)$/
  if (name === "bun") for (const program of ["bun", "bunx"]) link(binary, program)
  else link(binary, "node")
  for (const place of (process.env.PATH ?? "").split(delimiter).filter(each => !each.includes("node_modules")))
    for (const program of existsSync(place) ? readdirSync(place) : [])
      if (own.test(program) || !/^(?:node|npm|npx|bunx?|corepack)/.test(program)) link(join(place, program), program)
  return folder
}

/** The files of a new project, without installed packages. */
const files = (folder: string) =>
  readdirSync(folder)
    .filter(name => name !== "node_modules")
    .flatMap(name => {
      const path = join(folder, name)
      return statSync(path).isDirectory() ? readdirSync(path).map(file => `${name}/${file}`) : [name]
    })
    .sort()

/** The packages that a template needs in addition to svc. */
const packagesOf = (template: string): Readonly<Record<string, string>> => {
  const {dependencies = {}}: ProjectTemplate = projectTemplates[templateName(template)]
  return dependencies
}

const greetings = (folder: string, from: string, to: string) => {
  const path = join(folder, "plugins/greeter.ts")
  writeFileSync(path, readFileSync(path, "utf8").replace(from, to))
}

describe.each(toolchains)(
  "a project of svc init for $name",
  ({name, runtime, once, run, svc, lockfile, makes, tests}) => {
    const PATH = () => pathWithOnly(runtime)
    const command = (line: readonly string[], options: SpawnOptions & {path: string}) =>
      runProcess(["/usr/bin/env", ...line], {...options, env: {...options.env, PATH: options.path}})

    test("installs offline from a warm cache, and its tests, types, build, start, chat and doctor work", {
      timeout: 600_000,
    }, async () => {
      const path = PATH()
      // Bun links the installed packages to its cache, which is on the disk.
      const parent = runtime === onBun ? makeFolder() : makeFolder(roomyPlace())
      const init = (line: readonly string[], target: string, env: Readonly<Record<string, string>>) =>
        command([...line, "init", target], {cwd: parent, env, path})
      // The first installation may have to fill the cache.
      const warm = await init([...once, "--package", await tarball(), "svc"], "warm", registryEnvironment)
      // bunx tells on stderr what it installs.
      expect(warm.code, warm.stderr).toBe(0)
      const installed = [runtime.command[0] ?? "", join(parent, "warm/node_modules/svc-runtime/cli/launch.js")]
      const made = await init(installed, "My Bot", {
        ...registryEnvironment,
        ...(await offline()),
      })
      expect({code: made.code, stderr: made.stderr}).toEqual({code: 0, stderr: ""})
      expect(made.stdout).toContain(`${run.join(" ")} dev`)

      const folder = join(parent, "My Bot")
      const inProject = (line: readonly string[], env: Readonly<Record<string, string>> = {}) =>
        command(line, {cwd: folder, env: {...registryEnvironment, ...env}, path})
      expect(files(folder)).toEqual(files(join(parent, "warm")))
      expect(files(folder)).toEqual(
        [
          ".env.example",
          ".gitignore",
          "README.md",
          ...(lockfile === "bun.lock" ? ["bunfig.toml"] : []),
          lockfile,
          "package.json",
          "plugins/greeter.ts",
          "svc.config.yml",
          "tests/greeter.test.ts",
          "tsconfig.json",
          "vendor/svc-runtime-0.1.0.tgz",
        ].sort(),
      )
      expect(existsSync(join(folder, "node_modules/svc-runtime/dist/openapi.json"))).toBe(true)
      const [, schema = ""] = /^# .*\$schema=(\S+)/.exec(readFileSync(join(folder, "svc.config.yml"), "utf8")) ?? []
      expect(JSON.parse(readFileSync(join(folder, schema), "utf8")).title).toBe("svc.config.yml")
      expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).toMatchObject({
        name: "my-bot",
        engines: {node: ">=22.12.0"},
        scripts: {
          build: expect.stringContaining("svc build"),
          check: expect.stringContaining("tsc --noEmit"),
          start: expect.stringContaining("svc runtime start"),
        },
        dependencies: {"svc-runtime": "file:vendor/svc-runtime-0.1.0.tgz"},
      })
      // An installed svc packed the tarball.
      expect(readFileSync(join(folder, "node_modules/svc-runtime/LICENSE"), "utf8")).toMatch(/^MIT License\n/)

      // The test talks to a Host on this machine, so a proxy in the environment must not affect it. Bun's default limit
      // is five seconds for each test; Node has none.
      const patience = lockfile === "bun.lock" ? ["--timeout", "120000"] : []
      const tested = await inProject([...run, "test", ...patience], await offline())
      expect({code: tested.code, passed: /\b1 pass|# pass 1\b/.test(tested.stdout + tested.stderr)}).toEqual({
        code: 0,
        passed: true,
      })

      // The other templates use the packages installed in the folder above them: nothing packs svc for them. This adds the
      // packages that only they need.
      for (const needed of makes.flatMap(template => Object.keys(packagesOf(template)))) {
        mkdirSync(dirname(join(folder, "node_modules", needed)), {recursive: true})
        symlinkSync(join(root, "node_modules", needed), join(folder, "node_modules", needed))
      }
      const noPack = makeFolder()
      symlinkSync("/bin/true", join(noPack, "npm"))
      for (const template of makes) {
        const options = ["--template", template, "--runtime", name, "--no-install"]
        const line = [...nodeOf("node22").command, "init", `others/${template}`, ...options]
        const {code, stdout} = await command(line, {cwd: folder, path: `${noPack}${delimiter}${path}`})
        expect({code, told: stdout.includes(`${run.join(" ")} dev`)}).toEqual({code: 0, told: true})
        const own = (file: string) => readFileSync(join(folder, "others", template, file), "utf8")
        expect(own("README.md")).not.toContain("../../")
        expect(JSON.parse(own("package.json")).dependencies).toEqual({
          ...packagesOf(template),
          "svc-runtime": "file:vendor/svc-runtime-0.1.0.tgz",
        })
      }
      await expectTypes(folder, () => inProject([...run, "check"]))
      for (const template of tests) {
        const ran = await command([...run, "test", ...patience], {
          cwd: join(folder, "others", template),
          env: await offline(),
          path,
        })
        expect({template, code: ran.code, output: ran.stdout + ran.stderr}).toMatchObject({template, code: 0})
      }
      rmSync(join(folder, "others"), {recursive: true})

      const built = await inProject([...run, "build"])
      expect({code: built.code, told: built.stdout.includes("built greeter")}).toEqual({code: 0, told: true})
      expect(existsSync(join(folder, "dist/plugins/greeter.js"))).toBe(true)

      const config = readFileSync(join(folder, "svc.config.yml"), "utf8")
      writeFileSync(join(folder, "svc.config.yml"), config.replace("# token: ${HTTP_TOKEN}", "token: ${HTTP_TOKEN}"))
      writeFileSync(join(folder, ".env"), "HTTP_TOKEN=a-token-of-thirty-two-characters\n", {mode: 0o600})
      const port = String(await freePort())
      const running = startProcess(["/usr/bin/env", ...run, "start"], {cwd: folder, env: {PATH: path, HTTP_PORT: port}})
      await until("the Host to be ready", () => isOk(`http://127.0.0.1:${port}/pub/ready`))
      const chat = await command([...svc, "chat"], {cwd: folder, input: "/greet Ada\n", path})
      expect({code: chat.code, stdout: chat.stdout}).toEqual({code: 0, stdout: "hello Ada\n"})
      const sound = await inProject([...svc, "doctor"], {HTTP_PORT: port})
      expect(sound.stdout).toContain("ok      build: dist/plugins matches the source")
      greetings(folder, "Say hello", "Say it")
      const stale = await inProject([...svc, "doctor"], {HTTP_PORT: port})
      expect(stale.code).toBe(1)
      expect(stale.stdout).toMatch(/^ERROR {3}build: .*: greeter$/m)
      const stopped = await inProject([...svc, "runtime", "stop"])
      expect({code: stopped.code, told: /^stopped pid \d+$/m.test(stopped.stdout)}).toEqual({code: 0, told: true})
      expect((await running.finished).code).toBe(0)
    })
  },
)

/** Expects that the shipped declarations type all projects, and report each mistake at its position. */
const expectTypes = async (folder: string, check: () => Promise<Finished>) => {
  const mistakes = join(folder, "plugins/mistakes.ts")
  writeFileSync(
    mistakes,
    `import {definePlugin, Type} from "svc-runtime"
import {startBot} from "svc-runtime/test"
export default definePlugin({
  config: Type.Object({greeting: Type.String()}),
  setup(plugin, config) {
    plugin.command("right <name:string>", {}, ({args}) => config.greeting + args.name.toUpperCase())
    const wrongConfig: number = config.greeting
    plugin.command("wrong <n:number>", {}, ({args}) => args.n.toUpperCase())
    plugin.comand("wrong", {}, () => wrongConfig)
    plugin.on("message-created", session => session.sned("wrong"))
  },
})
export const wrongReply: Promise<number> = startBot({plugins: {}}).then(bot => bot.say("hello"))
`,
  )
  const expectMistakes = ({code, stdout}: Finished) => {
    // Exactly the lines with mistakes.
    const lines = (stdout.match(/^.*error TS\d+/gm) ?? []).map(line => /^[^(]+\(\d+/.exec(line)?.[0] ?? line)
    expect(lines).toEqual([7, 8, 9, 10, 13].map(line => `plugins/mistakes.ts(${line}`))
    expect(code).toBeGreaterThan(0)
  }
  expectMistakes(await check())
  const settings = readFileSync(join(folder, "tsconfig.json"), "utf8")
  writeFileSync(join(folder, "tsconfig.json"), settings.replace('["plugins",', '["others", "plugins",'))
  // The native compiler takes a third of the processor's time for the others.
  expectMistakes(await runProcess([process.execPath, `${root}node_modules/.bin/tsc`, "--checkers", "1"], {cwd: folder}))
  writeFileSync(join(folder, "tsconfig.json"), settings)
  rmSync(mistakes)
}
