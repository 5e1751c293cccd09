import {execFileSync} from "node:child_process"
import {cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from "node:fs"
import {delimiter, isAbsolute, join} from "node:path"
import {describe, expect, test} from "vitest"
import {packageNameOf} from "../../../server/process/new-project.ts"
import {editorSchema} from "../../../server/runtime/own-files.ts"
import {version} from "../../../server/runtime/version.ts"
import {makeFolder, onBun, root, runProcess} from "../../support/host/host.ts"

/** Runs svc on Bun, even if Bun is not on the PATH. */
const bunAnywhere = (): readonly string[] => {
  const [bun = "", ...script] = onBun.command
  return [isAbsolute(bun) ? bun : execFileSync("which", [bun], {encoding: "utf8"}).trim(), ...script]
}

describe("svc init refuses", () => {
  const init = (folder: string, ...args: string[]) => runProcess([...onBun.command, "init", ...args], {cwd: folder})

  test("a folder that is not empty, and leaves it unchanged", async () => {
    const folder = makeFolder()
    mkdirSync(join(folder, "held"))
    writeFileSync(join(folder, "held/notes.txt"), "mine")
    writeFileSync(join(folder, "file"), "mine")
    for (const [target, why] of [
      ["held", "held (?!.*E[A-Z]{4})"],
      ["file", "file: .*E[A-Z]{4}"],
      ["file/below", "file/below: .*E[A-Z]{4}"],
    ]) {
      const refused = await init(folder, target ?? "")
      expect({code: refused.code, stdout: refused.stdout}).toEqual({code: 1, stdout: ""})
      expect(refused.stderr).toMatch(new RegExp(`^svc: .*${why}.*\n {2}hint: .*: svc init my-bot\n$`))
    }
    expect(readdirSync(folder).sort()).toEqual(["file", "held"])
    expect(readdirSync(join(folder, "held"))).toEqual(["notes.txt"])
  })

  test("a name that npm does not allow, before it writes anything", async () => {
    const folder = makeFolder()
    for (const name of ["...", "___", "node_modules", "svc-runtime", "☃"]) {
      const refused = await init(folder, name)
      expect(refused.code).toBe(1)
      expect(refused.stderr).toMatch(/^svc: ".+" .*\n {2}hint: .*: svc init my-bot\n$/)
      expect(refused.stderr).toContain(`svc: "${name}" `)
    }
    expect(readdirSync(folder)).toEqual([])
  })

  test("an unknown runtime", async () => {
    const refused = await init(makeFolder(), "my-bot", "--runtime", "deno")
    expect({code: refused.code, told: refused.stderr.split("\n")[1]}).toEqual({
      code: 1,
      told: expect.stringMatching(/^ {2}detail: --runtime .*bun or node, .*"deno"$/),
    })
  })

  test("an unknown template, and suggests a similar one", async () => {
    const folder = makeFolder()
    const refused = await init(folder, "my-bot", "--template", "remindres")
    expect({code: refused.code, stderr: refused.stderr}).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /"remindres" .*"reminders".*\n {2}hint: .* starter, reminders, moderation, files, poll, bridge, agent, adapter; svc init --list /,
      ),
    })
    expect(readdirSync(folder)).toEqual([])
  })

  test("a project for Node if npm is missing, before it writes anything", async () => {
    const folder = makeFolder()
    const options = {cwd: folder, env: {PATH: makeFolder()}}
    const refused = await runProcess([...bunAnywhere(), "init", "my-bot", "--runtime", "node"], options)
    expect({code: refused.code, told: refused.stderr.split("\n")[0]}).toEqual({
      code: 1,
      told: expect.stringMatching(/^svc: npm .*PATH$/),
    })
    expect(readdirSync(folder)).toEqual([])
  })

  test("no folder name that it can convert to a package name", () => {
    expect(["/a/My Bot!", "/a/.hidden", "/a/bot_2", "/a/Äbc"].map(packageNameOf)).toEqual([
      "my-bot",
      "hidden",
      "bot_2",
      "bc",
    ])
  })
})

