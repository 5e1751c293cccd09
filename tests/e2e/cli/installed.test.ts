import {existsSync, lstatSync, readdirSync, readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {declared} from "../../../scripts/build/bundles.ts"
import {reachedFrom} from "../../../scripts/build/declarations.ts"
import {freePort, makeFolder, nodeOf, onBun, pathWith, roomyPlace, root} from "../../support/host/host.ts"
import {isOk, runProcess, type SpawnOptions, startProcess, until} from "../../support/host/process.ts"
import {registryEnvironment} from "../../support/machine/registry.ts"

const mebibyte = 1024 * 1024

/** The size of a folder in bytes. A file with two names counts once. */
const sizeOf = (folder: string): number => {
  const files = readdirSync(folder, {recursive: true, withFileTypes: true}).filter(entry => entry.isFile())
  const stats = files.map(({parentPath, name}) => lstatSync(join(parentPath, name)))
  return [...new Map(stats.map(({ino, size}) => [ino, size])).values()].reduce((sum, size) => sum + size, 0)
}

/** The names of the packages that type declarations import. */
const packagesIn = (files: Iterable<string>): readonly string[] => {
  const names = [...files].flatMap(file =>
    [...readFileSync(file, "utf8").matchAll(/(?:from\s+|import\()["']((?:@[^/"']+\/)?[^./"'][^/"']*)/g)].map(
      ([, name = ""]) => name,
    ),
  )
  return [...new Set(names)].filter(name => !name.startsWith("node:"))
}

const token = "c9d1f6a07b3e4582a6d0c8e7135f942b"

test("a production install takes at most 50 MiB, has no compiler, and runs plugins built elsewhere", {
  timeout: 600_000,
}, async () => {
  const runtime = nodeOf("node22")
  const [isBun, path] = [runtime === onBun, pathWith(runtime)]
  const parent = isBun ? makeFolder() : makeFolder(roomyPlace())
  const folder = join(parent, "bot")
  const inFolder = (line: readonly string[], options: SpawnOptions = {}) =>
    runProcess(["/usr/bin/env", ...line], {
      cwd: folder,
      ...options,
      env: {...registryEnvironment, ...options.env, PATH: path},
    })
  const [program = ""] = runtime.command
  const made = await inFolder([program, `${root}cli/launch.js`, "init", "bot", "--no-install"], {cwd: parent})
  expect({code: made.code, stderr: made.stderr}).toEqual({code: 0, stderr: ""})
  const install = isBun
    ? ["bun", "install", "--production"]
    : ["npm", "install", "--omit=dev", "--no-audit", "--no-fund"]
  const installed = await inFolder(install)
  expect({code: installed.code, stdout: installed.stdout, stderr: installed.stderr}).toMatchObject({code: 0})

  expect(sizeOf(join(folder, "node_modules")) / mebibyte).toBeLessThanOrEqual(50)
  expect(existsSync(join(folder, "node_modules/esbuild"))).toBe(false)
  const own = join(folder, "node_modules/svc-runtime")
  const types = packagesIn(reachedFrom(declared.map(file => join(own, "dist/types", file))))
  expect(types).toEqual(expect.arrayContaining(["typebox"]))
  const isThere = (name: string) => name === "svc-runtime" || existsSync(join(folder, "node_modules", name))
  expect(types.filter(name => !isThere(name))).toEqual([])
  expect(readFileSync(join(own, "dist/licences.txt"), "utf8")).toMatch(/^elysia 1\.\d+\.\d+\n\n.*MIT/ms)

  const svc = [program, join(own, "cli/launch.js")]
  const {version} = JSON.parse(readFileSync(join(root, "node_modules/esbuild/package.json"), "utf8"))
  const refused = await inFolder([...svc, "build"])
  const add = isBun ? "bun add --dev --exact" : "npm install --save-dev --save-exact"
  expect({code: refused.code, stderr: refused.stderr}).toEqual({
    code: 1,
    stderr: expect.stringContaining(`Run ${add} esbuild@${version}`),
  })
  const built = await inFolder([...runtime.command, "build"])
  expect({code: built.code, stdout: built.stdout}).toEqual({code: 0, stdout: "built greeter\n"})

  writeFileSync(join(folder, ".env"), `HTTP_TOKEN=${token}\n`, {mode: 0o600})
  const config = readFileSync(join(folder, "svc.config.yml"), "utf8")
  writeFileSync(join(folder, "svc.config.yml"), config.replace("# token: ${HTTP_TOKEN}", "token: ${HTTP_TOKEN}"))
  const port = String(await freePort())
  const start = [...svc, "runtime", "start", "--mode", "production", "--no-watch"]
  startProcess(start, {cwd: folder, env: {PATH: path, HTTP_PORT: port}})
  await until("the Host to be ready", () => isOk(`http://127.0.0.1:${port}/pub/ready`))
  const chat = await inFolder([...svc, "chat"], {input: "/greet Ada\n"})
  expect({code: chat.code, stdout: chat.stdout}).toEqual({code: 0, stdout: "hello Ada\n"})
})