test("svc init --list shows each template on one line", async () => {
  const {code, stdout} = await runProcess([...onBun.command, "init", "--list"], {cwd: makeFolder()})
  expect({code, names: stdout.split("\n").map(line => line.split(" ")[0])}).toEqual({
    code: 0,
    names: ["template", "starter", "reminders", "moderation", "files", "poll", "bridge", "agent", "adapter", ""],
  })
})

test("svc init --no-install writes the project and prints commands that work without Bun on the PATH", async () => {
  const folder = makeFolder()
  const bin = makeFolder()
  // npx and Bun put this folder on the PATH only while svc runs, and set npm_execpath.
  const fetched = join(folder, "_npx/1a2b/node_modules/.bin")
  mkdirSync(fetched, {recursive: true})
  symlinkSync(process.execPath, join(fetched, "bun"))
  for (const program of ["npm", "npx"]) symlinkSync(process.execPath, join(bin, program))
  const env = {PATH: `${fetched}${delimiter}${bin}`, npm_execpath: "/usr/lib/npm-cli.js"}
  const made = await runProcess([...bunAnywhere(), "init", "My Bot", "--no-install"], {cwd: folder, env})
  expect({code: made.code, stderr: made.stderr}).toEqual({code: 0, stderr: ""})
  const steps = made.stdout.split("\n\n").find(part => part.startsWith("  cd "))
  expect(steps?.split("\n").map(line => line.trim().split("  ")[0])).toEqual([
    "cd 'My Bot'",
    "npx --yes bun@1.4.5 install",
    "npx --yes bun@1.4.5 run dev",
    "npx --yes bun@1.4.5 run --bun svc chat",
  ])
  expect(readFileSync(join(folder, "My Bot/README.md"), "utf8")).toContain("`npx --yes bun@1.4.5 run check`")
  expect(existsSync(join(folder, "My Bot/node_modules"))).toBe(false)
})

test("svc init --runtime node warns if the installed Node is too old for the project", async () => {
  const folder = makeFolder()
  const bin = makeFolder()
  writeFileSync(join(bin, "node"), "#!/bin/sh\necho v20.1.0\n", {mode: 0o755})
  symlinkSync("/bin/true", join(bin, "npm"))
  const line = [...bunAnywhere(), "init", "bot", "--runtime", "node", "--no-install"]
  const made = await runProcess(line, {cwd: folder, env: {PATH: `${bin}${delimiter}/bin`}})
  expect({code: made.code, stderr: made.stderr}).toEqual({code: 0, stderr: ""})
  expect(made.stdout.trim().split("\n").at(-1)).toMatch(/ Node 20\.1\.0\. .* Node 22\.12 /)
})

test("svc init builds a missing bundle, console or schema in a clone before it packs svc", async () => {
  const clone = makeFolder()
  cpSync(join(root, "cli/init/template"), join(clone, "cli/init/template"), {recursive: true})
  const parts = ["dist/bun/svc.js", "dist/console/files.json", "dist/openapi.json", editorSchema]
  const build = `mkdir -p dist/bun dist/console docs/reference && echo {} | tee ${parts.join(" ")}`
  const manifest = {name: "svc-runtime", version, files: ["dist", "docs"], scripts: {build}}
  writeFileSync(join(clone, "package.json"), JSON.stringify(manifest))
  mkdirSync(join(clone, "dist"))
  writeFileSync(join(clone, "dist/svc.js"), "")
  const make = async (name: string) => {
    const options = {
      folder: join(clone, "made", name),
      template: "starter",
      toolchain: "bun",
      install: false,
      packageRoot: clone,
    }
    const source = `import {makeProject} from "${join(root, "server/process/new-project.ts")}"
      await makeProject({...${JSON.stringify(options)}, report: step => console.log(step)})`
    const {code, stdout} = await runProcess([onBun.command[0] ?? "", "-e", source], {cwd: clone})
    expect(code).toBe(0)
    return stdout
  }
  expect(await make("first")).toContain("building svc")
  const {stdout} = await runProcess(["tar", "-tzf", join(clone, `made/first/vendor/svc-runtime-${version}.tgz`)])
  const packed = ["dist/svc.js", ...parts].map(file => `package/${file}`)
  expect(stdout.split("\n")).toEqual(expect.arrayContaining(packed))
  expect(await make("second")).not.toContain("building svc")
  rmSync(join(clone, editorSchema))
  expect(await make("third")).toContain("building svc")
})
